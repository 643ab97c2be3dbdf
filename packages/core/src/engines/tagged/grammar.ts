import { madeOnce } from '../../text/made-once.ts'
import { MarkerSearch, searchFor } from '../../text/marker-search.ts'
import { type Marker, NONE, PARTIAL } from '../../text/marker.ts'
import { skipSpace } from '../../text/space.ts'
import { readTag, type Tag, type TagShape } from '../../text/tag-reader.ts'
import type { Probe } from '../engine.ts'
import { type DelimitedJsonGrammar, type EnvelopeShape, usualEnvelope } from '../json/grammar.ts'
import { firstWord, readDamagedTag } from './damaged-tags.ts'
import { readElementTag } from './element-tag.ts'
import type { ParameterShape } from './parameter-writer.ts'

/** An opening tag: its marker, and how the rest of it is written. */
export interface OpeningTag extends TagShape {
  readonly open: Marker
  /** Blanks and line breaks behind it are written as the letters `Ġ` and `Ċ`. */
  readonly isInBytes?: boolean
}

/** A call as a tag with a tag for each parameter, in an optional section. */
export interface TaggedParamsGrammar {
  readonly engine: 'tagged-params'
  readonly id: string
  /** The markers are tokens of their own in the model's vocabulary: never prose. */
  readonly isSpecial: boolean
  readonly sectionBegin: readonly Marker[]
  readonly sectionEnd: readonly Marker[]
  readonly callBegin: readonly OpeningTag[]
  readonly callEnd: readonly Marker[]
  readonly parameterBegin: readonly OpeningTag[]
  readonly parameterEnd: readonly Marker[]
  /** What closes a key, where the name of a parameter has tags of its own. */
  readonly keyEnd?: readonly Marker[]
  readonly parameter: ParameterShape
  /** The section may be missing: the tag of a call is an opener of its own. */
  readonly isSectionOptional: boolean
  /** The name of the tool closes a call too: `</get_weather>`. */
  readonly closesByName?: boolean
  /** Prose may hold the tag of a call as well: it opens a call only with the name of a tool that was offered. */
  readonly isPlain?: boolean
  /** Where the name should stand, an object with name and arguments may stand instead, or a list of such objects. */
  readonly envelope?: EnvelopeShape
  /** Tags around the parameters that say nothing: `<arguments>`. */
  readonly empty?: readonly Marker[]
  /** Nothing is left of the tag of a call: the name of a declared tool opens it, behind one of these. */
  readonly namePrefixes?: readonly string[]
  /** Elements named after the parameters that the tool declares, `<city>…</city>`, are parameters too. */
  readonly readsElements?: boolean
  /** The arguments may stand in a tag of their own, as JSON. */
  readonly jsonBegin?: readonly OpeningTag[]
  readonly jsonEnd?: readonly Marker[]
  /**
   * What the call holds is this argument, as it stands, up to the first tag that closes a call. The tag may have a label in
   * place of the name, and the text begins with the name then.
   */
  readonly bodyKey?: string
}

/** A forgotten tag is only guessed at in front of a short word. */
const LONGEST_KEY = 64

export type TaggedParamsRole =
  | {
      readonly is:
        | 'section-begin'
        | 'section-end'
        | 'call-end'
        | 'parameter-end'
        | 'key-end'
        | 'json-end'
        | 'empty'
      /** Something else stands in front of the bracket of the tag, or the bracket is missing. */
      readonly isWorn?: true
    }
  | { readonly is: 'call-begin' | 'parameter-begin' | 'json-begin'; readonly tag: OpeningTag }

export interface TaggedParamsMarkers {
  readonly all: MarkerSearch<TaggedParamsRole>
  /** What can stand where a call ends. */
  readonly ends: MarkerSearch<true>
  readonly parameterBegins: MarkerSearch<true>
}

