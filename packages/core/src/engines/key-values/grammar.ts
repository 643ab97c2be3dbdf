import { madeOnce } from '../../text/made-once.ts'
import { MarkerSearch, searchFor } from '../../text/marker-search.ts'
import { type Marker, NONE, PARTIAL } from '../../text/marker.ts'
import { skipSpace } from '../../text/space.ts'
import type { Probe } from '../engine.ts'
import type { ToolSet } from '../tool-set.ts'

/** A call as `call:NAME{key:value,…}`, with a marker of its own around texts. */
export interface KeyValuesGrammar {
  readonly engine: 'key-values'
  readonly id: string
  /** The markers are tokens of their own in the model's vocabulary: never prose. */
  readonly isSpecial: boolean
  readonly callBegin: readonly Marker[]
  readonly callEnd: readonly Marker[]
  /** Stands in front of the name, unless the model forgets it. */
  readonly namePrefix: string
  /** One of them stands before a text and behind it. Texts are not escaped. Left out: they stand in quotes. */
  readonly textMarks?: readonly string[]
  /** Every value is written as a text: the tool's definition tells what it is. */
  readonly isUntyped?: boolean
}

/** The name of a call, and the position of the bracket that opens its arguments. */
interface CallHead {
  readonly name: string
  readonly from: number
  readonly end: number
  /** The call ends there, in place of the bracket. */
  readonly isBare?: true
}

const LONGEST_NAME = 128

/** Reads `call:NAME` up to the brace, or the parenthesis that some write instead. */
export function readHead(
  grammar: KeyValuesGrammar,
  text: string,
  from: number,
  final: boolean,
): CallHead | 'more' | 'none' {
  const ended = final ? 'none' : 'more'
  const prefix = grammar.namePrefix
  // Some write it twice. A name that begins with it would be that of no tool.
  const start = skipPrefix(prefix, text, skipPrefix(prefix, text, skipSpace(text, from)))
  if (prefix !== '' && prefix.startsWith(text.slice(start))) return ended
  let end = start
  while (end < text.length && end - start <= LONGEST_NAME && !/[\s"'`()[\]{}<>,;=|\\]/.test(text.charAt(end)))
    end++
  const name = text.slice(start, end)
  if (end - start > LONGEST_NAME || !/^$|^[\p{L}\p{N}_$@]/u.test(name)) return 'none'
  const open = skipSpace(text, end)
  // Some write both, as code does: `NAME({…})`.
  const inner = text.charAt(open) === '(' ? skipSpace(text, open + 1) : open
  if (inner === text.length) return ended
  if (name === '') return 'none'
  if ('{('.includes(text.charAt(open))) {
    return { name, from: start, end: text.charAt(inner) === '{' ? inner : open }
  }
  const { stops } = keyValuesMarkers(grammar)
  const stop = stops.match(text, open, final)
  if (stop === PARTIAL) return ended
  return stop > NONE && stops.found === 'end' ? { name, from: start, end: open, isBare: true } : 'none'
}

/** Behind the prefix, or behind its colon where the word in front of that is forgotten. */
function skipPrefix(prefix: string, text: string, at: number): number {
  if (text.startsWith(prefix, at)) return at + prefix.length
  return text.charAt(at) === ':' ? at + 1 : at
}

/** What must follow the opener: the name of a call and its bracket. */
export function probeKeyValues(
  grammar: KeyValuesGrammar,
  accepts: (name: string) => boolean,
  text: string,
  at: number,
  final: boolean,
): Probe {
  const head = readHead(grammar, text, at, final)
  if (head === 'more') return 'more'
  if (head === 'none') return 'no'
  return (grammar.isSpecial && head.isBare !== true) || accepts(head.name) ? 'yes' : 'no'
}

/** A namespace in front of the name of an offered tool is not part of it, nor is the prefix where it lacks its colon. */
export function toolMeant(prefix: string, tools: ToolSet, written: string): string {
  if (tools.has(written)) return written
  const start = Math.max(written.lastIndexOf(':'), written.lastIndexOf('.')) + 1
  const glued = prefix !== '' && written.startsWith(prefix.slice(0, -1)) ? prefix.length - 1 : 0
  const last = written.slice(start || glued)
  return tools.has(last) ? last : written
}

export interface KeyValuesMarkers {
  readonly textMarks: MarkerSearch<true>
  /** The end of a call, or the beginning of the next. */
  readonly stops: MarkerSearch<'end' | 'begin'>
  /** What may end a text: its mark, or, where that was forgotten, what stops the call. */
  readonly inText: MarkerSearch<'mark' | 'end' | 'begin'>
}

export const keyValuesMarkers = madeOnce((grammar: KeyValuesGrammar): KeyValuesMarkers => {
  const stops = new MarkerSearch<'end' | 'begin'>()
  const inText = new MarkerSearch<'mark' | 'end' | 'begin'>()
  for (const search of [stops, inText]) {
    for (const marker of grammar.callEnd) search.add(marker, 'end')
    // Where nothing ends a call, what begins one may be a word.
    if (grammar.callEnd.length > 0) for (const marker of grammar.callBegin) search.add(marker, 'begin')
  }
  const marks = grammar.textMarks ?? []
  for (const mark of marks) inText.add(mark, 'mark')
  return {
    textMarks: searchFor(...marks),
    stops,
    inText,
  }
})
