import { InvalidField, requiredObject } from '../../../json/fields.ts'
import { isJsonObject, type JsonObject } from '../../../json/objects.ts'
import { wellFormed } from '../../../json/well-formed.ts'
import { decoding, type DecodedRequest } from '../../../request/decoding.ts'
import type { AskedAt } from '../../dialect.ts'
import { askedFor } from './address.ts'
import { decodeContents } from './contents.ts'
import { decodeSettings } from './settings.ts'
import { camelCased } from '../spelling.ts'
import { decodeSystem } from './system.ts'
import { decodeTools } from './tools.ts'

/**
 * Reads the body of `POST /v1beta/models/{model}:generateContent`, and of the methods that stream or count. A field that
 * we do not know is never an error.
 */
export function decodeGeminiRequest(body: unknown, asked?: AskedAt): DecodedRequest {
  return decoding((notes) => {
    const fields = fieldsOf(wellFormed(requiredObject(body, 'body')))
    const { model, stream } = askedFor(asked, fields)
    const { tools, otherTools } = decodeTools(fields, notes)
    const system = decodeSystem(fields['systemInstruction'], 'systemInstruction')
    const contents = decodeContents(fields['contents'], notes)
    const { extra, ...settings } = decodeSettings(fields, notes)
    return {
      request: {
        model,
        system,
        contents,
        tools,
        ...settings,
        stream,
        extra: otherTools.length > 0 ? { ...extra, tools: otherTools } : extra,
      },
    }
  })
}

/** A question for the number of tokens may hold the whole request in a field. */
function fieldsOf(body: JsonObject): JsonObject {
  const outer = camelCased(body)
  const inner = outer['generateContentRequest']
  const fields = isJsonObject(inner) ? camelCased(inner) : outer
  for (const field of keptElsewhere) {
    if ((fields[field] ?? '') !== '') {
      throw new InvalidField(field, 'stands for a conversation that is not kept here; send the whole one')
    }
  }
  return fields
}

const keptElsewhere = ['cachedContent', 'continuationToken']
