import type { StageChunk } from '../api.ts'
import type { Reading } from '../reading/protocol.ts'
import { oneLine } from './visible.ts'

/** A chunk on its way: when it came, after what silence, and what it brought. */
export interface Arrival {
  readonly lane: 'upstream' | 'client'
  /** Its number in its lane. */
  readonly index: number
  readonly at: number
  /** Since the chunk before it in the same lane, or since the request. */
  readonly gap: number
  readonly bytes: number
  /** Nothing but a sign that the other side is still there. */
  readonly isPing: boolean
  /** The text of the model in it, or else its bytes. */
  readonly preview: string
  readonly isText: boolean
}

/** Both lanes in the order of time. Empty where no times are known. */
export function arrivalsOf(upstream: Lane, client: Lane): Arrival[] {
  const all = [...laneOf(upstream, 'upstream'), ...laneOf(client, 'client')]
  return all.toSorted(
    (a, b) => a.at - b.at || (a.lane === b.lane ? a.index - b.index : a.lane === 'upstream' ? -1 : 1),
  )
}

/** The chunks of one side, and what they say. */
export interface Lane {
  readonly chunks: readonly StageChunk[]
  readonly reading: Reading
}

function laneOf({ chunks, reading }: Lane, lane: Arrival['lane']): Arrival[] {
  const encoder = new TextEncoder()
  const texts = textsOf(reading)
  const arrivals: Arrival[] = []
  let before = 0
  for (const [index, { at, text }] of chunks.entries()) {
    if (at === null) continue
    arrivals.push({
      lane,
      index,
      at,
      gap: at - before,
      bytes: encoder.encode(text).length,
      isPing: /^(?::[^\n]*\n+|event: ping\n.*\n+)+$/.test(text),
      preview: oneLine(texts.get(index) ?? text.slice(0, 200), 120),
      isText: texts.has(index),
    })
    before = at
  }
  return arrivals
}

/** The text of the model that each chunk brought. */
function textsOf({ arrivals, text }: Reading): Map<number, string> {
  const texts = new Map<number, string>()
  for (const [index, { from, chunk }] of arrivals.entries()) {
    const to = arrivals[index + 1]?.from ?? text.length
    texts.set(chunk, (texts.get(chunk) ?? '') + text.slice(from, to))
  }
  return texts
}

/** The chunk that the client got for what came at this time: the first that is not earlier. */
export function chunkAfter(chunks: readonly StageChunk[], at: number): number | null {
  const found = chunks.findIndex((chunk) => chunk.at !== null && chunk.at >= at)
  return found < 0 ? null : found
}
