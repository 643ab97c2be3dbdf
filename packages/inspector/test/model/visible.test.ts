import { describe, expect, it } from 'vitest'
import { chunkRows, indexAt, rowStarts } from '../../src/model/rows.ts'
import { oneLine, shown } from '../../src/model/visible.ts'

describe('characters that would mislead are signs', () => {
  it.each([
    ['a command to a terminal', '\u001b[31m', 'ESC'],
    ['an override of the direction', '\u202e', 'RLO'],
    ['an isolate', '\u2066', 'LRI'],
    ['a space of no width', '\u200b', 'ZWSP'],
    ['half of a surrogate pair', '\ud83d', 'U+D83D'],
    ['the other half', '\ude00', 'U+DE00'],
    ['a null', '\u0000', 'NUL'],
    ['a carriage return', '\r', 'CR'],
    ['a tag that nobody sees', '\u{e0041}', 'U+E0041'],
    ['a control of the second set', '\u009b', 'CSI'],
  ])('%s', (_, text, sign) => {
    const parts = shown(`a${text}b`)
    expect(parts[0]).toEqual({ text: 'a' })
    expect(parts[1]).toMatchObject({ sign })
  })

  it('and all others stay as they are', () => {
    const text = 'line\n\ttab 漢字 é 😀 العربية'
    expect(shown(text)).toEqual([{ text }])
  })

  it('in one line, line breaks are signs as well, and no character is cut in two', () => {
    expect(oneLine('a\n\u202eb', 10)).toBe('a⏎⟨RLO⟩b')
    expect(oneLine('abc😀', 4)).toBe('abc…')
  })
})

describe('rows', () => {
  it('end behind a line break or where the columns are full', () => {
    expect(rowStarts('abcdefg\nhi', 5)).toEqual([0, 5, 8])
  })

  it('keep a surrogate pair together, and give wide characters two columns', () => {
    expect(rowStarts('ab😀😀', 4)).toEqual([0, 4])
    expect(rowStarts('漢字漢字', 4)).toEqual([0, 2])
  })

  it('are found by a position', () => {
    expect([0, 4, 5, 9].map((at) => indexAt([0, 5, 8], at))).toEqual([0, 0, 1, 2])
  })

  it('of chunks begin with each of them, and leave out what is blank', () => {
    const chunks = ['event: a\ndata: 12345678\n\n', 'data: 9\n\n']
    const rowsIn = (columns: number | null): string[] => {
      const { starts, ends, chunks: of } = chunkRows(chunks, columns)
      return starts.map((from, row) => `${of[row]} ${chunks.join('').slice(from, ends[row]).trimEnd()}`)
    }
    expect(rowsIn(10)).toEqual(['0 event: a', '0 data: 1234', '0 5678', '1 data: 9'])
    expect(rowsIn(null)).toEqual(['0 data: 12345678', '1 data: 9'])
  })
})
