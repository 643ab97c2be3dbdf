import * as fc from 'fast-check'
import { fraction, markersIn } from './model-output.ts'
import type { Mode } from './modes.ts'

/** Calls one behind the other, as a model of some format writes them, and what it meant by them. */
export interface WrittenCalls {
  readonly text: string
  readonly meant: readonly string[]
}

/** Whether the value of the sample's parameter stands between quotes, in which a writer escapes it. */
function isQuoted(sample: string): boolean {
  return /"Paris"|'Paris'/.test(sample)
}

/** Calls whose values hold every quote, bracket and marker of the format. */
export function hostileCalls(mode: Mode, sample: string): fc.Arbitrary<WrittenCalls> {
  const value = hostileValue(mode, sample)
  // Where nobody named the format, a list without markers is a call only if it is the whole answer.
  const isWhole = mode.title.startsWith('auto') && sample.startsWith('[')
  const values = fc.array(value, { minLength: 1, maxLength: isWhole ? 1 : 2 })
  return values.map((meant) => ({ text: meant.map((each) => written(sample, each)).join(''), meant }))
}

/** The same with one thing wrong: cut off, a piece of the markup missing, or a quote that nobody escaped. */
export function damagedCalls(mode: Mode, sample: string): fc.Arbitrary<WrittenCalls> {
  const value = hostileValue(mode, sample)
  const damage = fc.record({ kind: fc.constantFrom(...damages), place: fraction() })
  return fc.tuple(value, value, damage).map(([first, second, { kind, place }]) => {
    const texts = [written(sample, first), written(sample, second)]
    return { text: damaged(texts, sample, kind, place), meant: [first, second] }
  })
}

type Damage = 'cut' | 'missing-piece' | 'unescaped-quote'

const damages: readonly Damage[] = ['cut', 'missing-piece', 'missing-piece', 'unescaped-quote']

function damaged(
  [first = '', second = '']: readonly string[],
  sample: string,
  kind: Damage,
  place: number,
): string {
  const text = first + second
  switch (kind) {
    case 'cut':
      return text.slice(0, Math.floor(place * text.length))
    case 'missing-piece':
      return withoutPiece(first, sample, place) + second
    case 'unescaped-quote':
      return withoutEscape(first, sample, place) + second
  }
}

/** Takes out one marker, quote or bracket around the value. Letters stay: with another name another thing is meant. */
function withoutPiece(call: string, sample: string, place: number): string {
  const [before = '', after = ''] = sample.split('Paris')
  const from = call.length - after.length
  const pieces = Array.from(call.matchAll(/<[^<>\s]*>|<[^<>]*>|\[\/?[A-Z_]+\]|["'{}()[\],:=>]/g)).filter(
    ({ index, 0: piece }) => index + piece.length <= before.length || index >= from,
  )
  const piece = pieces[Math.floor(place * pieces.length)]
  return piece === undefined ? call : call.slice(0, piece.index) + call.slice(piece.index + piece[0].length)
}

/** In front of what reads like the end of the call no quote can be told from one that ends it. */
function withoutEscape(call: string, sample: string, place: number): string {
  const [, after = ''] = sample.split('Paris')
  const escapes = Array.from(call.matchAll(/\\(?=["'])/g), ({ index }) => index).filter(
    (index) => !call.startsWith(after, index + 1),
  )
  const at = escapes[Math.floor(place * escapes.length)]
  return at === undefined ? call : call.slice(0, at) + call.slice(at + 1)
}

function written(sample: string, value: string): string {
  // A function, as the value may hold what `replace` takes for a pattern.
  return sample.replace('Paris', () => (isQuoted(sample) ? escaped(sample, value) : value))
}

function escaped(sample: string, value: string): string {
  const json = JSON.stringify(value).slice(1, -1)
  return sample.includes("'Paris'") ? json.replaceAll("'", String.raw`\'`) : json
}

/**
 * Where values are not escaped, a closing tag with the next tag right behind it cannot be told from the real end: words
 * stand between them.
 */
function hostileValue(mode: Mode, sample: string): fc.Arbitrary<string> {
  const fragment = fc.oneof(
    fc.constantFrom(
      '"',
      "'",
      '\\',
      '{',
      '}',
      '[',
      ']',
      '(',
      ')',
      ',',
      ':',
      '"}',
      "')",
      '"]',
      '\\n',
      '\n',
      '```',
    ),
    fc.constantFrom('it', 'a, b: c', 'city', '"city":"Rome"', "s='\\,'", 'f(x="y")', '{"name":"x"}'),
    fc.constantFrom('</x>', ...mode.samples.flatMap(markersIn), ...sampleEnds(sample)),
  )
  const glue = isQuoted(sample) ? '' : ' so '
  return fc
    .array(fragment, { minLength: 1, maxLength: 5 })
    .map((fragments) => `It${glue}${fragments.join(glue)}${glue}is`)
}

/** What closes the value and the call. */
function sampleEnds(sample: string): string[] {
  const end = sample.split('Paris')[1] ?? ''
  return isQuoted(sample) ? [end, end + sample] : []
}
