import { madeOnce } from '../../text/made-once.ts'
import { MarkerSearch, searchFor } from '../../text/marker-search.ts'
import { type Marker, NONE, PARTIAL } from '../../text/marker.ts'
import { skipBreaks, skipSpace } from '../../text/space.ts'
import type { Probe } from '../engine.ts'
import type { ToolSet } from '../tool-set.ts'
import type { HeaderShape } from './call-header.ts'

/** `begin` header `separator` JSON `end`, in an optional section. */
export interface NameThenArgsGrammar {
  readonly engine: 'name-then-args'
  readonly id: string
  /** The markers are tokens of their own in the model's vocabulary: never prose. */
  readonly isSpecial: boolean
  readonly sectionBegin: readonly Marker[]
  readonly sectionEnd: readonly Marker[]
  readonly callBegin: readonly Marker[]
  /** Between header and arguments. None: the arguments begin at the first bracket. */
  readonly separator: readonly Marker[]
  readonly callEnd: readonly Marker[]
  /** The end marker also ends the turn, so that most servers keep it to themselves. */
  readonly isEndOptional?: boolean
  /** Begins something else: a call ends there, and it is no part of it. */
  readonly stop?: readonly Marker[]
  readonly header: HeaderShape
  /** A header of exactly this word: the name is on the line behind the separator instead. */
  readonly typeWord?: string
  /** In a header: an id stands behind it, the name before it. */
  readonly idBegin?: readonly Marker[]
  /** In a header: the name stands behind it, an id before it. */
  readonly nameBegin?: readonly Marker[]
  /** In a header: the name stands behind it, whose tool it is before it. */
  readonly namespaceEnd?: readonly Marker[]
  /** Calls stand in a section only: alone, what begins one may be any text. */
  readonly needsSection?: boolean
  /** The arguments may begin right behind the name, whoever knows that name. */
  readonly isSeparatorOptional?: boolean
  /** Prose may hold the markers as well: only a name and the bracket of its arguments make an opener of one. */
  readonly isPlain?: boolean
  /** The output may begin with a header: the opener stands at the end of the prompt, or was stripped. */
  readonly isFirst?: boolean
  /** No marker is left of a call: the name of a declared tool opens it, behind one of these. */
  readonly namePrefixes?: readonly string[]
  /** What must stand right behind that name; nothing where it is left out. */
  readonly nameSuffixes?: readonly string[]
  /** A header of this name addresses the client: text follows, no arguments. */
  readonly textName?: string
}

export type NameThenArgsRole =
  | 'section-begin'
  | 'section-end'
  | 'call-begin'
  | 'id-begin'
  | 'name-begin'
  | 'namespace-end'
  | 'separator'
  | 'call-end'
  | 'stop'

export interface NameThenArgsMarkers {
  readonly all: MarkerSearch<NameThenArgsRole>
  /** What can stand where the arguments end. */
  readonly ends: MarkerSearch<NameThenArgsRole>
}

/** No tool has a longer name. */
const LONGEST_NAME = 128

export const markersOf = madeOnce((grammar: NameThenArgsGrammar): NameThenArgsMarkers => ({
  all: search(grammar, [
    'section-begin',
    'section-end',
    'call-begin',
    'id-begin',
    'name-begin',
    'namespace-end',
    'separator',
    'call-end',
    'stop',
  ]),
  ends: search(grammar, ['section-end', 'call-begin', 'call-end', 'stop']),
}))

function search(
  grammar: NameThenArgsGrammar,
  roles: readonly NameThenArgsRole[],
): MarkerSearch<NameThenArgsRole> {
  const byRole = {
    'section-begin': grammar.sectionBegin,
    'section-end': grammar.sectionEnd,
    'call-begin': grammar.callBegin,
    'id-begin': grammar.idBegin ?? [],
    'name-begin': grammar.nameBegin ?? [],
    'namespace-end': grammar.namespaceEnd ?? [],
    separator: grammar.separator,
    'call-end': grammar.callEnd,
    stop: grammar.stop ?? [],
  }
  const markers = new MarkerSearch<NameThenArgsRole>()
  for (const role of roles) {
    for (const marker of byRole[role]) markers.add(marker, role)
  }
  return markers
}

