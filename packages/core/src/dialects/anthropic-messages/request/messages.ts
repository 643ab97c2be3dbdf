import type { Block, Content } from '../../../conversation.ts'
import { anyText, hasOnly, InvalidField, requiredObject } from '../../../json/fields.ts'
import { isJsonObject, type JsonObject } from '../../../json/objects.ts'
import type { SystemText, Tool } from '../../../request/conversation-request.ts'
import { type DecodedMessages, nothingSaid, requiredMessages } from '../../../request/decoding.ts'
import { shortBeginning, withToolNames } from '../../../request/history-repair.ts'
import {
  becameReminder,
  systemPart,
  systemReminder,
  withoutBillingLine,
} from '../../../request/instructions.ts'
import { type Notes, notUnderstood } from '../../../request/notes.ts'
import { originalElsewhere, originalFor, originalIn, withOriginal } from '../../../request/original.ts'
import { mayCheckSignatures } from '../../../request/reasoning-policy.ts'
import type { AnthropicTarget } from '../../../request/target.ts'
import type { UpstreamHistory } from '../../../request/upstream-history.ts'
import type { MessageCodec } from '../../dialect.ts'
import { BlockDecoder, BlockEncoder } from './blocks.ts'
import { messagePlaces } from './places.ts'

/** The messages of Anthropic's dialect, with the instructions beside them. */
export const anthropicMessages: MessageCodec = {
  id: 'anthropic-messages',
  reasoning: 'signed',
  inARow: 'join',
  idPrefix: 'toolu_',
  places: messagePlaces,
  decode({ messages, system }, notes) {
    const front = withoutBillingLine(systemTexts(system, 'system'), notes)
    const decoded = decodeMessages(messages, [], notes)
    return { system: [...front, ...decoded.system], contents: decoded.contents }
  },
  encode(system, history, target, notes) {
    const front = encodeSystem(system, target, notes)
    return { ...front, messages: encodeMessages(history, target, notes) }
  },
}

export function decodeMessages(messages: unknown, tools: readonly Tool[], notes: Notes): DecodedMessages {
  const decoder = new BlockDecoder(tools, notes)
  const system: SystemText[] = []
  const contents: Content[] = []
  for (const [at, value] of requiredMessages(messages).entries()) {
    const path = `messages[${at}]`
    const message = requiredObject(value, path)
    const content = message['content']
    switch (message['role']) {
      case 'user':
        contents.push(...userContents(decoder.decodeAll(content, 'user', `${path}.content`), message))
        break
      case 'assistant':
        contents.push(
          messageContent('ai', decoder.decodeAll(content, 'assistant', `${path}.content`), message),
        )
        break
      case 'system':
      case 'developer': {
        const texts = systemTexts(content, `${path}.content`).filter(({ text }) => text !== '')
        if (contents.length === 0) {
          system.push(...texts)
        } else if (texts.length > 0) {
          notes.changed(path, becameReminder)
          const reminder = systemReminder(texts.map(({ text }) => text).join('\n\n'))
          contents.push({ speaker: 'human', blocks: [reminder] })
        }
        break
      }
      default:
        throw new InvalidField(`${path}.role`, 'must be "user", "assistant" or "system"')
    }
  }
  if (contents.every(({ blocks }) => blocks.length === 0)) throw nothingSaid()
  const said = contents.filter((content) => content.blocks.length > 0 || 'original' in content)
  return { system, contents: withToolNames(said, notes) }
}

/** The results of a message come first, because nothing may stand between a call and its result. */
function userContents(blocks: readonly Block[], message: JsonObject): Content[] {
  const results = blocks.filter(({ type }) => type === 'tool_response')
  if (results.length === 0) return [messageContent('human', blocks, message)]
  const spoken = messageContent(
    'human',
    blocks.filter(({ type }) => type !== 'tool_response'),
    message,
  )
  const isSilent = spoken.blocks.length === 0 && spoken.original === undefined
  return [{ speaker: 'tool', blocks: results }, ...(isSilent ? [] : [spoken])]
}

/** The fields beside role and content are kept, for an upstream of the same dialect. */
function messageContent(speaker: 'human' | 'ai', blocks: readonly Block[], message: JsonObject): Content {
  if (hasOnly(message, messageFields)) return { speaker, blocks }
  const others = Object.entries(message).filter(([field]) => !messageFields.has(field))
  return { speaker, blocks, original: { dialect: 'anthropic-messages', value: Object.fromEntries(others) } }
}

const messageFields = new Set(['role', 'content'])

/** Reads instructions, which are a text or blocks of text. The content of a system message has the same form. */
export function systemTexts(content: unknown, field: string): SystemText[] {
  if (content === undefined || content === null) return []
  if (typeof content === 'string') return [{ text: content }]
  if (!Array.isArray(content)) {
    throw new InvalidField(field, 'must be a string or an array of text blocks')
  }
  return content.map((block: unknown, at) => {
    const text = anyText(isJsonObject(block) ? block['text'] : block, `${field}[${at}].text`)
    if (!isJsonObject(block)) return { text }
    const cacheControl = block['cache_control'] ?? undefined
    const marked = cacheControl === undefined ? { text } : { text, cacheControl }
    return withOriginal(marked, 'anthropic-messages', block)
  })
}

