import type { SystemText } from './conversation-request.ts'
import type { Notes } from './notes.ts'

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
