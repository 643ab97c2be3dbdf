import * as fc from 'fast-check'
import { cuts, fraction } from '../support/model-output.ts'

/** Text cut in pieces at any UTF-16 units, surrogate pairs included. */
export function inPieces(text: fc.Arbitrary<string>): fc.Arbitrary<{ text: string; pieces: string[] }> {
  return fc.tuple(text, cuts()).map(([whole, places]) => ({ text: whole, pieces: cut(whole, places) }))
}

function cut(text: string, places: readonly number[]): string[] {
  const offsets = places.map((place) => Math.floor(place * text.length)).toSorted((a, b) => a - b)
  return [0, ...offsets].map((from, index) => text.slice(from, offsets[index] ?? text.length))
}

/** Any UTF-16 units: lone surrogates, control characters and everything that JSON escapes. */
export function anyUnits(): fc.Arbitrary<string> {
  const unit = fc.oneof(
    fc.constantFrom(
      '"',
      '\\',
      '/',
      "'",
      '\n',
      '\t',
      '\u0000',
      '\u007f',
      '\u2028',
      '\ud83d',
      '\ude00',
      '😀',
      'é',
      '中',
    ),
    fc.constantFrom('a', 'b', ' ', '{', '}', ','),
    fc.nat({ max: 0xffff }).map((code) => String.fromCharCode(code)),
  )
  return fc.array(unit, { maxLength: 40, size: 'max' }).map((units) => units.join(''))
}

/** Spellings of JSON values of every kind, with white space wherever it may stand. */
export function jsonText(): fc.Arbitrary<string> {
  const { value } = fc.letrec<{ value: string; container: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      scalar,
      fc.tuple(space, tie('container'), space).map((parts) => parts.join('')),
    ),
    container: fc.oneof(
      fc.array(tie('value'), { maxLength: 4 }).chain((items) => bracketed('[', items, ']')),
      fc.array(fc.tuple(stringText, space, space, tie('value')), { maxLength: 4 }).chain((members) => {
        const texts = members.map(([key, before, after, member]) => `${key}${before}:${after}${member}`)
        return bracketed('{', texts, '}')
      }),
    ),
  }))
  return value.map((text) => text.trim())
}

/** A text after a few slips: characters removed, added or repeated. */
export function withSlips(text: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const slip = fc.record({
    place: fraction(),
    removed: fc.nat({ max: 2 }),
    added: fc.constantFrom('', '', ...'{}[]:,"\'\\-+.0159eEtfnu \n\u0001a'.split(''), 'True', '/*'),
  })
  return fc.tuple(text, fc.array(slip, { minLength: 1, maxLength: 3 })).map(([whole, slips]) =>
    slips.reduce((before, { place, removed, added }) => {
      const at = Math.floor(place * (before.length + 1))
      return before.slice(0, at) + added + before.slice(at + removed)
    }, whole),
  )
}

const space = fc.constantFrom('', '', '', ' ', '\n  ', '\r\n', '\t')

const numberText = fc.constantFrom(
  '0',
  '-0',
  '7',
  '10',
  '-12.50',
  '0.1',
  '1e5',
  '1E+05',
  '-2.5e-3',
  '9007199254740993',
)

const stringText = fc
  .array(
    fc.constantFrom(
      'a',
      'Z',
      ' ',
      '/',
      '\\/',
      '\\"',
      '\\\\',
      '\\n',
      '\\u00e9',
      '\\uD83D',
      '\\uDE00',
      '{',
      ']',
      '中',
      '😀',
      '\ud83d',
      '\u007f',
      'a longer run of plain text ',
    ),
    { maxLength: 8 },
  )
  .map((parts) => `"${parts.join('')}"`)

const scalar = fc.oneof(numberText, stringText, fc.constantFrom('true', 'false', 'null'))

function bracketed(open: string, items: readonly string[], close: string): fc.Arbitrary<string> {
  return space.map((blank) => `${open}${blank}${items.join(`${blank},${blank}`)}${blank}${close}`)
}