/** Instructions are sent as a text, unless the client sent blocks or there are several texts. */
export function encodeSystem(
  system: readonly SystemText[],
  target: AnthropicTarget,
  notes: Notes,
): { system?: unknown } {
  for (const text of system) {
    const message = originalElsewhere(text, 'anthropic-messages')?.['message']
    if (isJsonObject(message)) notes.droppedFields(message, 'Instructions have no such field here.')
  }
  // Anthropic itself reads the billing line. A server of open models that speaks its dialect does not.
  const isAnthropic = mayCheckSignatures(target)
  const { billingLine = isAnthropic ? 'keep' : 'remove' } = target
  const instructions = billingLine === 'keep' ? system : withoutBillingLine(system, notes)
  const texts = instructions.filter(({ text }) => text !== '')
  const [first] = texts
  if (first === undefined) return {}
  const ownBlock = (text: SystemText): JsonObject | undefined =>
    originalFor(target, text, 'anthropic-messages')
  const isPlain = texts.length === 1 && first.cacheControl === undefined && ownBlock(first) === undefined
  return { system: isPlain ? first.text : texts.map((text) => ownBlock(text) ?? systemPart(text)) }
}

/** Puts results and what the user says next into one message: no two messages of one role may stand in a row. */
export function encodeMessages(
  { contents, ids }: UpstreamHistory,
  target: AnthropicTarget,
  notes: Notes,
): JsonObject[] {
  const encoder = new BlockEncoder(ids, target, notes)
  const messages: OpenMessage[] = []
  if (contents[0]?.speaker !== 'human') {
    messages.push({ ...shortBeginning(notes), fields: [] })
  }
  for (const content of target.redactedThinking === false ? withoutRedacted(contents, notes) : contents) {
    noteResultFields(content, notes)
    const role = content.speaker === 'ai' ? 'assistant' : 'user'
    const fields = otherFields(content, target, notes)
    const last = messages.at(-1)
    if (last?.role === role) {
      last.content = [...blocksOf(last), ...encoder.encodeAll(content)]
      last.fields.push(...fields)
    } else if (content.blocks.length > 0) {
      messages.push({ role, content: plainText(content, target) ?? encoder.encodeAll(content), fields })
    }
  }
  return messages.map(closed)
}

function withoutRedacted(contents: readonly Content[], notes: Notes): Content[] {
  return contents.map((content) => {
    const blocks = content.blocks.filter((block) => !isRedacted(block))
    if (blocks.length === content.blocks.length) return content
    notes.dropped('messages', 'The upstream refuses reasoning that only its writer can read.')
    return { ...content, blocks }
  })
}

function isRedacted(block: Block): boolean {
  return (
    block.type === 'thinking' && originalIn(block, 'anthropic-messages')?.['type'] === 'redacted_thinking'
  )
}

interface OpenMessage {
  readonly role: 'user' | 'assistant'
  content: string | JsonObject[]
  readonly fields: [field: string, value: unknown][]
}

function blocksOf({ content }: OpenMessage): JsonObject[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

function closed({ role, content, fields }: OpenMessage): JsonObject {
  return fields.length === 0 ? { role, content } : { role, content, ...Object.fromEntries(fields) }
}

/** The text, if the content is one text and the client did not send it in a block. */
function plainText({ blocks }: Content, target: AnthropicTarget): string | undefined {
  const [only] = blocks
  if (blocks.length !== 1 || only?.type !== 'text') return undefined
  return originalFor(target, only, 'anthropic-messages') === undefined ? only.text : undefined
}

/** The fields that the client's message had beside role and content, as far as they are allowed. */
function otherFields(
  content: Content,
  { allowedFields }: AnthropicTarget,
  notes: Notes,
): [field: string, value: unknown][] {
  return Object.entries(originalIn(content, 'anthropic-messages') ?? {}).filter(([field]) => {
    const isAllowed = allowedFields?.includes(field) !== false
    if (!isAllowed) notes.dropped(`messages.${field}`, notUnderstood)
    return isAllowed
  })
}

/**
 * In another dialect a result may be a message or an item with fields of its own.
 */
function noteResultFields({ speaker, blocks }: Content, notes: Notes): void {
  if (speaker !== 'tool') return
  for (const block of blocks) {
    for (const field of Object.keys(originalElsewhere(block, 'anthropic-messages') ?? {})) {
      if (!toldFields.has(field)) notes.dropped(`messages.${field}`, 'It has no place in the history.')
    }
  }
}

/** What these say is in the block, or says nothing to a model. */
const toldFields = new Set(['name', 'type', 'id', 'call_id', 'output', 'status', 'functionResponse'])
