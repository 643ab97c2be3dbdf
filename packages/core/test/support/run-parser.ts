import { coalesce, type ModelEvent } from '../../src/events.ts'
import { createParser } from '../../src/parser.ts'
import type { Piece } from './chunkings.ts'

export type Options = NonNullable<Parameters<typeof createParser>[0]>

export type EndReason = 'stop' | 'length' | 'tool_calls' | 'error'

/** Every event of one response, in order, as a client would see it but with neighbours joined. */
export function eventsOf(options: Options, pieces: readonly Piece[], reason?: EndReason): ModelEvent[] {
  return coalesce(rawEventsOf(options, pieces, reason))
}

export function rawEventsOf(options: Options, pieces: readonly Piece[], reason?: EndReason): ModelEvent[] {
  const parser = createParser(options)
  const events: ModelEvent[] = []
  for (const { text, channel } of pieces) {
    for (const event of parser.push(text, channel)) events.push(event)
  }
  for (const event of parser.end(reason)) events.push(event)
  return events
}

export interface Call {
  readonly id: string | null
  readonly name: string
  readonly json: string
  readonly complete: boolean
}

/** The calls of a response, each with all its deltas. A call that never ended counts as not complete. */
export function callsOf(events: readonly ModelEvent[]): Call[] {
  const calls: Call[] = []
  for (const event of events) {
    if (event.type === 'call-start') {
      calls.push({ id: event.id, name: event.name, json: '', complete: false })
      continue
    }
    const last = calls.at(-1)
    if (last === undefined) continue
    if (event.type === 'call-delta') calls[calls.length - 1] = { ...last, json: last.json + event.json }
    if (event.type === 'call-end') calls[calls.length - 1] = { ...last, complete: event.complete }
  }
  return calls
}

export function joined(events: readonly ModelEvent[], type: 'text' | 'reasoning'): string {
  return events.map((event) => (event.type === type ? event.text : '')).join('')
}
