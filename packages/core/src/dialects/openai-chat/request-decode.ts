import { requiredObject, requiredText } from '../field-readers.ts'
import { decoding, type DecodedRequest } from '../invalid-field.ts'
import { wellFormed } from '../well-formed.ts'
import { decodeMessages } from './request-decode-messages.ts'
import { decodeSettings } from './request-decode-settings.ts'
import { decodeTools } from './request-decode-tools.ts'

/** Reads the body of `POST /v1/chat/completions`. A field that we do not know is never an error. */
export function decodeChatRequest(body: unknown): DecodedRequest {
  return decoding((notes) => {
    const fields = wellFormed(requiredObject(body, 'body'))
    const model = requiredText(fields, 'model')
    const { tools, otherTools } = decodeTools(fields)
    const { system, contents } = decodeMessages(fields['messages'], notes)
    const { extra, ...settings } = decodeSettings(fields, notes)
    return {
      request: {
        model,
        system,
        contents,
        tools,
        ...settings,
        extra: otherTools.length > 0 ? { ...extra, tools: otherTools } : extra,
      },
    }
  })
}
