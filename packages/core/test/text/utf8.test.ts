import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { byteLength, isHighSurrogate, prefixWithin } from '../../src/text/utf8.ts'
import { anyUnits, inPieces } from './any-text.ts'

describe('counting bytes of UTF-8', () => {
  it('a well-formed text takes as many bytes as its encoding', () => {
    const encoder = new TextEncoder()
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(byteLength(text)).toBe(encoder.encode(text).length)
      }),
      { numRuns: 1000 },
    )
  })

  it.each([
    ['', 0],
    ['\u007f', 1],
    ['\u0080', 2],
    ['\u07ff', 2],
    ['\u0800', 3],
    ['\uffff', 3],
    ['\ud7ff\ue000', 6],
    ['😀', 4],
    ['\u{10ffff}', 4],
  ])('%j takes %d bytes', (text, bytes) => {
    expect(byteLength(text)).toBe(bytes)
  })

  it('the pieces of a text take as many bytes as the whole, also where a surrogate pair is cut', () => {
    fc.assert(
      fc.property(inPieces(anyUnits()), ({ text, pieces }) => {
        expect(pieces.reduce((sum, piece) => sum + byteLength(piece), 0)).toBe(byteLength(text))
      }),
    )
  })
})

describe('the longest prefix within a number of bytes', () => {
  it('one unit more would be too much', () => {
    fc.assert(
      fc.property(anyUnits(), fc.nat({ max: 100 }), (text, limit) => {
        const length = prefixWithin(text, limit)
        expect(byteLength(text.slice(0, length))).toBeLessThanOrEqual(limit)
        if (length < text.length) expect(byteLength(text.slice(0, length + 1))).toBeGreaterThan(limit)
      }),
      { numRuns: 1000 },
    )
  })

  it.each([
    ['abc', 2, 2],
    ['abc', 3, 3],
    ['éa', 1, 0],
    ['éa', 2, 1],
    ['中a', 3, 1],
    ['', 0, 0],
    ['a', 0, 0],
  ])('of %j in %d bytes: %d units', (text, limit, length) => {
    expect(prefixWithin(text, limit)).toBe(length)
  })
})

it('only the first half of a surrogate pair is high', () => {
  const codes = [0xd7ff, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000]
  expect(codes.map(isHighSurrogate)).toEqual([false, true, true, false, false, false])
})
