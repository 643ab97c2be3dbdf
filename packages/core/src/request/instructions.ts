import type { Content, TextBlock } from '../conversation.ts'
import type { JsonObject } from '../json/objects.ts'
import type { SystemText } from './conversation-request.ts'
import type { Notes } from './notes.ts'

/**
 * Instructions in the middle of a conversation. Templates of open models refuse a system message there; moved to the
 * top, it would mean something else and spoil the cached prefix. So the text stays at its place, as text of the user
 * in a tag that says what it is.
 */
export function systemReminder(text: string): TextBlock {
  return { type: 'text', text: `<system-reminder>\n${text}\n</system-reminder>` }
}

/** The note on a system message that became a reminder. */
export const becameReminder = 'A system message inside the conversation became a reminder in a user message.'

/** The client's own system message that a reminder stands for. Some upstreams take it at its place. */
export function originalInstructions({ original }: Content): JsonObject | undefined {
  const role = original?.value['role']
  return role === 'system' || role === 'developer' ? original?.value : undefined
}

/**
 * The instructions without the line that Claude Code puts in front of them for Anthropic. The line changes with each
 * request: no other upstream could cache the prompt that follows it.
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

/** One text of the instructions as a block with its cache mark. Both dialects write it in this shape. */
export function systemPart({ text, cacheControl }: SystemText): JsonObject {
  return cacheControl === undefined
    ? { type: 'text', text }
    : { type: 'text', text, cache_control: cacheControl }
}
