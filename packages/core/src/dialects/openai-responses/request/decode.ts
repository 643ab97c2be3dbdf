import { InvalidField, optionalText, requiredObject, requiredText } from '../../../json/fields.ts'
import type { JsonObject } from '../../../json/objects.ts'
import { wellFormed } from '../../../json/well-formed.ts'
import { decoding, type DecodedRequest } from '../../../request/decoding.ts'
import type { Notes } from '../../../request/notes.ts'
import type { AskedAt } from '../../dialect.ts'
import { toolKindsOf } from '../tools.ts'
import { compactionWish, summaryRequest, trigger } from './compaction.ts'
import { instructionsText } from './instructions.ts'
import { decodeItems, itemsIn, toolListsIn } from './items.ts'
import { decodeSettings } from './settings.ts'
import { decodeTools } from './tools.ts'

/**
 * Reads the body of `POST /v1/responses`, or of a request to compact a conversation. A field, an item or a tool that we do
 * not know is never an error.
 */
export function decodeResponsesRequest(body: unknown, asked?: AskedAt): DecodedRequest {
  return decoding((notes) => {
    const fields = wellFormed(requiredObject(body, 'body'))
    const model = requiredText(fields, 'model')
    refuseWhatIsKept(fields)
    const given = itemsIn(fields['input'])
    const wish = compactionWish(given, asked)
    const items = wish?.gets === 'history' ? [...given, trigger] : given
    const { tools, otherTools } = decodeTools(toolListsIn(fields, items))
    const kinds = toolKindsOf(tools)
    const instructions = instructionsText(optionalText(fields, 'instructions'))
    const { system, contents } = decodeItems(items, instructions, kinds, notes)
    const { extra, ...settings } = decodeSettings(fields, items, kinds, notes)
    noteMetadata(fields, notes)
    const request = { model, system, contents, tools, ...settings, extra }
    if (wish !== null) return { request: summaryRequest(request, wish) }
    return {
      request: otherTools.length > 0 ? { ...request, extra: { ...extra, tools: otherTools } } : request,
    }
  })
}

/** These stand for a history that a server has kept. An answer without it would be an answer to something else. */
function refuseWhatIsKept(fields: JsonObject): void {
  for (const { field, code } of kept) {
    const value = fields[field] ?? undefined
    if (value === undefined || value === false || value === '') continue
    throw new InvalidField(field, 'nothing is kept here between requests; send the whole input', code)
  }
}

const kept: readonly { readonly field: string; readonly code: string }[] = [
  { field: 'previous_response_id', code: 'previous_response_not_found' },
  { field: 'conversation', code: 'unsupported_parameter' },
  { field: 'prompt', code: 'unsupported_parameter' },
  { field: 'background', code: 'unsupported_parameter' },
]

/** Clients tell OpenAI there which repository somebody works on, and at which commit. That is for no other server. */
function noteMetadata(fields: JsonObject, notes: Notes): void {
  if ((fields['client_metadata'] ?? undefined) === undefined) return
  notes.dropped('client_metadata', 'It tells of the machine of the user, and goes to no upstream.')
}
