import { wellFormed } from '../../../json/well-formed.ts'
import type { ConversationRequest } from '../../../request/conversation-request.ts'
import { Notes } from '../../../request/notes.ts'
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
  const body = {
    model: target.model,
    ...encodeSystem(request.system, target, notes),
    messages: encodeMessages(history, target, notes),
    ...encodeTools(request, target, names, notes),
    ...encodeToolChoice(request, target, names, notes),
    ...encodeSettings(request, target, history.contents, notes),
  }
  const whole = withExtraFields(body, extra, target, notes)
  return { body: wellFormed(whole), toolNames: names, notes: notes.all }
}
