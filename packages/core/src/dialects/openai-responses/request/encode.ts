import type { JsonObject } from '../../../json/objects.ts'
import { wellFormed } from '../../../json/well-formed.ts'
import type { ConversationRequest } from '../../../request/conversation-request.ts'
import { Notes } from '../../../request/notes.ts'
import { withoutRefused } from '../../../request/refused-thinking.ts'
import { withExtraFields } from '../../../request/settings.ts'
import type { EncodedRequest, ResponsesTarget } from '../../../request/target.ts'
import { shortToolNames } from '../../../request/tools.ts'
import { upstreamHistory } from '../../../request/upstream-history.ts'
import { encodeInstructions } from './instructions.ts'
import { encodeItems, responsesMessages } from './messages.ts'
import { encodeSettings } from './settings.ts'
import { takesAllItems } from './target.ts'
import { encodeThinking } from './thinking.ts'
import { encodeToolChoice, encodeTools, longestToolName } from './tools.ts'

/** Writes the body of a request to an upstream that speaks OpenAI Responses. */
export function encodeResponsesRequest(
  request: ConversationRequest,
  target: ResponsesTarget,
): EncodedRequest {
  const notes = new Notes()
  const names = shortToolNames(request.tools, longestToolName)
  const history = upstreamHistory(request.contents, target, responsesMessages, names, notes)
  const { instructions, items } = encodeInstructions(request.system, target, notes)
  const body: JsonObject = {
    model: target.model,
    ...(instructions === undefined ? {} : { instructions }),
    input: [...items, ...encodeItems(history, target, notes)],
    ...encodeTools(request, target, names, notes),
    ...encodeToolChoice(request, target, names, notes),
    ...encodeSettings(request, target, notes),
    ...encodeThinking(request, target, notes),
  }
  const extra = extraFields(request, target, notes)
  const whole = withoutRefused(withExtraFields(body, extra, target, notes), target.withoutFields, notes)
  return { body: wellFormed(whole), toolNames: names, notes: notes.all }
}

/** The client's other fields, without those whose meaning is in the body already. */
function extraFields({ extra }: ConversationRequest, target: ResponsesTarget, notes: Notes): JsonObject {
  // These two say how a chat client spelled `maxTokens` and `stopSequences`.
  const { max_completion_tokens: _, stop: __, include, tools, ...rest } = extra
  if (target.sameDialect !== true) return tools === undefined ? rest : { ...rest, tools }
  if (takesAllItems(target)) return tools === undefined ? rest : { ...rest, tools }
  if (include !== undefined) notes.dropped('include', 'The upstream is not known to understand it.')
  if (tools !== undefined) {
    notes.dropped('tools', 'The upstream is known to run no tools itself, and to take none but functions.')
  }
  return rest
}
