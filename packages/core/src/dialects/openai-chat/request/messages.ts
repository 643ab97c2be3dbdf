import type { Block, Content } from '../../../conversation.ts'
import type { FormatId } from '../../../formats/format-id.ts'
import { templateOf } from '../../../formats/template.ts'
import { InvalidField, requiredObject } from '../../../json/fields.ts'
import type { JsonObject } from '../../../json/objects.ts'
import type { SystemText } from '../../../request/conversation-request.ts'
import { type DecodedMessages, nothingSaid, requiredMessages } from '../../../request/decoding.ts'
import { shortBeginning, withToolNames } from '../../../request/history-repair.ts'
import { originalInstructions } from '../../../request/instructions.ts'
import type { Notes } from '../../../request/notes.ts'
import { originalFor } from '../../../request/original.ts'
import type { ChatTarget } from '../../../request/target.ts'
import type { UpstreamHistory } from '../../../request/upstream-history.ts'
import type { MessageCodec } from '../../dialect.ts'
import { decodeAssistant, encodeAssistant } from './assistant.ts'
import { messageContent, otherMessageFields } from './message-fields.ts'
import { decodeParts, encodeParts, partsContent } from './parts.ts'
import { chatPlaces } from './places.ts'
import { withReasoningSources } from './reasoning.ts'
import { decodeToolMessage, encodeToolMessages } from './results.ts'
import { decodeInstructionsInside, decodeSystemMessage, encodeSystem, systemMessage } from './system.ts'

/** The messages of OpenAI Chat Completions, the instructions among them. */
export const chatMessages: MessageCodec = {
  id: 'openai-chat',
  reasoning: 'unsigned',
  inARow: 'keep',
  idPrefix: 'call_',
  places: chatPlaces,
  decode: ({ messages }, notes) => decodeMessages(messages, notes),
  encode(system, history, target, notes) {
    const front = encodeSystem(system, target, notes)
    return { messages: [...front, ...encodeMessages(history, target, notes).messages] }
  },
}

export function decodeMessages(messages: unknown, notes: Notes): DecodedMessages {
  const system: SystemText[] = []
  const contents: Content[] = []
  for (const [at, value] of requiredMessages(messages).entries()) {
    const path = `messages[${at}]`
    const message = requiredObject(value, path)
    switch (message['role']) {
      case 'system':
      case 'developer':
        if (contents.length === 0) system.push(...decodeSystemMessage(message, path))
        else contents.push(decodeInstructionsInside(message, path))
        break
      case 'user': {
        const blocks = decodeParts(message['content'], `${path}.content`)
        contents.push(messageContent('human', blocks, message, blocks.length > 0))
        break
      }
      case 'assistant':
        contents.push(decodeAssistant(message, path, notes))
        break
      case 'tool':
      case 'function':
        contents.push({ speaker: 'tool', blocks: [decodeToolMessage(message, path)] })
        break
      default:
        throw new InvalidField(`${path}.role`, 'must be "system", "developer", "user", "assistant" or "tool"')
    }
  }
  const isSaid = contents.some(({ blocks }) => blocks.some(saysAnything))
  if (!isSaid && system.every(({ text }) => text === '')) throw nothingSaid()
  return { system, contents: withReasoningSources(withToolNames(contents, notes)) }
}

/** A part that only this dialect understands has an empty text here. It counts as content all the same. */
function saysAnything(block: Block): boolean {
  return block.type !== 'text' || block.text !== '' || block.original?.value['type'] !== 'text'
}

export interface EncodedMessages {
  readonly messages: readonly JsonObject[]
  /** Fields of the request, by which the upstream is told to go on with the last message. */
  readonly settings: JsonObject
}

export function encodeMessages(
  { contents, ids }: UpstreamHistory,
  target: ChatTarget,
  notes: Notes,
): EncodedMessages {
  const messages: JsonObject[] = []
  // Images in results go into a user message. None may stand between tool messages, so the images wait for the last.
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
