/** Returns numbers in [0, 1), the same ones for the same seed. */
export type Random = () => number

export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Returns a whole number from `low` to `high`, both included. */
export function wholeNumber(random: Random, low: number, high: number): number {
  return low + Math.floor(random() * (high - low + 1))
}
