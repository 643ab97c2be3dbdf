import type { Content } from '../../conversation.ts'
import type { SystemText } from '../conversation-request.ts'
import { otherFields, requiredObject } from '../field-readers.ts'
import { withToolNames } from '../history-repair.ts'
import { InvalidField } from '../invalid-field.ts'
import type { JsonObject } from '../json-object.ts'
import type { Notes } from '../request-notes.ts'
import { systemReminder } from '../system-reminder.ts'
import { cacheControlOf, withWritten } from '../written-form.ts'
import { decodeAssistant } from './request-decode-assistant.ts'
import { decodeParts } from './request-decode-parts.ts'
import { decodeToolMessage } from './request-decode-tool-message.ts'
import { withReasoningSources } from './reasoning-sources.ts'

export interface DecodedMessages {
  readonly system: readonly SystemText[]
  readonly contents: readonly Content[]
}

export function decodeMessages(messages: unknown, notes: Notes): DecodedMessages {
  if (!Array.isArray(messages) || messages.length === 0) {
    throw new InvalidField('messages', 'messages: must be an array of at least one message')
  }
  const system: SystemText[] = []
  const contents: Content[] = []
  for (const [at, value] of messages.entries()) {
    const path = `messages[${at}]`
    const message = requiredObject(value, path)
    switch (message['role']) {
      case 'system':
      case 'developer': {
        const texts = systemTexts(message, path)
        noteOtherFields(message, path, notes)
        if (contents.length === 0) {
          system.push(...texts)
        } else if (texts.length > 0) {
          notes.changed(path, 'A system message inside the conversation became a reminder in a user message.')
          const reminder = systemReminder(texts.map(({ text }) => text).join('\n\n'))
          contents.push({ speaker: 'human', blocks: [reminder] })
        }
        break
      }
      case 'user':
        contents.push(
          withOtherFields(
            { speaker: 'human', blocks: decodeParts(message['content'], `${path}.content`) },
            message,
          ),
        )
        break
      case 'assistant':
        contents.push(
          withOtherFields({ speaker: 'ai', blocks: decodeAssistant(message, path, notes) }, message),
        )
        if ('annotations' in message)
          notes.dropped('messages.annotations', 'Upstreams give it out and refuse it.')
        break
      case 'tool':
      case 'function':
        contents.push({ speaker: 'tool', blocks: [decodeToolMessage(message, path)] })
        break
      default:
        throw new InvalidField(
          `${path}.role`,
          `${path}.role: must be "system", "developer", "user", "assistant" or "tool"`,
        )
    }
  }
  const said = contents.filter(({ blocks }) => blocks.length > 0)
  if (said.length === 0 && system.length === 0) {
    throw new InvalidField('messages', 'messages: no message has any content')
  }
  return { system, contents: withReasoningSources(withToolNames(said, notes)) }
}

function systemTexts(message: JsonObject, path: string): SystemText[] {
  return decodeParts(message['content'], `${path}.content`).flatMap((block) => {
    if (block.type !== 'text' || block.text === '') return []
    const cacheControl = cacheControlOf(block)
    return [cacheControl === undefined ? { text: block.text } : { text: block.text, cacheControl }]
  })
}

const messageFields = new Set([
  'role',
  'content',
  'refusal',
  'tool_calls',
  'function_call',
  'tool_call_id',
  'reasoning_content',
  'reasoning',
  'reasoning_text',
  'reasoning_details',
  'annotations',
])

/** What else the message says, for an upstream of the same dialect: the name of a user, a vendor's own fields. */
function withOtherFields(content: Content, message: JsonObject): Content {
  const others = otherFields(message, messageFields)
  return Object.keys(others).length === 0 ? content : withWritten(content, 'openai-chat', others)
}

function noteOtherFields(message: JsonObject, path: string, notes: Notes): void {
  for (const field of Object.keys(otherFields(message, messageFields))) {
    notes.dropped(`${path}.${field}`, 'It has no place in the history.')
  }
}
