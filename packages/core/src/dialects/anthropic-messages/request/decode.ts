import { requiredObject, requiredText } from '../../../json/fields.ts'
import { decoding, type DecodedRequest } from '../../../request/decoding.ts'
import { wellFormed } from '../../../json/well-formed.ts'
import { decodeMessages, systemTexts } from './messages.ts'
import { decodeSettings } from './settings.ts'
import { decodeTools } from './tools.ts'

/** Reads the body of `POST /v1/messages`. A field that we do not know is never an error. */
export function decodeAnthropicRequest(body: unknown): DecodedRequest {
  return decoding((notes) => {
    const fields = wellFormed(requiredObject(body, 'body'))
    const model = requiredText(fields, 'model')
    const { tools, otherTools } = decodeTools(fields)
    const system = systemTexts(fields['system'], 'system')
    const messages = decodeMessages(fields['messages'], tools, notes)
    const { extra, ...settings } = decodeSettings(fields, notes)
    return {
      request: {
        model,
        system: [...system, ...messages.system],
        contents: messages.contents,
        tools,
        ...settings,
        extra: otherTools.length > 0 ? { ...extra, tools: otherTools } : extra,
      },
    }
  })
}
