import type { Block, Content } from '../../../conversation.ts'
import type { SystemText } from '../../../request/conversation-request.ts'
import { nothingSaid, requiredMessages, type DecodedMessages } from '../../../request/decoding.ts'
import { InvalidField, requiredObject } from '../../../json/fields.ts'
import { withToolNames } from '../../../request/history-repair.ts'
import type { Notes } from '../../../request/notes.ts'
import { decodeAssistant } from './decode-assistant.ts'
import { messageContent } from './decode-other-fields.ts'
import { decodeParts } from './decode-parts.ts'
import { decodeInstructionsInside, decodeSystemMessage } from './decode-system.ts'
import { decodeToolMessage } from './decode-tool-message.ts'
import { withReasoningSources } from './reasoning-sources.ts'

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

/** A part that only this dialect understands has no text here, and says something all the same. */
function saysAnything(block: Block): boolean {
  return block.type !== 'text' || block.text !== '' || block.original?.value['type'] !== 'text'
}
