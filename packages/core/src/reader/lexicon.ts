import type { FormatId } from '../formats/format-id.ts'
import type { Format, Grammar } from '../formats/format.ts'
import { type Marker, MarkerSearch } from '../text/marker-search.ts'
import type { Opening } from './opening.ts'

/** What a marker means outside of calls. */
export type Entry =
  | { readonly is: 'opener'; readonly openings: readonly Opening[] }
  | { readonly is: 'reasoning-begin' | 'reasoning-end' | 'structure' | 'fence-mark' }
  /** A token that ends a turn. What looks like ordinary text counts only at the very end. */
  | { readonly is: 'turn-token'; readonly onlyAtEnd: boolean }
  /** Closes something that is not open, in one of these grammars. */
  | { readonly is: 'residue'; readonly grammars: readonly Grammar[] }

/** A set of markers to look for. */
export type Vocabulary = MarkerSearch<Entry>

/** Everything that is looked for outside of calls, by where in the output one is. */
export interface Lexicon {
  /** At the start of an answer: only there can a call stand without any marker. */
  readonly answer: Vocabulary
  readonly content: Vocabulary
  /** In text that was already found to be no call: plain-text openers do not count. */
  readonly triedContent: Vocabulary
  /** Inside a code fence: only special tokens count. */
  readonly fencedContent: Vocabulary
  readonly reasoning: Vocabulary
  readonly triedReasoning: Vocabulary
  /** Nothing at all is looked for: text can be passed on unseen. */
  readonly isEmpty: boolean
}

export interface LexiconOptions {
  /** Tools were offered, or nobody knows. */
  readonly readsCalls: boolean
  /** Tools are known by name: text that is a call without saying so can be told from prose. */
  readonly salvages: boolean
}

/** These may be meant as they stand: `<s>` is struck-through text in HTML. */
const onlyAtEnd: ReadonlySet<string> = new Set(['</s>', '[EOS]'])

export function buildLexicon(formats: readonly Format[], options: LexiconOptions): Lexicon {
  const openers = options.readsCalls
    ? collectOpenings(formats, options.salvages)
    : new Map<string, Opening[]>()
  const isEmpty = openers.size === 0 && formats.every((format) => format.reasoning.length === 0)
  const build = (where: Where): Vocabulary => {
    const search = new MarkerSearch<Entry>()
    const isFenced = where === 'fencedContent'
    if (options.readsCalls) {
      if (!isFenced) addResidue(search, formats)
      addTurnTokens(search, formats, isFenced)
    }
    addStructure(search, formats, isFenced)
    for (const [key, openings] of openers) {
      const usable = openings.filter((opening) => isReadIn(where, opening))
      if (usable.length > 0) search.add(markerOf(key), { is: 'opener', openings: usable })
    }
    if (!isEmpty && where !== 'reasoning' && where !== 'triedReasoning') {
      search.add('`', { is: 'fence-mark' })
      search.add('~', { is: 'fence-mark' })
    }
    return search
  }
  return {
    answer: build('answer'),
    content: build('content'),
    triedContent: build('triedContent'),
    fencedContent: build('fencedContent'),
    reasoning: build('reasoning'),
    triedReasoning: build('triedReasoning'),
    isEmpty,
  }
}

type Where = Exclude<keyof Lexicon, 'isEmpty'>

function isReadIn(where: Where, opening: Opening): boolean {
  if (opening.grammar.isSpecial || where === 'answer') return true
  if (where === 'content') return opening.opens !== 'bare'
  return where === 'reasoning' && !opening.isSalvage
}

/** Openers by marker. The same marker may open several grammars; what follows it decides. */
function collectOpenings(formats: readonly Format[], salvages: boolean): Map<string, Opening[]> {
  const openers = new Map<string, Opening[]>()
  const add = (marker: Marker, opening: Opening): void => {
    const key = keyOf(marker)
    const known = openers.get(key) ?? []
    openers.set(key, known)
    const isKnown = known.some((each) => each.grammar === opening.grammar && each.opens === opening.opens)
    if (!isKnown) known.push(opening)
  }
  for (const format of formats) {
    for (const grammar of format.grammars) addOpenings(format.id, grammar, false, add)
  }
  if (!salvages) return openers
  for (const format of formats) {
    for (const grammar of format.salvage) addOpenings(format.id, grammar, true, add)
  }
  return openers
}

function addOpenings(
  format: FormatId,
  grammar: Grammar,
  isSalvage: boolean,
  add: (marker: Marker, opening: Opening) => void,
): void {
  if (grammar.engine === 'delimited-json') {
    const opens = grammar.isBare === true ? 'bare' : 'call'
    for (const marker of grammar.callBegin) add(marker, { format, grammar, opens, isSalvage })
    return
  }
  for (const marker of grammar.sectionBegin) add(marker, { format, grammar, opens: 'section', isSalvage })
  if (grammar.engine === 'name-then-args') {
    for (const marker of grammar.callBegin) add(marker, { format, grammar, opens: 'call', isSalvage })
  } else if (grammar.isSectionOptional || isSalvage) {
    for (const tag of grammar.callBegin) add(tag.open, { format, grammar, opens: 'call', tag, isSalvage })
  }
}

/** Code may speak of such a token; at the very end it is one, even behind a fence that was never closed. */
function addTurnTokens(search: MarkerSearch<Entry>, formats: readonly Format[], isFenced: boolean): void {
  for (const format of formats) {
    for (const marker of format.turnTokens) {
      search.add(marker, { is: 'turn-token', onlyAtEnd: isFenced || onlyAtEnd.has(keyOf(marker)) })
    }
  }
}

function addStructure(search: MarkerSearch<Entry>, formats: readonly Format[], isFenced: boolean): void {
  for (const format of formats) {
    for (const marker of format.structure) search.add(marker, { is: 'structure' })
    if (isFenced) continue
    for (const { begin, end } of format.reasoning) {
      search.add(begin, { is: 'reasoning-begin' })
      search.add(end, { is: 'reasoning-end' })
    }
  }
}

function addResidue(search: MarkerSearch<Entry>, formats: readonly Format[]): void {
  for (const format of formats) {
    for (const grammar of [...format.grammars, ...format.salvage]) {
      for (const marker of closingMarkers(grammar)) {
        const known = search.get(marker)
        const grammars = known?.is === 'residue' ? known.grammars : []
        search.add(marker, { is: 'residue', grammars: [...grammars, grammar] })
      }
    }
  }
}

function closingMarkers(grammar: Grammar): readonly Marker[] {
  switch (grammar.engine) {
    case 'delimited-json':
      return grammar.callEnd
    case 'name-then-args':
      return [...grammar.callEnd, ...grammar.sectionEnd, ...grammar.separator]
    case 'tagged-params':
      return [...grammar.parameterEnd, ...grammar.callEnd, ...grammar.sectionEnd]
  }
}

const pieceBreak = '\0'

function keyOf(marker: Marker): string {
  return typeof marker === 'string' ? marker : marker.join(pieceBreak)
}

function markerOf(key: string): Marker {
  return key.includes(pieceBreak) ? key.split(pieceBreak) : key
}
