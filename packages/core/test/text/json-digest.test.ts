import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JsonDigest } from '../../src/text/json-digest.ts'

function digest(...pieces: readonly string[]): string {
  const made = new JsonDigest()
  for (const piece of pieces) made.push(piece)
  return made.value
}

describe('the digest of a JSON text', () => {
  it.each([
    ['white space', '{"a":[1,2]}', ' { "a" :\n[ 1 ,2 ] } '],
    ['the order of keys', '{"a":1,"b":{"c":2,"d":3}}', '{"b":{"d":3,"c":2},"a":1}'],
    ['the spelling of numbers', '[1,100,0.5]', '[1.0,1e2,5e-1]'],
    ['escapes', String.raw`"A\n\u0041\/"`, String.raw`"\u0041\u000aA/"`],
  ])('does not see %s', (_what, one, other) => {
    expect(digest(one)).toBe(digest(other))
  })

  it.each([
    ['the order of items', '[1,2]', '[2,1]'],
    ['where a value stands', '{"a":{"b":1}}', '{"a":1,"b":{}}'],
    ['which value a key has', '{"a":1,"b":2}', '{"a":2,"b":1}'],
    ['a number from its text', '{"a":1}', '{"a":"1"}'],
    ['a word from its text', '[null]', '["null"]'],
    ['an empty object from an empty list', '{}', '[]'],
    ['a key from a value', '{"a":"b"}', '{"b":"a"}'],
  ])('sees %s', (_what, one, other) => {
    expect(digest(one)).not.toBe(digest(other))
  })

  it('is the same however the text is cut, and tells texts apart that say different things', () => {
    fc.assert(
      fc.property(fc.json(), fc.json(), fc.nat(), (one, other, at) => {
        const cut = at % (one.length + 1)
        expect(digest(one.slice(0, cut), one.slice(cut))).toBe(digest(one))
        const isSame = JSON.stringify(sorted(JSON.parse(one))) === JSON.stringify(sorted(JSON.parse(other)))
        if (!isSame) expect(digest(one)).not.toBe(digest(other))
      }),
    )
  })

  it('keeps nothing of a long text', () => {
    const long = new JsonDigest()
    long.push('"')
    for (let piece = 0; piece < 1000; piece++) long.push('x'.repeat(1000))
    long.push('"')
    expect(JSON.stringify(long).length).toBeLessThan(1000)
  })
})

/** Keys in one order; zero without its sign, which JSON texts write but nobody means. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (Object.is(value, -0)) return 0
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  )
}
