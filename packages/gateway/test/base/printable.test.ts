import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { printable, PrintableStream, shortened, visible } from '../../src/base/printable.ts'

const control = /[^\P{Cc}\n\t]/u

describe('what a model wrote, on a terminal', () => {
  it('an escape sequence is shown and does nothing', () => {
    expect(printable('\u001b]0;title\u0007 \u001b[2J')).toBe('␛]0;title␇ ␛[2J')
  })

  it('the one-byte forms of escape sequences are shown as well', () => {
    expect(printable('\u009b2J\u007f')).toBe('<U+009B>2J␡')
  })

  it('a carriage return cannot overwrite the line', () => {
    expect(printable('rm -rf /\rls\r\nnext')).toBe('rm -rf /ls\nnext')
  })

  it('characters that turn text around are named', () => {
    expect(printable('a\u202eb\u2066c')).toBe('a<U+202E>b<U+2066>c')
  })

  it('letters, emoji with joiners and line ends stay as they are', () => {
    const text = 'Grüße\t👩‍💻 日本\n'
    expect(printable(text)).toBe(text)
  })

  it('no text leaves a control character behind, in any cutting', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), (pieces) => {
        const stream = new PrintableStream()
        const shown = [...pieces.map((piece) => stream.push(piece)), stream.end()].join('')
        expect(shown).not.toMatch(control)
        expect(shown).toBe(printable(pieces.join('')))
      }),
    )
  })

  it('a character in two halves becomes one', () => {
    const stream = new PrintableStream()
    expect(stream.push('a\ud83d') + stream.push('\ude00b')).toBe('a😀b')
  })
})

describe('what the user decides on', () => {
  it('nothing in it is invisible', () => {
    expect(visible('echo a\u200bb\u202e\u001b[0m')).toBe('echo a<U+200B>b<U+202E>␛[0m')
  })

  it('a carriage return alone is shown, one before a line feed is not', () => {
    expect(visible('a\rb\r\nc')).toBe('a␍b\nc')
  })
})

describe('one line for a list', () => {
  it('line ends become spaces and what is too long ends in an ellipsis', () => {
    expect(shortened('one\n  two', 20)).toBe('one two')
    expect(shortened('abcdefgh', 5)).toBe('abcd…')
  })
})
