import type { JsonObject } from '../../../json/objects.ts'
import { wellFormed } from '../../../json/well-formed.ts'
import type { ConversationRequest } from '../../../request/conversation-request.ts'
import { Notes } from '../../../request/notes.ts'
import { withoutRefused } from '../../../request/refused-thinking.ts'
import { withExtraFields } from '../../../request/settings.ts'
import type { AnthropicTarget, EncodedRequest } from '../../../request/target.ts'
import { shortToolNames } from '../../../request/tools.ts'
import { upstreamHistory } from '../../../request/upstream-history.ts'
import { anthropicMessages, encodeMessages, encodeSystem } from './messages.ts'
import { encodeSettings } from './settings.ts'
import { encodeToolChoice, encodeTools, longestToolName } from './tools.ts'

/** Writes the body of a request to an upstream that speaks Anthropic Messages. */
export function encodeAnthropicRequest(
  request: ConversationRequest,
  target: AnthropicTarget,
): EncodedRequest {
  const notes = new Notes()
  const names = shortToolNames(request.tools, longestToolName)
  const history = upstreamHistory(request.contents, target, anthropicMessages, names, notes)
  // These two say how a chat client spelled `maxTokens` and `stopSequences`, which are sent: nothing is lost.
  const { max_completion_tokens: _, stop: __, ...extra } = request.extra
  const body: JsonObject = {
    model: target.model,
    ...encodeSystem(request.system, target, notes),
    messages: encodeMessages(history, target, notes),
    ...encodeTools(request, target, names, notes),
    ...encodeToolChoice(request, target, names, notes),
    ...encodeSettings(request, target, history.contents, notes),
  }
  const own = target.sameDialect === true ? withoutRemains(extra, request, body, notes) : extra
  const whole = withoutRefused(withExtraFields(body, own, target, notes), target.withoutFields, notes)
  return { body: wellFormed(whole), toolNames: names, notes: notes.all }
}

/** Of `thinking` we read a part and keep the rest. Where our part is not sent, a server would refuse the rest alone. */
function withoutRemains(
  extra: JsonObject,
  { reasoning }: ConversationRequest,
  body: JsonObject,
  notes: Notes,
): JsonObject {
  if (reasoning === undefined || 'thinking' in body || !('thinking' in extra)) return extra
  if (reasoning.mode === 'unsaid') return extra
  const { thinking: _, ...rest } = extra
  notes.dropped('thinking', 'It is said in other fields, which have no place for all of it.')
  return rest
}
