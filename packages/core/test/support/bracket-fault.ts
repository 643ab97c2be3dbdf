import type { ModelEvent } from '../../src/events.ts'

/** What is wrong with the order of the events, or null. */
export function bracketFault(events: readonly ModelEvent[]): string | null {
  let next = 0
  let open: number | null = null
  for (const event of events) {
    if (event.type === 'call-start') {
      if (open !== null) return `call ${event.index} starts inside call ${open}`
      if (event.index !== next) return `call ${event.index} starts where ${next} is due`
      open = next
      next += 1
    } else if (event.type === 'call-delta' || event.type === 'call-end') {
      if (event.index !== open) return `${event.type} ${event.index} while ${open} is open`
      if (event.type === 'call-end') open = null
    } else if (open !== null && (event.type === 'text' || event.type === 'reasoning')) {
      return `${event.type} inside call ${open}`
    }
  }
  return open === null ? null : `call ${open} never ends`
}
