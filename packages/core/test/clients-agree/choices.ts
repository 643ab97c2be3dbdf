import * as fc from 'fast-check'

/** The usual value, or now and then another. */
export function rarely<T, U>(usual: T, other: fc.Arbitrary<U>): fc.Arbitrary<T | U> {
  return fc.oneof(toFirst, { weight: 9, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: other })
}

/** For a choice: shrinking ends with the first. */
export const toFirst = { withCrossShrink: true }

/** From 0 to just under 1, evenly. */
export function fraction(): fc.Arbitrary<number> {
  return fc.noBias(fc.nat({ max: 9999 })).map((part) => part / 10_000)
}

/** A text in the pieces of a stream, none of them empty. */
export function cutText(text: fc.Arbitrary<string>): fc.Arbitrary<string[]> {
  return fc.tuple(text, fc.array(fraction(), { maxLength: 3, size: 'max' })).map(([whole, cuts]) => {
    const at = [
      0,
      ...cuts.map((cut) => Math.floor(cut * whole.length)).toSorted((a, b) => a - b),
      whole.length,
    ]
    return at
      .slice(1)
      .map((end, n) => whole.slice(at[n], end))
      .filter((piece) => piece !== '')
  })
}
