import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RawJson } from '../../src/json/raw.ts'

describe('a value as it was written', () => {
  const json = ' { "a" : [ 1.0 , {"id":12345678901234567890, "s":"}\\"]"} ] , "b":1, "b": 2e1 } '

  it.each([
    [['a', 0], '1.0'],
    [['a', 1, 'id'], '12345678901234567890'],
    [['a', 1], '{"id":12345678901234567890, "s":"}\\"]"}'],
    [['a', 1, 's'], '"}\\"]"'],
    [['b'], '2e1'],
  ])('is found at %j', (path, written) => {
    expect(new RawJson(json).value(path)).toBe(written)
  })

  it.each([[['c']], [['a', 2]], [['a', 'id']], [['b', 0]], [[0]]])('is not found at %j', (path) => {
    expect(new RawJson(json).value(path)).toBeUndefined()
  })

  it('is found among many, each without reading those before it anew', () => {
    const many = JSON.stringify(Array.from({ length: 20_000 }, (_, n) => ({ n, text: 'x'.repeat(100) })))
    const raw = new RawJson(many)
    for (let n = 0; n < 20_000; n++) expect(raw.value([n, 'n'])).toBe(String(n))
  })

  it('says what the parsed value says, everywhere', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 3 }), (text) => {
        const raw = new RawJson(text)
        for (const [path, value] of placesIn(JSON.parse(text))) {
          expect(JSON.parse(raw.value(path) ?? '"missing"')).toEqual(value)
        }
      }),
    )
  })
})

type Path = readonly (string | number)[]

function placesIn(value: unknown, path: Path = []): [Path, unknown][] {
  const inside: [string | number, unknown][] = Array.isArray(value)
    ? [...value.entries()]
    : typeof value === 'object' && value !== null
      ? Object.entries(value)
      : []
  return [[path, value], ...inside.flatMap(([step, item]) => placesIn(item, [...path, step]))]
}
