import type { ConversationRequest, SystemText } from '../conversation-request.ts'
import { withExtraFields } from '../extra-fields.ts'
import type { JsonObject } from '../json-object.ts'
import { Notes } from '../request-notes.ts'
import type { ChatTarget, EncodedRequest } from '../request-target.ts'
import { systemPart } from '../system-part.ts'
import { shortToolNames } from '../tool-names.ts'
import { upstreamHistory } from '../upstream-history.ts'
import { wellFormed } from '../well-formed.ts'
import { encodeMessages } from './request-encode-messages.ts'
import { encodeSettings } from './request-encode-settings.ts'
import { encodeToolChoice, encodeTools } from './request-encode-tools.ts'

/** Writes the body of a request to an upstream that speaks OpenAI Chat Completions. */
export function encodeChatRequest(request: ConversationRequest, target: ChatTarget): EncodedRequest {
  const notes = new Notes()
  const names = shortToolNames(request.tools)
  const history = upstreamHistory(request.contents, target, 'openai-chat', names, notes)
  const { nudge, ...toolChoice } = encodeToolChoice(request, target, names, notes)
  const { max_completion_tokens: spelling, ...extra } = request.extra
  const system = nudge === undefined ? request.system : [...request.system, { text: nudge }]
  const messages = encodeMessages(history, target, notes)
  const body = {
    model: target.model,
    messages: [...encodeSystem(system, target), ...messages.messages],
    ...messages.settings,
    ...encodeTools(request, target, names, notes),
    ...toolChoice,
    ...encodeSettings(request, target, spelling !== undefined, notes),
  }
  const whole = withExtraFields(body, extra, target, notes)
  return { body: wellFormed(whole), notes: notes.all }
}

/** One message in front: most templates take a single system message, and only there. */
export function encodeSystem(system: readonly SystemText[], target: ChatTarget): JsonObject[] {
  const texts = system.filter(({ text }) => text !== '')
  if (texts.length === 0) return []
  const isMarked =
    target.cacheControl === true && texts.some(({ cacheControl }) => cacheControl !== undefined)
  const content = isMarked ? texts.map(systemPart) : texts.map(({ text }) => text).join('\n\n')
  return [{ role: 'system', content }]
}
