import type { Format } from '../../formats/format.ts'
import type { Entry, LexiconOptions, StrippedEntry, Vocabulary } from './entry.ts'
import type { Heading } from './heading.ts'

/** Where such words are looked for; `expected`: the answer has shown that its tokens are lost. */
export type StrippedPlace = 'answer' | 'content' | 'expected content' | 'expected reasoning'

/**
 * Adds the words of stripped headers. Of a format that nobody named they are looked for only at the start of an
 * answer and of a line: anywhere else all prose would be looked at for them.
 */
export function addStripped(
  search: Vocabulary,
  formats: readonly Format[],
  place: StrippedPlace,
  { salvages }: LexiconOptions,
): void {
  for (const [index, { id, channels, grammars }] of formats.entries()) {
    if (channels?.stripped === undefined) continue
    const { callBegin, first, next } = channels.stripped
    const isNamed = index === 0
    const add = (marker: string, entry: Pick<StrippedEntry, 'begins' | 'route' | 'lead'>): void => {
      const heading: Heading = { format: id, channels, grammars, isNamed }
      const added: Entry = { is: 'stripped', heading, isNamed, ...entry }
      // What means something already goes on meaning that.
      if (search.get(marker) === undefined) search.add(marker, added)
    }
    if (salvages && (isNamed || place !== 'expected reasoning')) {
      for (const marker of callBegin) {
        if (isNamed || place !== 'content') add(marker, { begins: 'call', route: 'content', lead: 0 })
        if (!isNamed) add(`\n${marker}`, { begins: 'call', route: 'content', lead: 1 })
      }
    }
    if (place === 'answer' && (isNamed || salvages)) {
      for (const marker of first)
        add(marker, { begins: 'first', route: channels.routes[marker] ?? 'content', lead: 0 })
    }
    if (isNamed && place.startsWith('expected')) {
      for (const [marker, route] of Object.entries(next)) add(marker, { begins: 'next', route, lead: 0 })
    }
  }
}
