import { type Marker, MarkerSearch, NONE, PARTIAL, searchFor } from '../text/marker-search.ts'
import { skipSpace } from '../text/space.ts'
import type { HeaderShape } from './call-header.ts'
import type { Probe } from './engine.ts'

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
  readonly header: HeaderShape
  /** A header of exactly this word: the name is on the line behind the separator instead. */
  readonly typeWord?: string
}

export type NameThenArgsRole = 'section-begin' | 'section-end' | 'call-begin' | 'separator' | 'call-end'

export interface NameThenArgsMarkers {
  readonly all: MarkerSearch<NameThenArgsRole>
  /** What can stand where the arguments end. */
  readonly ends: MarkerSearch<NameThenArgsRole>
}

const compiled = new WeakMap<NameThenArgsGrammar, NameThenArgsMarkers>()

export function markersOf(grammar: NameThenArgsGrammar): NameThenArgsMarkers {
  let markers = compiled.get(grammar)
  if (markers === undefined) {
    markers = {
      all: search(grammar, ['section-begin', 'section-end', 'call-begin', 'separator', 'call-end']),
      ends: search(grammar, ['section-end', 'call-begin', 'call-end']),
    }
    compiled.set(grammar, markers)
  }
  return markers
}

function search(
  grammar: NameThenArgsGrammar,
  roles: readonly NameThenArgsRole[],
): MarkerSearch<NameThenArgsRole> {
  const byRole = {
    'section-begin': grammar.sectionBegin,
    'section-end': grammar.sectionEnd,
    'call-begin': grammar.callBegin,
    separator: grammar.separator,
    'call-end': grammar.callEnd,
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
  text: string,
  at: number,
  final: boolean,
): Probe {
  if (opener === 'call') {
    return grammar.separator.length === 0
      ? probeBareHeader(text, at, final)
      : probeHeader(grammar, text, at, final)
  }
  const start = skipSpace(text, at)
  if (start === text.length) return final ? 'no' : 'more'
  const { all } = markersOf(grammar)
  const length = all.match(text, start, final)
  if (length === PARTIAL) return 'more'
  return length !== NONE && (all.found === 'call-begin' || all.found === 'section-begin') ? 'yes' : 'no'
}

/** Another grammar may use the same marker: what ends the header tells whose it is. */
function probeHeader(grammar: NameThenArgsGrammar, text: string, at: number, final: boolean): Probe {
  const { all } = markersOf(grammar)
  const length = all.find(text, at, final)
  const header = text.slice(at, all.index)
  const brace = header.indexOf('{')
  // A token of another grammar stands in it.
  if (header.slice(0, brace < 0 ? header.length : brace).includes('<')) return 'no'
  if (brace >= 0) return 'yes'
  if (length === PARTIAL || length === NONE) return final ? 'no' : 'more'
  return all.found === 'separator' || all.found === 'call-end' || all.found === 'section-end' ? 'yes' : 'no'
}

/** A header without markers around it: a word with a number, then at once the bracket of the arguments. */
function probeBareHeader(text: string, at: number, final: boolean): Probe {
  let end = at
  while (end < text.length && /[\w.:-]/.test(text.charAt(end))) end++
  if (end === text.length) return final ? 'no' : 'more'
  return /:\d+$/.test(text.slice(at, end)) && text.charAt(end) === '{' ? 'yes' : 'no'
}

/** A code fence around arguments, or what is left of one. */
export const openingFence = searchFor('```json', '```JSON', '```', 'json')
