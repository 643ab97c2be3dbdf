import type { Content, TextBlock } from '../conversation.ts'
import type { JsonObject } from '../json/objects.ts'
import { originalIn } from './original.ts'

/**
 * Instructions in the middle of a conversation. Templates of open models refuse a system message there, and at the
 * top it would change its meaning and the cached prefix; so it stays at its place, as text of the user that says
 * what it is.
 */
export function systemReminder(text: string): TextBlock {
  return { type: 'text', text: `<system-reminder>\n${text}\n</system-reminder>` }
}

/** Why such a message is not sent as it came. */
export const becameReminder = 'A system message inside the conversation became a reminder in a user message.'

/** The message that such a reminder was, where a chat client wrote one. Some upstreams take it as it is. */
export function originalInstructions(content: Content): JsonObject | undefined {
  const message = originalIn(content, 'openai-chat')
  const role = message?.['role']
  return role === 'system' || role === 'developer' ? message : undefined
}