export const markersOf = madeOnce((grammar: TaggedParamsGrammar): TaggedParamsMarkers => {
  const all = new MarkerSearch<TaggedParamsRole>()
  for (const marker of grammar.sectionBegin) all.add(marker, { is: 'section-begin' })
  for (const marker of grammar.sectionEnd) all.add(marker, { is: 'section-end' })
  for (const marker of grammar.callEnd) all.add(marker, { is: 'call-end' })
  for (const marker of grammar.parameterEnd) all.add(marker, { is: 'parameter-end' })
  for (const marker of grammar.keyEnd ?? []) all.add(marker, { is: 'key-end' })
  for (const marker of grammar.empty ?? []) all.add(marker, { is: 'empty' })
  for (const tag of grammar.callBegin) all.add(tag.open, { is: 'call-begin', tag })
  for (const tag of grammar.parameterBegin) all.add(tag.open, { is: 'parameter-begin', tag })
  for (const tag of grammar.jsonBegin ?? []) all.add(tag.open, { is: 'json-begin', tag })
  for (const marker of grammar.jsonEnd ?? []) all.add(marker, { is: 'json-end' })
  for (const tag of wornTags(grammar.parameterEnd)) all.addWorn(tag, { is: 'parameter-end', isWorn: true })
  for (const tag of wornTags(grammar.callEnd)) all.addWorn(tag, { is: 'call-end', isWorn: true })
  return {
    all,
    ends: searchFor(...grammar.callEnd, ...grammar.sectionEnd, ...(grammar.jsonEnd ?? [])),
    parameterBegins: searchFor(...grammar.parameterBegin.map((tag) => tag.open)),
  }
})

/** Closing tags as models damage them, up to the end of the word: with a number, a key or a blank in them. */
function wornTags(markers: readonly Marker[]): string[] {
  const words = markers.flatMap((marker) =>
    typeof marker === 'string' ? (/^<\/(\w+)>$/.exec(marker)?.[1] ?? []) : [],
  )
  return words.flatMap((word) => [`</${word}`, `</ ${word}`])
}

/** How the objects are read that may stand in the place of a name. */
export const envelopesOf = madeOnce((grammar: TaggedParamsGrammar): DelimitedJsonGrammar => ({
  engine: 'delimited-json',
  id: `${grammar.id}-envelopes`,
  isSpecial: grammar.isSpecial,
  callBegin: grammar.callBegin.map(({ open }) => open),
  callEnd: grammar.callEnd,
  envelope: grammar.envelope ?? usualEnvelope,
}))

/** What must follow a name that nothing opens: a parameter. */
export function probeNamedParameters(
  grammar: TaggedParamsGrammar,
  text: string,
  at: number,
  final: boolean,
): Probe {
  const start = skipSpace(text, at)
  if (start === text.length) return final ? 'no' : 'more'
  const length = markersOf(grammar).parameterBegins.match(text, start, final)
  return length === PARTIAL ? 'more' : length === NONE ? 'no' : 'yes'
}

/** What is known of a name that stands where that of a tool should. */
export interface NameProof {
  /** It may be one here: its format was named, or a tool of this name was offered, or nobody knows the tools. */
  accepts(name: string): boolean
  /** A tool of this name was offered. */
  declares(name: string): boolean
}

/** What must follow the opener of a section: the tag of a call, after white space. */
export function probeTaggedParams(
  grammar: TaggedParamsGrammar,
  tag: OpeningTag | undefined,
  proof: NameProof,
  text: string,
  at: number,
  final: boolean,
): Probe {
  if (tag !== undefined) return probeTag(grammar, tag, proof, text, at, final, 'alone')
  const start = skipSpace(text, at)
  if (start === text.length) return final ? 'no' : 'more'
  const { all } = markersOf(grammar)
  const length = all.match(text, start, final)
  if (length === PARTIAL) return 'more'
  if (length === NONE) return 'no'
  const role = all.found
  if (role.is === 'section-end' && grammar.isSpecial) return 'yes'
  if (role.is !== 'call-begin') return 'no'
  return probeTag(grammar, role.tag, proof, text, start + length, final, 'in-section')
}

function probeTag(
  grammar: TaggedParamsGrammar,
  shape: OpeningTag,
  proof: NameProof,
  text: string,
  at: number,
  final: boolean,
  place: 'alone' | 'in-section',
): Probe {
  const tag = readTag(text, at, shape, final)
  if (tag === 'more') return 'more'
  if (tag === 'bad') {
    const damaged = readDamagedTag(text, at, 'inline', (name) => proof.accepts(name))
    if (damaged !== undefined) return probeBody(grammar, true, true, text, damaged.end, final)
    return probeEnvelope(grammar, text, at, final)
  }
  if (isPlaceholder(tag.name)) return 'no'
  if (grammar.bodyKey !== undefined) return probeText(proof, tag, text, final)
  const isAccepted = proof.accepts(tag.name)
  if (grammar.isPlain === true && !isAccepted) return 'no'
  if (tag.isSelfClosing) return 'yes'
  if (shape.name !== 'word' && grammar.isPlain !== true) {
    return place === 'alone' ? probeSentence(text, tag.end, final) : 'yes'
  }
  return probeBody(grammar, isAccepted, proof.declares(tag.name), text, tag.end, final)
}

