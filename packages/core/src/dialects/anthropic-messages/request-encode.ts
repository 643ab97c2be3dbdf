import type { ConversationRequest, SystemText } from '../conversation-request.ts'
import { withExtraFields } from '../extra-fields.ts'
import { Notes } from '../request-notes.ts'
import type { AnthropicTarget, EncodedRequest } from '../request-target.ts'
import { systemPart } from '../system-part.ts'
import { longestToolName, shortToolNames } from '../tool-names.ts'
import { upstreamHistory } from '../upstream-history.ts'
import { wellFormed } from '../well-formed.ts'
import { encodeMessages } from './request-encode-messages.ts'
import { encodeSettings } from './request-encode-settings.ts'
import { encodeToolChoice, encodeTools } from './request-encode-tools.ts'

/** Writes the body of a request to an upstream that speaks Anthropic Messages. */
export function encodeAnthropicRequest(
  request: ConversationRequest,
  target: AnthropicTarget,
): EncodedRequest {
  const notes = new Notes()
  const names = shortToolNames(request.tools, longestToolName['anthropic-messages'])
  const history = upstreamHistory(request.contents, target, 'anthropic-messages', names, notes)
  // The chat dialect's spelling of `maxTokens`: nothing is lost with it.
  const { max_completion_tokens: _, ...extra } = request.extra
  const body = {
    model: target.model,
    ...encodeSystem(request.system),
    messages: encodeMessages(history, target, notes),
    ...encodeTools(request, target, names, notes),
    ...encodeToolChoice(request, target, names, notes),
    ...encodeSettings(request, target, history.contents, notes),
  }
  const whole = withExtraFields(body, extra, target, notes)
  return { body: wellFormed(whole), notes: notes.all }
}

export function encodeSystem(system: readonly SystemText[]): { system?: unknown } {
  const texts = system.filter(({ text }) => text !== '')
  const [first] = texts
  if (first === undefined) return {}
  if (texts.length === 1 && first.cacheControl === undefined) return { system: first.text }
  return { system: texts.map(systemPart) }
}
