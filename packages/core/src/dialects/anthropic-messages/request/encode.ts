import { systemPart, withoutBillingLine } from '../../../request/instructions.ts'
import type { ConversationRequest, SystemText } from '../../../request/conversation-request.ts'
import { withExtraFields } from '../../../request/settings.ts'
import { isJsonObject, type JsonObject } from '../../../json/objects.ts'
import { checksSignatures } from '../../../request/reasoning-policy.ts'
import { Notes } from '../../../request/notes.ts'
import type { AnthropicTarget, EncodedRequest } from '../../../request/target.ts'
import { longestToolName, shortToolNames } from '../../../request/tools.ts'
import { upstreamHistory } from '../../../request/upstream-history.ts'
import { wellFormed } from '../../../json/well-formed.ts'
import { originalFor, originalIn } from '../../../request/original.ts'
import { encodeMessages } from './encode-messages.ts'
import { encodeSettings } from './encode-settings.ts'
import { encodeToolChoice, encodeTools } from './encode-tools.ts'

/** Writes the body of a request to an upstream that speaks Anthropic Messages. */
export function encodeAnthropicRequest(
  request: ConversationRequest,
  target: AnthropicTarget,
): EncodedRequest {
  const notes = new Notes()
  const names = shortToolNames(request.tools, longestToolName['anthropic-messages'])
  const history = upstreamHistory(request.contents, target, 'anthropic-messages', names, notes)
  // The chat dialect's spellings of `maxTokens` and `stopSequences`: nothing is lost with them.
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

/** A text, or blocks where the client wrote blocks or there are several. */
export function encodeSystem(
  system: readonly SystemText[],
  target: AnthropicTarget,
  notes: Notes,
): { system?: unknown } {
  for (const text of system) {
    const message = originalIn(text, 'openai-chat')?.['message']
    if (isJsonObject(message)) notes.droppedFields(message, 'Instructions have no such field here.')
  }
  // Anthropic itself reads the line. A server of open models in its dialect does not.
  const instructions = checksSignatures(target) ? system : withoutBillingLine(system, notes)
  const texts = instructions.filter(({ text }) => text !== '')
  const [first] = texts
  if (first === undefined) return {}
  const ownBlock = (text: SystemText): JsonObject | undefined =>
    originalFor(target, text, 'anthropic-messages')
  const isPlain = texts.length === 1 && first.cacheControl === undefined && ownBlock(first) === undefined
  return { system: isPlain ? first.text : texts.map((text) => ownBlock(text) ?? systemPart(text)) }
}
