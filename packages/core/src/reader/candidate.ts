import type { ModelEvent, Sink } from '../events.ts'
import { EventCollector } from '../events.ts'
import type { Recording } from '../text/input.ts'
import type { Opening } from './opening.ts'

/**
 * Text that may be a call, held until it is certain: in reasoning until what follows is known,
 * in salvage until the call is whole, in a code fence until the fence closes.
 */
export interface Candidate {
  readonly kind: 'reasoning' | 'salvage' | 'fenced'
  readonly opening: Opening
  /** Its source, which goes back to being text if it is no call. */
  readonly recording: Recording
  /** What the engine wrote, to be sent on if it is one. */
  readonly collector: EventCollector
  /** How many calls there were before it. */
  readonly madeBefore: number
  /** Length of the backtick run around it, if there is one. */
  readonly fence: number
}

/** Longer candidates are let go as text: whoever reads along must not wait for ever. */
export const LONGEST_CANDIDATE = 65_536

/** Whether everything in it is a whole call of a tool that `isDeclared`. */
export function isCertain(
  candidate: Candidate,
  events: readonly ModelEvent[],
  isDeclared: (name: string) => boolean,
): boolean {
  let complete = 0
  for (const event of events) {
    if (event.type === 'call-start' && !isDeclared(event.name)) return false
    if (event.type === 'call-end') {
      if (!event.complete) return false
      complete++
    }
    if (event.type === 'text') return false
    if (event.type === 'problem' && candidate.kind !== 'reasoning' && event.code === 'unclosed-call') return false
  }
  return complete > 0
}

export function replay(events: readonly ModelEvent[], sink: Sink): void {
  for (const event of events) {
    switch (event.type) {
      case 'text':
        sink.text(event.text)
        break
      case 'reasoning':
        sink.reasoning(event.text)
        break
      case 'call-start':
        sink.callStart(event.index, event.id, event.name)
        break
      case 'call-delta':
        sink.callDelta(event.index, event.json)
        break
      case 'call-end':
        sink.callEnd(event.index, event.complete)
        break
      case 'problem':
        sink.problem(event.code, event.message, event.source)
        break
      case 'repair':
        sink.repair(event.code, event.message)
    }
  }
}
