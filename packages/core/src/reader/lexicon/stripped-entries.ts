import type { TextRoute } from '../../engines/messages/grammar.ts'
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
    const entryOf = (begins: StrippedEntry['begins'], route: TextRoute, startsLine = false): Entry => {
      const heading: Heading = { format: id, channels, grammars, isNamed }
      return { is: 'stripped', heading, begins, route, isNamed, startsLine }
    }
    // What means something already goes on meaning that.
    const add = (marker: string, entry: Entry): void => {
      if (search.get(marker) === undefined) search.add(marker, entry)
    }
    if (salvages && (isNamed || place !== 'expected reasoning')) {
      for (const marker of callBegin) {
        if (isNamed || place !== 'content') add(marker, entryOf('call', 'content'))
        if (!isNamed && search.get(`\n${marker}`) === undefined) {
          search.addBehindBreak(marker, entryOf('call', 'content', true))
        }
      }
    }
    if (place === 'answer' && (isNamed || salvages)) {
      for (const marker of first) add(marker, entryOf('first', channels.routes[marker] ?? 'content'))
    }
    if (isNamed && place.startsWith('expected')) {
      for (const [marker, route] of Object.entries(next)) add(marker, entryOf('next', route))
    }
  }
}
