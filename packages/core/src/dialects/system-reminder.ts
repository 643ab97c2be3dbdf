import type { TextBlock } from '../conversation.ts'

/**
 * Instructions in the middle of a conversation. Templates of open models refuse a system message there, and at the
 * top it would change its meaning and the cached prefix; so it stays at its place, as text of the user that says
 * what it is.
 */
export function systemReminder(text: string): TextBlock {
  return { type: 'text', text: `<system-reminder>\n${text}\n</system-reminder>` }
}
