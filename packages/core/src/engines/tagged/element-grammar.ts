import { madeOnce } from '../../text/made-once.ts'
import { MarkerSearch } from '../../text/marker-search.ts'
import { type Marker, NONE, PARTIAL } from '../../text/marker.ts'
import { skipSpace } from '../../text/space.ts'
import { readTag } from '../../text/tag-reader.ts'
import type { Probe } from '../engine.ts'
import { readElementTag } from './element-tag.ts'
import type { OpeningTag } from './grammar.ts'

/** A call as a tag with a tree of elements in it: one for each parameter, and further ones inside them. */
export interface ElementTreeGrammar {
  readonly engine: 'element-tree'
  readonly id: string
  /** The markers are tokens of their own in the model's vocabulary: never prose. */
  readonly isSpecial: boolean
  readonly isSectionOptional: boolean
  readonly sectionBegin: readonly Marker[]
  readonly sectionEnd: readonly Marker[]
  readonly callBegin: readonly OpeningTag[]
  readonly callEnd: readonly Marker[]
  /** The tag of a call inside a section, where the token before it was forgotten. */
  readonly looseCallBegin: readonly OpeningTag[]
  /** The token before every tag; empty where a server has stripped it. */
  readonly prefix: string
  /** What the items of an array are called. */
  readonly item: string
  /** Names of elements that show another syntax. */
  readonly foreign: readonly string[]
}

export type ElementTreeRole =
  | { readonly is: 'section-begin' | 'section-end' | 'call-end' }
  | { readonly is: 'call-begin'; readonly tag: OpeningTag }

export const treeMarkersOf = madeOnce((grammar: ElementTreeGrammar): MarkerSearch<ElementTreeRole> => {
  const markers = new MarkerSearch<ElementTreeRole>()
  for (const marker of grammar.sectionBegin) markers.add(marker, { is: 'section-begin' })
  for (const marker of grammar.sectionEnd) markers.add(marker, { is: 'section-end' })
  for (const marker of grammar.callEnd) markers.add(marker, { is: 'call-end' })
  for (const tag of [...grammar.callBegin, ...grammar.looseCallBegin]) {
    markers.add(tag.open, { is: 'call-begin', tag })
  }
  return markers
})

/** What must follow the opener of a section: the tag of a call, after white space. */
export function probeElementTree(
  grammar: ElementTreeGrammar,
  tag: OpeningTag | undefined,
  text: string,
  at: number,
  final: boolean,
): Probe {
  if (tag !== undefined) return probeCall(grammar, tag, text, at, final)
  const start = skipSpace(text, at)
  if (start === text.length) return final ? 'no' : 'more'
  const markers = treeMarkersOf(grammar)
  const length = markers.match(text, start, final)
  if (length === PARTIAL) return 'more'
  if (length === NONE || markers.found.is !== 'call-begin') return 'no'
  return probeCall(grammar, markers.found.tag, text, start + length, final)
}

function probeCall(
  { prefix, foreign }: ElementTreeGrammar,
  shape: OpeningTag,
  text: string,
  at: number,
  final: boolean,
): Probe {
  const tag = readTag(text, at, shape, final)
  if (tag === 'more') return 'more'
  if (tag === 'bad') return 'no'
  if (foreign.length === 0 || tag.isSelfClosing) return 'yes'
  const first = readElementTag(text, skipSpace(text, tag.end), prefix, final)
  if (first === 'more') return 'more'
  return first !== 'none' && !foreign.includes(wordOf(text, tag.end)) ? 'yes' : 'no'
}

/** The first word of the tag behind `at`: its name, whatever attributes it has. */
function wordOf(text: string, at: number): string {
  return /^\s*<\/?(\w*)/.exec(text.slice(at))?.[1] ?? ''
}
