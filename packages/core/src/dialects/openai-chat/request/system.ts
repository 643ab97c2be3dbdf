import type { Content } from '../../../conversation.ts'
import { templateOf } from '../../../formats/template.ts'
import { isJsonObject, type JsonObject } from '../../../json/objects.ts'
import type { SystemText } from '../../../request/conversation-request.ts'
import type { DecodedMessages } from '../../../request/decoding.ts'
import {
  originalInstructions,
  systemPart,
  systemReminder,
  withoutBillingLine,
} from '../../../request/instructions.ts'
import { type Notes, notUnderstood } from '../../../request/notes.ts'
import { cacheControlOf, originalIn } from '../../../request/original.ts'
import type { ChatTarget } from '../../../request/target.ts'
import type { ResultBlock } from '../../../request/tool-result.ts'
import { otherMessageFields } from './message-fields.ts'
import { decodeParts } from './parts.ts'

/**
 * Reads a message of instructions in front of the conversation. The original of its first text holds the other fields
 * of the message. If the message had parts, the original of each text holds its part.
 */
export function decodeSystemMessage(message: JsonObject, path: string): SystemText[] {
  const { content } = message
  const parts: readonly Part[] =
    typeof content === 'string' ? [{ text: content }] : partsOf(content, `${path}.content`)
  const [first = { text: '' }, ...rest] = parts
  const isTold = typeof content === 'string' || parts.length > 0
  const fields = Object.fromEntries(
    Object.entries(message).filter(([field]) => field !== 'content' || !isTold),
  )
  return [systemText(first, fields), ...rest.map((part) => systemText(part, undefined))]
}

/** Reads a message of instructions inside the conversation. All dialects but this one are sent it as a reminder. */
export function decodeInstructionsInside(message: JsonObject, path: string): Content {
  const texts = decodeParts(message['content'], `${path}.content`).flatMap((block) =>
    block.type === 'text' && block.text !== '' ? [block.text] : [],
  )
  const blocks = texts.length === 0 ? [] : [systemReminder(texts.join('\n\n'))]
  return { speaker: 'human', blocks, original: { dialect: 'openai-chat', value: message } }
}

/**
 * The conversation with its only system message in front, where the template takes none inside. The client meant it for
 * the whole conversation: as a reminder it would be less than that, and nothing else stands in front whose meaning or
 * cached prefix could suffer.
 */
export function soleSystemInFront(
  { system, contents }: DecodedMessages,
  target: ChatTarget,
  notes: Notes,
): DecodedMessages {
  const isStrict = target.sameDialect === true && templateOf(target.format).system === 'first'
  if (!isStrict || system.length > 0) return { system, contents }
  const [sole, ...others] = contents.filter((content) => originalInstructions(content) !== undefined)
  const message = sole === undefined ? undefined : originalInstructions(sole)
  if (sole === undefined || message === undefined || others.length > 0 || sole.blocks.length === 0) {
    return { system, contents }
  }
  notes.changed('messages', 'The only system message was put in front, where the template wants it.')
  return {
    system: decodeSystemMessage(message, 'messages'),
    contents: contents.filter((content) => content !== sole),
  }
}

interface Part {
  readonly text: string
  readonly cacheControl?: unknown
  readonly part?: JsonObject
}

function partsOf(content: unknown, path: string): Part[] {
  return decodeParts(content, path).map((block: ResultBlock) => {
    const text = block.type === 'text' ? block.text : ''
    const part = block.original?.value
    if (part === undefined) return { text }
    const cacheControl = cacheControlOf(block)
    return cacheControl === undefined ? { text, part } : { text, part, cacheControl }
  })
}

function systemText({ text, cacheControl, part }: Part, message: JsonObject | undefined): SystemText {
  const value = {
    ...(message === undefined ? {} : { message }),
    ...(part === undefined ? {} : { part }),
  }
  const marked = cacheControl === undefined ? {} : { cacheControl }
  return { text, ...marked, original: { dialect: 'openai-chat', value } }
}

/** Writes the instructions in front. Messages of a client of this dialect stay as they came; others become one. */
export function encodeSystem(system: readonly SystemText[], target: ChatTarget, notes: Notes): JsonObject[] {
  if (target.sameDialect !== true) return joined(withoutBillingLine(system, notes), target, notes)
  const messages = messagesIn(system)
  const template = templateOf(target.format)
  const isStrict = messages.length > 1 && template.system === 'first'
  if (!isStrict && template.turns === 'any') {
    return messages.flatMap((message) => asItCame(message, target, notes))
  }
  if (messages.length > 1) notes.changed('messages', 'The system messages in front became one.')
  for (const { fields } of messages) {
    if (fields === undefined) continue
    roleFor(fields, target, notes)
    notes.droppedFields(fields, 'Of a system message the upstream takes the text alone.')
  }
  return joined(system, target, notes)
}

/** A message of instructions that came in this dialect, in front or inside the conversation. */
export function systemMessage(
  fields: JsonObject,
  content: unknown,
  target: ChatTarget,
  notes: Notes,
): JsonObject {
  const role = roleFor(fields, target, notes)
  return { role, content, ...otherMessageFields(fields, target, notes) }
}

function roleFor({ role }: JsonObject, { format }: ChatTarget, notes: Notes): 'system' | 'developer' {
  if (role !== 'developer') return 'system'
  if (templateOf(format).developerRole) return role
  notes.changed(
    'messages',
    'The upstream knows no role "developer"; the message is one of the role "system".',
  )
  return 'system'
}

interface SystemMessage {
  /** The fields of the client's message; undefined if the texts came in another dialect. */
  readonly fields: JsonObject | undefined
  readonly texts: SystemText[]
}

function messagesIn(system: readonly SystemText[]): SystemMessage[] {
  const messages: SystemMessage[] = []
  for (const text of system) {
    const fields = originalIn(text, 'openai-chat')?.['message']
    const last = messages.at(-1)
    if (isJsonObject(fields)) messages.push({ fields, texts: [text] })
    else if (last === undefined) messages.push({ fields: undefined, texts: [text] })
    else last.texts.push(text)
  }
  return messages
}

function asItCame({ fields, texts }: SystemMessage, target: ChatTarget, notes: Notes): JsonObject[] {
  if (fields === undefined) return joined(texts, target, notes)
  const parts = texts.map((text) => originalIn(text, 'openai-chat')?.['part'])
  const hasParts = parts.some(isJsonObject)
  const content = hasParts ? texts.flatMap((text, at) => partOf(text, parts[at])) : textOf(texts)
  const isTold = content !== '' || !('content' in fields)
  return [systemMessage(fields, isTold ? content : fields['content'], target, notes)]
}

function partOf(text: SystemText, part: unknown): JsonObject[] {
  if (isJsonObject(part)) return [part]
  return text.text === '' ? [] : [systemPart(text)]
}

/** All texts in one message: most templates take a single system message, in front. */
function joined(system: readonly SystemText[], target: ChatTarget, notes: Notes): JsonObject[] {
  const texts = system.filter(({ text }) => text !== '')
  if (texts.length === 0) return []
  const isMarked = texts.some(({ cacheControl }) => cacheControl !== undefined)
  if (isMarked && target.cacheControl === true) return [{ role: 'system', content: texts.map(systemPart) }]
  if (isMarked) notes.dropped('cache_control', notUnderstood)
  return [{ role: 'system', content: textOf(texts) }]
}

function textOf(texts: readonly SystemText[]): string {
  return texts
    .map(({ text }) => text)
    .filter((text) => text !== '')
    .join('\n\n')
}
