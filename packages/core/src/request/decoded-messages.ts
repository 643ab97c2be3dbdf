import type { Content } from '../conversation.ts'
import type { SystemText } from './conversation-request.ts'
import { InvalidField } from '../json/fields.ts'

/** The messages of a request, of whatever dialect. */
export interface DecodedMessages {
  /** Of system messages in front of everything else. */
  readonly system: readonly SystemText[]
  readonly contents: readonly Content[]
}

export function requiredMessages(messages: unknown): readonly unknown[] {
  if (Array.isArray(messages) && messages.length > 0) return messages
  throw new InvalidField('messages', 'must be an array of at least one message')
}

export function nothingSaid(): InvalidField {
  return new InvalidField('messages', 'no message has any content')
}
