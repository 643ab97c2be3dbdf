import type { StageChunk } from '../api.ts'

/** A chunk on its way: when it came, and after what silence. */
export interface Arrival {
  readonly lane: 'upstream' | 'client'
  /** Its number in its lane. */
  readonly index: number
  readonly at: number
  /** Since the chunk before it in the same lane, or since the request. */
  readonly gap: number
  readonly bytes: number
}

/** Both lanes in the order of time. Empty where no times are known. */
export function arrivalsOf(upstream: readonly StageChunk[], client: readonly StageChunk[]): Arrival[] {
  const [ins, outs] = [laneOf(upstream, 'upstream'), laneOf(client, 'client')]
  const all: Arrival[] = []
  let next = 0
  for (const arrival of ins) {
    // What came in stands before what went out at the same time.
    for (let out = outs[next]; out !== undefined && out.at < arrival.at; out = outs[++next]) all.push(out)
    all.push(arrival)
  }
  for (; next < outs.length; next++) {
    const out = outs[next]
    if (out !== undefined) all.push(out)
  }
  return all
}

/** Whether a chunk is nothing but a sign that the other side is still there. */
export function isPing(text: string): boolean {
  return /^(?::[^\n]*\n+|event: ping\n.*\n+)+$/.test(text)
}

function laneOf(chunks: readonly StageChunk[], lane: Arrival['lane']): Arrival[] {
  const arrivals: Arrival[] = []
  let before = 0
  for (const [index, { at, text }] of chunks.entries()) {
    if (at === null) continue
    arrivals.push({ lane, index, at, gap: at - before, bytes: byteLength(text) })
    before = at
  }
  return arrivals
}

/** In UTF-8. */
function byteLength(text: string): number {
  let bytes = text.length
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 0x80) continue
    // Each half of a pair counts two, which makes four for the character.
    bytes += code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 1 : 2
  }
  return bytes
}
