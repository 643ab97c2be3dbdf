import type { Block, Content } from '../../../conversation.ts'
import type { SystemText, Tool } from '../../../request/conversation-request.ts'
import { nothingSaid, requiredMessages, type DecodedMessages } from '../../../request/decoding.ts'
import { hasOnly, InvalidField, requiredObject } from '../../../json/fields.ts'
import { withToolNames } from '../../../request/history-repair.ts'
import type { JsonObject } from '../../../json/objects.ts'
import type { Notes } from '../../../request/notes.ts'
import { becameReminder, systemReminder } from '../../../request/instructions.ts'
import { BlockDecoder } from './decode-blocks.ts'
import { systemTexts } from './decode-system.ts'

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

/** Results first: nothing may stand between a call and its result. */
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

/** With what else the message says, for an upstream of the same dialect. */
function messageContent(speaker: 'human' | 'ai', blocks: readonly Block[], message: JsonObject): Content {
  if (hasOnly(message, messageFields)) return { speaker, blocks }
  const others = Object.entries(message).filter(([field]) => !messageFields.has(field))
  return { speaker, blocks, original: { dialect: 'anthropic-messages', value: Object.fromEntries(others) } }
}

const messageFields = new Set(['role', 'content'])
