import type { Content } from '../../../conversation.ts'
import type { SystemText } from '../../../request/conversation-request.ts'
import type { JsonObject } from '../../../json/objects.ts'
import { systemReminder } from '../../../request/instructions.ts'
import type { ResultBlock } from '../../../request/tool-result.ts'
import { cacheControlOf } from '../../../request/original.ts'
import { decodeParts } from './decode-parts.ts'

/**
 * The texts of a message of instructions in front of the conversation. For the same dialect the first of them holds
 * the other fields of the message, and each the part that it was, if the message had parts.
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

/** A message of instructions behind others: for the same dialect it is what it was, for all others a reminder. */
export function decodeInstructionsInside(message: JsonObject, path: string): Content {
  const texts = decodeParts(message['content'], `${path}.content`).flatMap((block) =>
    block.type === 'text' && block.text !== '' ? [block.text] : [],
  )
  const blocks = texts.length === 0 ? [] : [systemReminder(texts.join('\n\n'))]
  return { speaker: 'human', blocks, original: { dialect: 'openai-chat', value: message } }
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
