import type { Content, TextBlock } from '../conversation.ts'
import type { JsonObject } from '../json/objects.ts'
import type { SystemText } from './conversation-request.ts'
import type { Notes } from './notes.ts'

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

/** The message that such a reminder was, where the client's dialect has one. Some upstreams take it as it is. */
export function originalInstructions({ original }: Content): JsonObject | undefined {
  const role = original?.value['role']
  return role === 'system' || role === 'developer' ? original?.value : undefined
}

/**
 * The instructions without the line that Claude Code puts in front of them for Anthropic: it changes with each request,
 * so that no other upstream could cache the prompt behind it.
 */
export function withoutBillingLine(system: readonly SystemText[], notes: Notes): readonly SystemText[] {
  if (!system.some(({ text }) => text.startsWith(billingHeader))) return system
  return system.flatMap((instructions, at) => {
    const { text, original: _, ...rest } = instructions
    if (!text.startsWith(billingHeader)) return [instructions]
    notes.dropped(
      `system[${at}]`,
      'Its first line changes with each request: no upstream could cache the prompt.',
    )
    const end = text.indexOf('\n')
    return end === -1 ? [] : [{ ...rest, text: text.slice(end + 1) }]
  })
}

const billingHeader = 'x-anthropic-billing-header:'

/** Instructions as a block of text with its cache mark: both dialects write it so. */
export function systemPart({ text, cacheControl }: SystemText): JsonObject {
  return cacheControl === undefined
    ? { type: 'text', text }
    : { type: 'text', text, cache_control: cacheControl }
}
