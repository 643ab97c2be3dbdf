import type { Content } from '../../../conversation.ts'
import type { FormatId } from '../../../formats/format-id.ts'
import { templateOf } from '../../../formats/template.ts'
import type { JsonObject } from '../../../json/objects.ts'
import type { Notes } from '../../../request/notes.ts'
import type { ChatTarget } from '../../../request/target.ts'
import { shortBeginning } from '../../../request/history-repair.ts'
import { originalInstructions } from '../../../request/instructions.ts'
import type { UpstreamHistory } from '../../../request/upstream-history.ts'
import { originalFor } from '../../../request/original.ts'
import { encodeAssistant } from './encode-assistant.ts'
import { otherMessageFields } from './encode-other-fields.ts'
import { encodeParts, partsContent } from './encode-parts.ts'
import { systemMessage } from './encode-system.ts'
import { encodeToolMessages } from './encode-tool-results.ts'

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
    const instructions = originalInstructions(content)
    if (content.speaker === 'ai' || instructions !== undefined) {
      if (shown.length > 0) messages.push({ role: 'user', content: shown })
      messages.push(
        instructions === undefined
          ? encodeAssistant(content, ids, target, notes)
          : systemMessage(instructions, instructions['content'], target, notes),
      )
    } else {
      messages.push(userMessage(content, shown, target, notes))
    }
    shown = []
  }
  if (shown.length > 0) messages.push({ role: 'user', content: shown })
  return withPrefill(strictTurns(messages, target.format, notes), target, notes)
}

function userMessage(
  message: Content,
  shown: readonly JsonObject[],
  target: ChatTarget,
  notes: Notes,
): JsonObject {
  const fields = originalFor(target, message, 'openai-chat')
  const parts = encodeParts(message.blocks, target, notes)
  const content =
    shown.length > 0
      ? [...shown, ...parts]
      : parts.length === 0 && fields !== undefined
        ? fields['content']
        : partsContent(parts, message.blocks, target)
  if (fields === undefined) return { role: 'user', content }
  return { role: 'user', content, ...otherMessageFields(fields, target, notes) }
}

function strictTurns(messages: readonly JsonObject[], format: FormatId, notes: Notes): JsonObject[] {
  const { turns, afterTool } = templateOf(format)
  const strict: JsonObject[] = []
  if (turns === 'alternate' && messages[0]?.['role'] === 'assistant') {
    strict.push(shortBeginning(notes))
  }
  for (const message of messages) {
    if (afterTool === 'model' && message['role'] === 'user' && strict.at(-1)?.['role'] === 'tool') {
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
