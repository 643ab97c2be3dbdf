/** A piece of a model's output and the field of the upstream's answer that it came in. */
export interface Piece {
  readonly text: string
  readonly channel: Channel
}

export type Channel = 'content' | 'reasoning'

/** Neighbouring pieces of one channel joined: the fewest pushes that say the same. */
export function whole(pieces: readonly Piece[]): Piece[] {
  const joined: Piece[] = []
  for (const piece of pieces) {
    const last = joined.at(-1)
    if (last?.channel === piece.channel) {
      joined[joined.length - 1] = { text: last.text + piece.text, channel: last.channel }
    } else {
      joined.push(piece)
    }
  }
  return joined
}

/** UTF-16 unit by unit: a surrogate pair is cut in two, as some servers do. */
export function unitByUnit(pieces: readonly Piece[]): Piece[] {
  return pieces.flatMap(({ text, channel }) => text.split('').map((unit) => ({ text: unit, channel })))
}

/** The pieces cut at each of the given offsets, counted over all of them. Offsets may repeat or lie outside. */
export function cutAt(pieces: readonly Piece[], offsets: readonly number[]): Piece[] {
  const sorted = offsets.toSorted((a, b) => a - b)
  const cut: Piece[] = []
  let start = 0
  for (const { text, channel } of pieces) {
    let from = 0
    for (const offset of sorted) {
      const to = offset - start
      if (to <= from || to >= text.length) continue
      cut.push({ text: text.slice(from, to), channel })
      from = to
    }
    cut.push({ text: text.slice(from), channel })
    start += text.length
  }
  return cut
}

export function lengthOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, piece) => sum + piece.text.length, 0)
}

/** The same offsets for the same seed, on every machine. Short inputs get few cuts, long ones up to forty. */
export function seededOffsets(length: number, seed: number): number[] {
  const random = mulberry32(seed)
  const count = 1 + Math.floor(random() * Math.min(40, Math.max(1, length / 3)))
  return Array.from({ length: count }, () => Math.floor(random() * length))
}

function mulberry32(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
