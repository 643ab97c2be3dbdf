import type { Format, Grammar } from '../../formats/format.ts'
import { keyOf, type Marker } from '../../text/marker.ts'
import type { HeaderOpening, Opening } from './opening.ts'

/** Openers by marker. The same marker may open several grammars; what follows it decides. */
export function collectOpenings(formats: readonly Format[], salvages: boolean): Map<string, Opening[]> {
  const openers = new Map<string, Opening[]>()
  const add = (marker: Marker, opening: Opening): void => {
    const key = keyOf(marker)
    const known = openers.get(key) ?? []
    openers.set(key, known)
    const isKnown = known.some((each) => each.grammar === opening.grammar && each.opens === opening.opens)
    if (!isKnown) known.push(opening)
  }
  for (const [index, { id: format, grammars }] of formats.entries()) {
    for (const grammar of grammars)
      addOpenings(grammar, { format, isSalvage: false, isNamed: index === 0 }, add)
  }
  if (!salvages) return openers
  for (const [index, { id: format, salvage }] of formats.entries()) {
    const source = { format, isSalvage: true, isNamed: false }
    // Of a format that nobody named, words, dashes and stars are not looked for: all prose would be looked at for them.
    const addMarked = (marker: Marker, opening: Opening): void => {
      if (index === 0 || !/^[a-z*-]/i.test(keyOf(marker))) add(marker, opening)
    }
    for (const grammar of salvage) addOpenings(grammar, source, addMarked)
  }
  return openers
}

/** Headers with which an output may begin, only of a format that was named: a word says nothing. */
export function headerOpenings(format: Format | undefined, salvages: boolean): HeaderOpening[] {
  const of = (grammars: readonly Grammar[], isSalvage: boolean): HeaderOpening[] =>
    grammars
      .filter((grammar) => grammar.engine === 'name-then-args' || grammar.engine === 'pythonic')
      .filter((grammar) => grammar.isFirst === true)
      .map((grammar) => ({
        format: format?.id ?? 'standard',
        grammar,
        opens: 'call',
        isSalvage,
        isNamed: true,
      }))
  return [...of(format?.grammars ?? [], false), ...of(salvages ? (format?.salvage ?? []) : [], true)]
}

function addOpenings(
  grammar: Grammar,
  source: Pick<Opening, 'format' | 'isSalvage' | 'isNamed'>,
  add: (marker: Marker, opening: Opening) => void,
): void {
  if (grammar.engine === 'delimited-json') {
    const isBare = grammar.isBare === true
    // To a format that nobody named, a bracket belongs only by salvage.
    if (isBare && !source.isSalvage && !source.isNamed) return
    for (const marker of grammar.callBegin)
      add(marker, { ...source, grammar, opens: isBare ? 'bare' : 'call' })
    return
  }
  if (grammar.engine === 'key-values') {
    for (const marker of grammar.callBegin) add(marker, { ...source, grammar, opens: 'call' })
    return
  }
  for (const marker of grammar.sectionBegin) add(marker, { ...source, grammar, opens: 'section' })
  if (grammar.engine === 'pythonic') {
    if (!source.isSalvage && !source.isNamed) return
    for (const marker of grammar.bareBegin) add(marker, { ...source, grammar, opens: 'bare' })
    return
  }
  if (grammar.engine === 'name-then-args') {
    if (grammar.needsSection === true) return
    for (const marker of grammar.callBegin) add(marker, { ...source, grammar, opens: 'call' })
  } else if (grammar.isSectionOptional || (source.isSalvage && !('closesByName' in grammar))) {
    for (const tag of grammar.callBegin) add(tag.open, { ...source, grammar, opens: 'call', tag })
  }
}
