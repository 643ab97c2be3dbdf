import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DEEPEST, JsonScanner, type JsonStatus } from '../../src/text/json-scanner.ts'
import { inPieces, jsonText, withSlips } from './any-text.ts'

describe('finding the end of a JSON value', () => {
  it('a value is done exactly where it ends, in every chunking, whatever follows', () => {
    const tails = fc.constantFrom('', ' ', '\n]', ' {"a":1}', ' <|end|>')
    const followed = fc.tuple(jsonText(), tails).chain(([json, tail]) => {
      const pieces = inPieces(fc.constant(json + tail)).map((cut) => cut.pieces)
      return fc.record({ json: fc.constant(json), pieces })
    })
    fc.assert(
      fc.property(followed, ({ json, pieces }) => {
        expect(scanAll(pieces)).toEqual({ status: 'done', end: json.length })
      }),
      { numRuns: 2000 },
    )
  })

  it.each(['{}', '[]', '""', 'true', '{"a":[1,{"b":null}]}'])(
    'the end of %s is known without a character behind it',
    (json) => {
      const scanner = new JsonScanner()
      expect(scanner.scan(`${json}}}`, 0)).toBe(json.length)
      expect(scanner.status).toBe('done')
    },
  )

  it('a number is done only when something else follows, or nothing can', () => {
    const scanner = new JsonScanner()
    expect(scanner.scan('12', 0)).toBe(2)
    expect(scanner.status).toBe('open')
    expect(scanner.scan('5}', 0)).toBe(1)
    expect(scanner.status).toBe('done')

    const last = new JsonScanner()
    last.scan('12', 0)
    last.end()
    expect(last.status).toBe('done')
  })

  it.each(['-', '1.', '1e', '1e+', '[1', 'tru', '"a'])('%s is not done even where the text ends', (text) => {
    const scanner = new JsonScanner()
    scanner.scan(text, 0)
    scanner.end()
    expect(scanner.status).toBe('open')
  })

  it('white space in front of a value is passed over', () => {
    expect(scanAll([' \r', '\n\t', '{}'])).toEqual({ status: 'done', end: 6 })
  })

  it('scanning starts where it is told', () => {
    const scanner = new JsonScanner()
    expect(scanner.scan('xx[1]yy', 2)).toBe(5)
    expect(scanner.status).toBe('done')
  })
})

describe('reading strictly', () => {
  it('every prefix of a JSON value is open', () => {
    fc.assert(
      fc.property(jsonText(), (json) => {
        for (let length = 0; length < json.length; length++) {
          const scanner = new JsonScanner()
          const prefix = json.slice(0, length)
          expect([scanner.scan(prefix, 0), scanner.status]).toEqual([length, 'open'])
        }
      }),
    )
  })

  it('a text is JSON if JSON.parse says so, and only then', () => {
    fc.assert(
      fc.property(fc.oneof(jsonText(), withSlips(jsonText())), (text) => {
        expect(isWholeValue(text)).toBe(parses(text))
      }),
      { numRuns: 10_000 },
    )
  })

  it('what was passed before the first impossible character can still be completed', () => {
    fc.assert(
      fc.property(withSlips(jsonText()), (text) => {
        const scanner = new JsonScanner()
        const passed = text.slice(0, scanner.scan(text, 0))
        expect(canBeCompleted(passed, scanner)).toBe(true)
      }),
      { numRuns: 3000 },
    )
  })

  it('the first impossible character is the same in every chunking', () => {
    fc.assert(
      fc.property(inPieces(withSlips(jsonText())), ({ text, pieces }) => {
        expect(scanAll(pieces)).toEqual(scanAll([text]))
        expect(scanAll(text.split(''))).toEqual(scanAll([text]))
      }),
      { numRuns: 3000 },
    )
  })

  it.each([
    ['a trailing comma in an object', '{"a":1,}', 7],
    ['a trailing comma in an array', '[1,]', 3],
    ['a comma without a value', '[,1]', 1],
    ['a key without quotes', '{a:1}', 1],
    ['single quotes', "{'a':1}", 1],
    ['a raw line break in a string', '"a\nb"', 2],
    ['an escape that JSON does not know', '"\\x"', 2],
    ['an escape with too few digits', '"\\u12g4"', 5],
    ['a leading zero', '01', 1],
    ['a plus sign', '+1', 0],
    ['a point without digits', '1.}', 2],
    ['a Python constant', 'None', 0],
    ['a misspelt literal', 'trie', 2],
    ['a closer of the other kind', '[1}', 2],
    ['a missing comma', '[1 2]', 3],
    ['a missing colon', '{"a" 1}', 5],
    ['a no-break space between tokens', '[\u00a01]', 1],
  ])('%s is impossible at the character that makes it so', (_, text, at) => {
    const scanner = new JsonScanner()
    expect(scanner.scan(text, 0)).toBe(at)
    expect(scanner.status).toBe('broken')
  })

  it('nesting is allowed to a stated depth and no deeper', () => {
    const nested = '['.repeat(DEEPEST) + ']'.repeat(DEEPEST)
    expect(scanAll([nested])).toEqual({ status: 'done', end: nested.length })
    expect(scanAll([`[${nested}]`])).toEqual({ status: 'broken', end: DEEPEST })
  })
})

