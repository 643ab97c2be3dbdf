import { type MarkerSearch, NONE, PARTIAL } from '../text/marker-search.ts'
import { skipSpace } from '../text/space.ts'
import type { Entry } from './lexicon.ts'
import type { Opening } from './opening.ts'

const BACKTICK = 96
/** Longer words behind a fence name no language. */
const LONGEST_INFO = 32

/** Length of the run of backticks at `at`; `more` while it may go on in the next chunk. */
export function readBackticks(text: string, at: number, final: boolean): number | 'more' {
  let end = at
  while (end < text.length && text.charCodeAt(end) === BACKTICK) end++
  return end === text.length && !final ? 'more' : end - at
}

export interface FencedOpening {
  readonly openings: readonly Opening[]
  readonly at: number
  readonly length: number
}

/** An opener that is the first thing in a code fence. `at` is right behind the backticks. */
export function findFencedOpening(
  text: string,
  at: number,
  search: MarkerSearch<Entry>,
  final: boolean,
): FencedOpening | 'more' | undefined {
  let lineEnd = at
  while (lineEnd < text.length && /[\w+-]/.test(text.charAt(lineEnd))) lineEnd++
  if (lineEnd - at > LONGEST_INFO) return undefined
  const start = skipSpace(text, lineEnd)
  if (start - lineEnd > LONGEST_INFO) return undefined
  if (start === text.length) return final ? undefined : 'more'
  if (!text.slice(lineEnd, start).includes('\n')) return undefined
  const length = search.match(text, start, final)
  if (length === PARTIAL) return 'more'
  const entry = search.value
  if (length === NONE || entry?.is !== 'opener') return undefined
  return { openings: entry.openings, at: start, length }
}
