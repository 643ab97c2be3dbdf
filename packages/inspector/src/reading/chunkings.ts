import { createTracer } from '@dragoman/core'
import type { ChunkingReport, Input, WirePiece } from './protocol.ts'
import { optionsOf, wireOf } from './read.ts'

/** Longer than this nobody wants to wait for a proof. */
const LONGEST_MS = 3000
const RANDOM_CHUNKINGS = 500

/** Cuts the input in many ways and compares what becomes of it. */
export function tryChunkings(input: Input, now: () => number): ChunkingReport {
  const { options } = optionsOf(input.settings)
  const wire = wireOf(input)
  const end = input.settings.end === 'unknown' ? wire.end : input.settings.end
  const whole = joined(wire.pieces)
  const length = whole.reduce((sum, piece) => sum + piece.text.length, 0)
  const resultOf = (cuts: readonly number[]): string => {
    const tracer = createTracer(options)
    for (const { text, channel } of cutAt(whole, cuts)) tracer.push(text, channel)
    tracer.end(end)
    return JSON.stringify(tracer.trace())
  }
  const expected = resultOf([])
  const until = now() + LONGEST_MS
  let tried = 1
  for (const { name, cuts } of chunkingsOf(length)) {
    if (now() > until) break
    tried++
    if (resultOf(cuts) !== expected) return { tried, difference: name }
  }
  return { tried, difference: null }
}

function* chunkingsOf(length: number): Generator<{ name: string; cuts: number[] }> {
  yield { name: 'one character at a time', cuts: Array.from({ length }, (_, at) => at + 1) }
  for (let at = 1; at < Math.min(length, 2000); at++) yield { name: `in two, at ${at}`, cuts: [at] }
  let state = 1
  const random = (below: number): number => {
    // A linear congruence: the same cuts each time, so that a difference can be looked at again.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 4_294_967_296) * below)
  }
  for (let run = 1; run <= RANDOM_CHUNKINGS; run++) {
    const count = 1 + random(Math.min(40, Math.max(1, length / 3)))
    const cuts = Array.from({ length: count }, () => random(length)).toSorted((a, b) => a - b)
    yield { name: `at ${cuts.join(', ')}`, cuts }
  }
}

function joined(pieces: readonly WirePiece[]): WirePiece[] {
  const all: WirePiece[] = []
  for (const piece of pieces) {
    const last = all.at(-1)
    if (last?.channel === piece.channel) all[all.length - 1] = { ...last, text: last.text + piece.text }
    else all.push(piece)
  }
  return all
}

function cutAt(pieces: readonly WirePiece[], cuts: readonly number[]): WirePiece[] {
  const cut: WirePiece[] = []
  let start = 0
  let next = 0
  for (const piece of pieces) {
    let from = 0
    for (; next < cuts.length && (cuts[next] ?? 0) < start + piece.text.length; next++) {
      const to = (cuts[next] ?? 0) - start
      if (to > from) cut.push({ ...piece, text: piece.text.slice(from, to) })
      from = Math.max(from, to)
    }
    cut.push({ ...piece, text: piece.text.slice(from) })
    start += piece.text.length
  }
  return cut
}
