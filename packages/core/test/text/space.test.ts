import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isBlank, isLineStart, isSpace, skipSpace } from '../../src/text/space.ts'

describe('white space', () => {
  it('is space, tab, line feed and carriage return, and nothing else', () => {
    const spaces = Array.from({ length: 0x10000 }, (_, code) => code).filter(isSpace)
    expect(spaces).toEqual([9, 10, 13, 32])
  })

  it('is passed over up to the next other character, or to the end', () => {
    expect(skipSpace(' \t\r\n x ', 0)).toBe(5)
    expect(skipSpace('x  ', 1)).toBe(3)
    expect(skipSpace('x', 0)).toBe(0)
    expect(skipSpace('', 0)).toBe(0)
  })

  it('alone, or no text at all, is blank', () => {
    expect(['', ' \n', '\u00a0', ' x'].map(isBlank)).toEqual([true, true, false, false])
  })
})

describe('the start of a line', () => {
  it('is where only blanks stand since the last line break', () => {
    expect(isLineStart('ab\n \t', 0, 5, false)).toBe(true)
    expect(isLineStart('ab\r', 0, 3, false)).toBe(true)
    expect(isLineStart('ab\n x', 0, 5, false)).toBe(false)
  })

  it('cannot be told from blanks alone: then what stood before decides', () => {
    for (const before of [true, false]) {
      expect(isLineStart(' \t', 0, 2, before)).toBe(before)
      expect(isLineStart('', 0, 0, before)).toBe(before)
      expect(isLineStart('a\n  ', 2, 4, before)).toBe(before)
    }
  })

  it('is the same for a text at hand and for one whose beginning is gone', () => {
    const line = fc
      .array(fc.constantFrom('a', ' ', '\t', '\n', '\r'), { maxLength: 12 })
      .map((units) => units.join(''))
    fc.assert(
      fc.property(line, fc.nat({ max: 12 }), (text, place) => {
        const start = Math.min(place, text.length)
        const before = isLineStart(text, 0, start, true)
        expect(isLineStart(text, start, text.length, before)).toBe(isLineStart(text, 0, text.length, true))
      }),
    )
  })
})
