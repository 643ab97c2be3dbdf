import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JsonWriter } from '../../src/text/json-writer.ts'
import { anyUnits, inPieces } from './any-text.ts'

describe('writing a JSON object piece by piece', () => {
  it('no members are an empty object', () => {
    expect(new JsonWriter().end()).toBe('{}')
  })

  it('members stand in the order in which they were written, with commas between them', () => {
    const writer = new JsonWriter()
    expect(`${writer.key('a')}1${writer.key('b')}[2]${writer.key('c')}null${writer.end()}`).toBe(
      '{"a":1,"b":[2],"c":null}',
    )
  })

  it('a string is spelled the same however it is cut, surrogate pairs and lone halves included', () => {
    fc.assert(
      fc.property(inPieces(anyUnits()), ({ text, pieces }) => {
        expect(written('key', pieces)).toBe(JSON.stringify({ key: text }))
      }),
      { numRuns: 3000 },
    )
  })

  it('a string is spelled the same unit by unit', () => {
    fc.assert(
      fc.property(anyUnits(), (text) => {
        expect(written('key', text.split(''))).toBe(JSON.stringify({ key: text }))
      }),
      { numRuns: 1000 },
    )
  })

  it('any text can be a key', () => {
    fc.assert(
      fc.property(anyUnits(), (key) => {
        expect(written(key, ['x'])).toBe(`{${JSON.stringify(key)}:"x"}`)
      }),
    )
  })

  it('only half a surrogate pair is kept back, and no longer than to the next unit', () => {
    const writer = new JsonWriter()
    expect(writer.stringPiece('a\ud83d')).toBe('a')
    expect(writer.stringPiece('')).toBe('')
    expect(writer.stringPiece('\ude00b')).toBe('😀b')
    expect(writer.stringPiece('\ud83d')).toBe('')
    expect(writer.stringPiece('\ud83d')).toBe('\\ud83d')
    expect(writer.endString()).toBe('\\ud83d"')
    expect(writer.endString()).toBe('"')
  })

  it('half a pair at the end of one string is no part of the next', () => {
    const writer = new JsonWriter()
    const first = `${writer.key('a')}"${writer.stringPiece('\ud83d')}${writer.endString()}`
    const second = `${writer.key('b')}"${writer.stringPiece('\ude00')}${writer.endString()}${writer.end()}`
    expect(first + second).toBe('{"a":"\\ud83d","b":"\\ude00"}')
  })
})

function written(key: string, pieces: readonly string[]): string {
  const writer = new JsonWriter()
  const head = `${writer.key(key)}"`
  const body = pieces.map((piece) => writer.stringPiece(piece)).join('')
  return head + body + writer.endString() + writer.end()
}