/** What must follow the opener of a section: a call, after white space. */
export function probeNameThenArgs(
  grammar: NameThenArgsGrammar,
  opener: 'section' | 'call',
  accepts: (name: string) => boolean,
  text: string,
  at: number,
  final: boolean,
): Probe {
  if (opener === 'call') {
    if (grammar.isPlain === true) return probePlainHeader(grammar, accepts, text, at, final)
    return grammar.separator.length === 0
      ? probeBareHeader(text, at, final)
      : probeHeader(grammar, text, at, final)
  }
  const start = skipSpace(text, at)
  if (start === text.length) return final ? 'no' : 'more'
  const { all } = markersOf(grammar)
  const length = all.match(text, start, final)
  if (length === PARTIAL) return 'more'
  if (length === NONE) return grammar.isSpecial ? probeInSection(grammar, text, start, final) : 'no'
  const isEmpty = grammar.isSpecial && all.found === 'section-end'
  return isEmpty || all.found === 'call-begin' || all.found === 'section-begin' ? 'yes' : 'no'
}

/** In a section there may be words before the first call, or its header without the marker that opens it. */
function probeInSection(grammar: NameThenArgsGrammar, text: string, at: number, final: boolean): Probe {
  const { all } = markersOf(grammar)
  const length = all.find(text, at, final)
  const words = text.slice(at, all.index).trim()
  // A token of another grammar stands in it, or JSON, which is another's too.
  if (words.includes('<') || /^[[{]/.test(words)) return 'no'
  if (length === PARTIAL || length === NONE) return final ? 'no' : 'more'
  const isHeader = all.found === 'separator' && isName(words)
  return isHeader || all.found === 'call-begin' ? 'yes' : 'no'
}

/** Another grammar may use the same marker: what ends the header tells whose it is. */
function probeHeader(grammar: NameThenArgsGrammar, text: string, at: number, final: boolean): Probe {
  const { all } = markersOf(grammar)
  const length = all.find(text, at, final)
  const header = text.slice(at, all.index)
  const brace = header.indexOf('{')
  const beforeBrace = brace < 0 ? header : header.slice(0, brace)
  // A token of another grammar stands in it.
  if (beforeBrace.includes('<')) return 'no'
  if (brace >= 0) return grammar.isSeparatorOptional === true && !isName(beforeBrace.trim()) ? 'no' : 'yes'
  if (length === PARTIAL || length === NONE) return final ? 'no' : 'more'
  if (all.found === 'call-begin' || all.found === 'section-begin') return 'no'
  if (all.found !== 'separator' || grammar.callEnd.length > 0) return 'yes'
  // Where nothing but the arguments ends a call, words behind the separator are a sentence that names the markers.
  const behind = all.index + length
  const start = skipSpace(text, behind)
  if (start === text.length) return final ? 'yes' : 'more'
  return /^\s+\p{L}|^\s*[.,;:!?)]/u.test(text.slice(behind, start + 1)) ? 'no' : 'yes'
}

/** A name that may be called, the separator, and the bracket of the arguments. */
function probePlainHeader(
  grammar: NameThenArgsGrammar,
  accepts: (name: string) => boolean,
  text: string,
  at: number,
  final: boolean,
): Probe {
  const { all } = markersOf(grammar)
  const length = all.find(text, at, final)
  const isCut = length === PARTIAL || length === NONE
  const name = text.slice(at, all.index)
  if (!isName(name) && !(isCut && name === '')) return 'no'
  if (isCut) return final ? 'no' : 'more'
  if (all.found === 'namespace-end') return probeWithin(name, accepts, text, all.index + length, final)
  const { prefix = '' } = grammar.header
  const bareName = name.startsWith(prefix) ? name.slice(prefix.length) : name
  if (all.found !== 'separator' || !accepts(bareName)) return 'no'
  return probeObject(text, skipSpace(text, all.index + length), final)
}

/** A name behind the namespace, or none where the namespace is the name, and the bracket of the arguments. */
function probeWithin(
  namespace: string,
  accepts: (name: string) => boolean,
  text: string,
  at: number,
  final: boolean,
): Probe {
  const start = skipSpace(text, at)
  let end = start
  while (end < text.length && end - start < LONGEST_NAME && isName(text.charAt(end))) end++
  const brace = skipSpace(text, end)
  if (brace === text.length) return final ? 'no' : 'more'
  const isCall = text.charAt(brace) === '{' && accepts(end === start ? namespace : text.slice(start, end))
  return isCall ? 'yes' : 'no'
}

/**
 * Whether the output begins with a header: a name that was offered and the bracket of its arguments, or
 * the name that addresses text.
 */
export function probeFirstHeader(
  grammar: NameThenArgsGrammar,
  tools: ToolSet,
  text: string,
  at: number,
  final: boolean,
): Probe | 'text' {
  const { textName, separator } = grammar
  const line = `${textName ?? ''}\n`
  if (textName !== undefined && text.startsWith(line, at)) return 'text'
  let end = at
  while (end < text.length && end - at < LONGEST_NAME && isName(text.charAt(end))) end++
  const name = text.slice(at, end)
  const isCut = end === text.length
  const mayBe = (offered: string): boolean => (isCut ? offered.startsWith(name) : offered === name)
  const isOffered =
    !tools.isKnown || [...tools.names(), ...(textName === undefined ? [] : [textName])].some(mayBe)
  if (!isOffered || (name === '' && !isCut)) return 'no'
  if (isCut) return final ? 'no' : 'more'
  if (separator.length > 0 && text.charAt(end) !== '\n') return 'no'
  const start = skipSpace(text, end)
  if (start === text.length) return final ? 'no' : 'more'
  return text.charAt(start) === '{' ? 'yes' : 'no'
}

/** Whether it can be a name: prose that happens to end at a bracket has blanks in it. */
export function isName(text: string): boolean {
  return /^[^\s<>{}[\]()"'`]+$/.test(text)
}

/** A header without markers around it: a word with a number, then at once the bracket of the arguments. */
function probeBareHeader(text: string, at: number, final: boolean): Probe {
  let end = at
  while (end < text.length && /[\w.:-]/.test(text.charAt(end))) end++
  if (end === text.length) return final ? 'no' : 'more'
  return /:\d+$/.test(text.slice(at, end)) && text.charAt(end) === '{' ? 'yes' : 'no'
}

/** The name of a tool stands there, as a whole word: what must follow is an object, in a code fence perhaps. */
export function probeNamedArguments(text: string, at: number, final: boolean): Probe {
  const start = skipSpace(text, at)
  if (start === text.length) return final ? 'no' : 'more'
  const fence = openingFence.match(text, start, final)
  if (fence === PARTIAL) return 'more'
  // A fence behind a name on the same line is inline code.
  if (fence !== NONE && !text.slice(at, start).includes('\n')) return 'no'
  return probeObject(text, fence === NONE ? start : skipSpace(text, start + fence), final)
}

/** An object, with a key in quotes or nothing in it: other syntaxes have braces too. */
function probeObject(text: string, brace: number, final: boolean): Probe {
  if (brace < text.length && text.charAt(brace) !== '{') return 'no'
  const inside = skipBreaks(text, brace + 1)
  if (inside >= text.length) return final ? 'no' : 'more'
  return /["'}]/.test(text.charAt(inside)) ? 'yes' : 'no'
}

/** A code fence around arguments, or what is left of one. */
export const openingFence = searchFor('```json', '```JSON', '```', 'json')