/** The tool is named by the tag or by the first word behind it, and text follows. With two names there are two readings. */
function probeText(proof: NameProof, tag: Tag, text: string, final: boolean): Probe {
  const word = firstWord(text, tag.end, final)
  if (word === 'more') return 'more'
  const isWord = proof.accepts(word.name)
  if (isWord === proof.accepts(tag.name)) return 'no'
  const start = skipSpace(text, isWord ? word.end : tag.end)
  if (start === text.length) return final ? 'no' : 'more'
  return '<{'.includes(text.charAt(start)) ? 'no' : 'yes'
}

/** A sentence that names a tag goes on behind it, in the same line. */
function probeSentence(text: string, at: number, final: boolean): Probe {
  const [word = ''] = /^[ \t]*[^]?/.exec(text.slice(at)) ?? []
  if (word.trim() === '' && !word.includes('\n') && !final) return 'more'
  return /[\p{L},.;:)]$/u.test(word) ? 'no' : 'yes'
}

/** `…`, `{name}`: the place of a name, in code or in a text that explains the tag. */
function isPlaceholder(name: string): boolean {
  return /[{}]/.test(name) || !/[\p{L}\p{N}]/u.test(name)
}

/** Whether an object, or a list of objects, stands at `at`, where this grammar may have one in place of a name. */
export function probeEnvelope(grammar: TaggedParamsGrammar, text: string, at: number, final: boolean): Probe {
  const start = skipSpace(text, at)
  if (grammar.envelope === undefined) return 'no'
  if (text.charAt(start) !== '[') return text.charAt(start) === '{' ? 'yes' : 'no'
  const inside = skipSpace(text, start + 1)
  if (inside - start > LONGEST_KEY) return 'no'
  if (inside === text.length) return final ? 'no' : 'more'
  return text.charAt(inside) === '{' ? 'yes' : 'no'
}

/** Where nothing but what follows tells the tag from prose: a parameter, arguments as JSON, or the end. */
function probeBody(
  grammar: TaggedParamsGrammar,
  isAccepted: boolean,
  isDeclared: boolean,
  text: string,
  at: number,
  final: boolean,
): Probe {
  const start = skipSpace(text, at)
  if (start === text.length) return final ? 'no' : 'more'
  if (text.charAt(start) === '{') return 'yes'
  const { all } = markersOf(grammar)
  const length = all.match(text, start, final)
  if (length === PARTIAL) return 'more'
  if (length === NONE && grammar.readsElements === true)
    return isAccepted ? probeElement(text, start, final) : 'no'
  if (length === NONE) return probeLooseKey(grammar, text, start, final)
  // A word between two tags is not much: it has to be a name that somebody knows. Before the next call, the word behind a
  // tag may be the last of a sentence that speaks of the tag: read as a call, it would take the real one with it.
  switch (all.found.is) {
    case 'section-begin':
      return 'no'
    case 'call-begin':
      return isDeclared ? 'yes' : 'no'
    case 'call-end':
    case 'parameter-end':
      return isAccepted ? 'yes' : 'no'
    default:
      return 'yes'
  }
}

/** An element follows: a tag with a name and nothing else. */
function probeElement(text: string, at: number, final: boolean): Probe {
  const tag = readElementTag(text, at, '', final)
  return tag === 'more' ? 'more' : tag !== 'none' && tag.is !== 'close' ? 'yes' : 'no'
}

/** A key whose opening tag was forgotten. */
export function probeLooseKey(grammar: TaggedParamsGrammar, text: string, at: number, final: boolean): Probe {
  if (grammar.keyEnd === undefined) return 'no'
  let end = at
  while (end < text.length && end - at < LONGEST_KEY && /[\w.-]/.test(text.charAt(end))) end++
  if (end === text.length && !final) return 'more'
  if (end === at) return 'no'
  const { all } = markersOf(grammar)
  const length = all.match(text, end, final)
  if (length === PARTIAL) return 'more'
  return length !== NONE && all.found.is === 'key-end' ? 'yes' : 'no'
}

/** Whether the name of the parameter stands between tags of its own. */
export function hasKeyText({ name }: OpeningTag): boolean {
  return typeof name === 'object' && 'around' in name
}