describe('what may have to be taken back', () => {
  it.each([
    ['a comma in an object', '{"a":1 , ', 7],
    ['a comma in an array', '[1, ', 2],
    ['a backslash', '"ab\\', 3],
  ])('%s, and where it stands', (_, text, from) => {
    const scanner = new JsonScanner()
    scanner.scan(text, 0)
    expect(scanner.isTentative).toBe(true)
    expect(scanner.tentativeFrom).toBe(from)
  })

  it('a comma stays so over chunks of white space, but its place is no longer in the text', () => {
    const scanner = new JsonScanner()
    scanner.scan('[1,', 0)
    scanner.scan(' \n', 0)
    expect(scanner.isTentative).toBe(true)
    expect(scanner.tentativeFrom).toBe(-1)
  })

  it('a comma is certain as soon as a value or key begins', () => {
    const inArray = new JsonScanner()
    inArray.scan('[1, 2', 0)
    expect(inArray.isTentative).toBe(false)
    const inObject = new JsonScanner()
    inObject.scan('{"a":1, "', 0)
    expect(inObject.isTentative).toBe(false)
  })

  it('a comma before an impossible character can still be taken back', () => {
    for (const text of ['[1,]', '[1,}', '{"a":1,}', "[1,'"]) {
      const scanner = new JsonScanner()
      scanner.scan(text, 0)
      expect([text, scanner.status, scanner.isTentative]).toEqual([text, 'broken', true])
    }
  })

  it('nothing is tentative at the start, nor after an opening bracket', () => {
    for (const text of ['', ' ', '[', '[ ', '{', '{"a":']) {
      const scanner = new JsonScanner()
      scanner.scan(text, 0)
      expect([text, scanner.isTentative]).toEqual([text, false])
    }
  })
})

/** The status after all pieces, and how many characters were used. */
function scanAll(pieces: readonly string[]): { status: JsonStatus; end: number } {
  const scanner = new JsonScanner()
  let end = 0
  for (const piece of pieces) {
    const used = scanner.scan(piece, 0)
    end += used
    if (scanner.status !== 'open') return { status: scanner.status, end }
    expect(used).toBe(piece.length)
  }
  scanner.end()
  return { status: scanner.status, end }
}

function isWholeValue(text: string): boolean {
  const { status, end } = scanAll([text])
  return status === 'done' && /^[ \t\r\n]*$/.test(text.slice(end))
}

function parses(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Every way to end the token or the member at hand, then the brackets that are open. */
function canBeCompleted(passed: string, scanner: JsonScanner): boolean {
  const closers = scanner.stack.toReversed().map((bracket) => (bracket === '{' ? '}' : ']'))
  const strings = ['', 'n', 'u0000', '0', '00', '000', '0000'].flatMap((rest) => [`${rest}"`, `${rest}":0`])
  const words = ['true', 'false', 'null'].flatMap((word) => [
    word.slice(1),
    word.slice(2),
    word.slice(3),
    word.slice(4),
  ])
  const endings = ['', '0', ':0', '"":0', ...strings, ...words]
  return endings.some((ending) => parses(passed + ending + closers.join('')))
}
