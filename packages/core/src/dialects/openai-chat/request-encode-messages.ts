import type { Content } from '../../conversation.ts'
import type { FormatId } from '../../formats/format-id.ts'
import { alternatesTurns } from '../alternate-turns.ts'
import type { JsonObject } from '../json-object.ts'
import type { Notes } from '../request-notes.ts'
import type { ChatTarget } from '../request-target.ts'
import type { UpstreamHistory } from '../upstream-history.ts'
import { encodeAssistant } from './request-encode-assistant.ts'
import { otherMessageFields } from './request-encode-other-fields.ts'
import { encodeParts, partsContent } from './request-encode-parts.ts'
import { encodeToolMessages } from './request-encode-tool-results.ts'

export interface EncodedMessages {
  readonly messages: readonly JsonObject[]
  /** Of the request, where the way the messages end asks for it. */
  readonly settings: JsonObject
}

export function encodeMessages(
  { contents, ids }: UpstreamHistory,
  target: ChatTarget,
  notes: Notes,
): EncodedMessages {
  const messages: JsonObject[] = []
  // What tools showed as images. No user message may stand between tool messages, so it waits for the last one.
  let shown: JsonObject[] = []
  for (const content of contents) {
    if (content.speaker === 'tool') {
      const results = encodeToolMessages(content, ids, target, notes)
      messages.push(...results.messages)
      shown = results.shown
      continue
    }
    if (content.speaker === 'ai') {
      if (shown.length > 0) messages.push({ role: 'user', content: shown })
      messages.push(encodeAssistant(content, ids, target, notes))
    } else {
      messages.push(userMessage(content, shown, target, notes))
    }
    shown = []
  }
  if (shown.length > 0) messages.push({ role: 'user', content: shown })
  return withPrefill(strictTurns(messages, target.format, notes), target, notes)
}

function userMessage(
  content: Content,
  shown: readonly JsonObject[],
  target: ChatTarget,
  notes: Notes,
): JsonObject {
  const parts = encodeParts(content.blocks, target, notes)
  return {
    role: 'user',
    ...otherMessageFields(content, target, notes),
    content: shown.length === 0 ? partsContent(parts) : [...shown, ...parts],
  }
}

/** Some templates raise an error unless the user begins; Mistral's also where the user speaks right after a tool. */
function strictTurns(messages: readonly JsonObject[], format: FormatId, notes: Notes): JsonObject[] {
  const strict: JsonObject[] = []
  if (alternatesTurns(format) && messages[0]?.['role'] === 'assistant') {
    notes.changed(
      'messages',
      'The conversation has to begin with the user; a short message was put in front.',
    )
    strict.push({ role: 'user', content: 'Go on.' })
  }
  for (const message of messages) {
    if (format === 'mistral' && message['role'] === 'user' && strict.at(-1)?.['role'] === 'tool') {
      notes.changed('messages', 'The model has to speak after a tool; a short message was put between.')
      strict.push({ role: 'assistant', content: 'Understood.' })
    }
    strict.push(message)
  }
  return strict
}

function withPrefill(messages: readonly JsonObject[], target: ChatTarget, notes: Notes): EncodedMessages {
  const last = messages.at(-1)
  if (last?.['role'] !== 'assistant') return { messages, settings: {} }
  const { prefill } = target
  if (prefill === 'continue_final_message') {
    return { messages, settings: { continue_final_message: true, add_generation_prompt: false } }
  }
  if (prefill !== undefined) {
    return { messages: [...messages.slice(0, -1), { ...last, [prefill]: true }], settings: {} }
  }
  notes.changed(
    'messages',
    'The last message is the beginning of an answer; the upstream may answer anew instead of going on.',
  )
  return { messages, settings: {} }
}
