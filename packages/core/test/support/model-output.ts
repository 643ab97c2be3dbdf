import * as fc from 'fast-check'
import type { Channel, Piece } from './chunkings.ts'
import { everySample, type Mode } from './modes.ts'

/** What a model of this mode might write, whole or broken, well or badly, in one channel or both. */
export function modelOutput(mode: Mode): fc.Arbitrary<Piece[]> {
  const piece = fc.record({ text: modelText(mode), channel: channel() })
  return fc.array(piece, { minLength: 1, maxLength: 3, size: 'max' })
}

export function modelText(mode: Mode): fc.Arbitrary<string> {
  return fc.array(fragment(mode), { maxLength: 12, size: 'max' }).map((fragments) => fragments.join(''))
}

/** From 0 to just under 1, evenly: `fc.double` would mean the very beginning nearly every time. */
export function fraction(): fc.Arbitrary<number> {
  return fc.noBias(fc.nat({ max: 9999 })).map((part) => part / 10_000)
}

/** Offsets for `cutAt`, as fractions of the length, so that they need not know it. */
export function cuts(): fc.Arbitrary<number[]> {
  return fc.array(fraction(), { minLength: 1, maxLength: 12, size: 'max' })
}

/**
 * A text and words in it that nothing else holds: alone, as a member of an object, as an attribute of a tag.
 * They stand anywhere, or where the syntax of the text has a joint.
 */
export function textWithWords(mode: Mode): fc.Arbitrary<{ text: string; words: string[] }> {
  const written = fc.oneof(modelText(mode), fc.constantFrom('', ...mode.samples))
  const insertion = fc.record({
    place: fraction(),
    atJoint: fc.boolean(),
    dress: fc.constantFrom(...dresses),
  })
  return fc.tuple(written, fc.array(insertion, { minLength: 1, maxLength: 4 })).map(([text, insertions]) => {
    const words = insertions.map((_, index) => uniqueWord(index))
    const withWords = insertions.reduce((before, { place, atJoint, dress }, index) => {
      const at = atJoint ? jointIn(before, place) : Math.floor(place * before.length)
      return before.slice(0, at) + dress.replaceAll('WORD', words[index] ?? '') + before.slice(at)
    }, text)
    // A later word may have been put into an earlier one, or into a suffix or a namespace, which are markup
    // whatever they say.
    const markup =
      withWords
        .match(/<[^<>\s:]*:[^\s<>|｜]*|[^\s<>{}"]*[:./]get_weather|<server_name>[^<]*|<tool: [^<>]*/g)
        ?.join(' ') ?? ''
    const isText = (word: string): boolean => withWords.includes(word) && !markup.includes(word)
    return { text: withWords, words: words.filter(isText) }
  })
}

const dresses = ['WORD', ' WORD ', '"WORD":1,', ',"WORD":1', ' WORD="1"', '\nWORD\n', '<WORD>']

/** No marker, name or other fragment holds one, and none holds another. */
function uniqueWord(index: number): string {
  return `zq${'vwxy'.charAt(index)}qz`
}

function jointIn(text: string, place: number): number {
  const joints = Array.from(text.matchAll(/[{}[\],>]|(?=>)/g), (match) => match.index + match[0].length)
  return joints[Math.floor(place * joints.length)] ?? 0
}

/** The tags and tokens that a text is made of: the pieces a model forgets, repeats and misplaces. */
export function markersIn(sample: string): string[] {
  const found = sample.match(/<[^<>\s]*>|<[^<>]*>|\[\/?[A-Z_]+\]|```\w*/g)
  return [...new Set(found)]
}

function channel(): fc.Arbitrary<Channel> {
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant<Channel>('content') },
    { weight: 1, arbitrary: fc.constant<Channel>('reasoning') },
  )
}

function fragment(mode: Mode): fc.Arbitrary<string> {
  const markers = mode.samples.flatMap(markersIn)
  return fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('', ...mode.samples) },
    { weight: 4, arbitrary: slices(mode.samples) },
    { weight: 4, arbitrary: fc.constantFrom('', ...markers) },
    { weight: 1, arbitrary: fc.constantFrom(...everySample) },
    { weight: 1, arbitrary: slices(everySample) },
    { weight: 2, arbitrary: fc.constantFrom(...prose) },
    { weight: 2, arbitrary: fc.constantFrom(...json) },
    { weight: 2, arbitrary: fc.constantFrom(...structure) },
    { weight: 1, arbitrary: fc.constantFrom(...strippedHeaders) },
    { weight: 1, arbitrary: fc.string({ unit: anyUnit(), maxLength: 6 }) },
  )
}

function slices(texts: readonly string[]): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom('', ...texts), fraction(), fraction())
    .map(([text, from, to]) => text.slice(Math.floor(from * text.length), Math.ceil(to * text.length)))
}

/** Any UTF-16 unit, lone halves of surrogate pairs included. */
export function anyUnit(): fc.Arbitrary<string> {
  return fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code))
}

const prose = ['Sure. ', 'Let me see', ' a < b ', 'I will call the tool.\n', 'function', 'functions.', 'x']

/** What a server leaves of headers when it strips their tokens. */
const strippedHeaders = [
  'analysisWe ',
  'commentaryLet ',
  'assistantfinal',
  'assistantanalysis',
  'assistantcommentary',
  'commentary to=functions.get_weather json{"city":"Paris"}',
  'assistantcommentary to=functions.get_weather json{"city":"Paris"}',
  'to=functions.get_weather commentary json\n{"city":"Paris"}',
]

const json = [
  '{}',
  '{"a":1}',
  '{"name":"',
  '"arguments":{',
  '{"__proto__":{"x":1}}',
  '{"a":"\\u00e9\\"}',
  "{'a': True}",
  '[1,2,',
  '"',
  '\\',
  '}',
  ']',
  ',',
  ': null',
  '1e5',
]

const structure = [
  '\n',
  '\n\n',
  ' ',
  '\t',
  '<',
  '<|',
  '</',
  '`',
  '```',
  '```json\n',
  '\n```\n',
  '~~~\n',
  '<think>',
  '</think>',
  '<think:x>',
  '</think:y>',
  '<tool_call:',
  '<|im_end|>',
  '</s>',
  '\ud83d',
  '\ude00',
  '__proto__',
]
