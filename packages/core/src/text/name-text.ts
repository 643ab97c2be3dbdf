import { matchTag, NONE, PARTIAL, type TagMarker } from './marker.ts'
import { isSpace, skipSpace } from './space.ts'

/** A name that stands as text behind a tag, and where what belongs to it ends. */
export interface NameText {
  readonly name: string
  readonly end: number
}

/** Longer texts are no names. */
const LONGEST_NAME = 256

/**
 * Reads a name that is one word, `<tool_call>NAME`. A line break, the next tag or a brace ends it: any other
 * text behind it makes it prose. `end` belongs to it where it follows.
 */
export function readWord(
  text: string,
  from: number,
  end: TagMarker,
  final: boolean,
): NameText | 'more' | 'bad' {
  const start = skipSpace(text, from)
  let at = start
  while (at < text.length && at - start <= LONGEST_NAME && !endsWord(text, at)) at++
  const name = text.slice(start, at)
  if (at - start > LONGEST_NAME) return 'bad'
  const behind = skipSpace(text, at)
  if (behind === text.length) return final ? 'bad' : 'more'
  if (!/[\p{L}\p{N}_]/u.test(name)) return 'bad'
  const length = matchTag(text, behind, end)
  if (length === PARTIAL && !final) return 'more'
  if (length > NONE) return { name, end: behind + length }
  const isEnded = /[<{]/.test(text.charAt(behind)) || text.slice(at, behind).includes('\n')
  return isEnded ? { name, end: at } : 'bad'
}

/**
 * Reads a key between tags of its own, up to the tag `end` that opens its value. Models repeat the tags
 * `around` it and forget them: one of them is enough.
 */
export function readKey(
  text: string,
  from: number,
  around: readonly TagMarker[],
  end: TagMarker,
): NameText | 'more' | 'bad' {
  const start = skipTags(text, from, around)
  if (start === 'more') return 'more'
  let at = start.at
  while (at < text.length && at - start.at <= LONGEST_NAME && !/[<\n]/.test(text.charAt(at))) at++
  if (at === text.length) return 'more'
  const name = text.slice(start.at, at).trim()
  if (name === '' || at - start.at > LONGEST_NAME) return 'bad'
  const closed = skipTags(text, at, around)
  const length = closed === 'more' ? PARTIAL : matchTag(text, closed.at, end)
  if (closed === 'more' || length === PARTIAL) return 'more'
  if (length > NONE) return { name, end: closed.at + length }
  // The tag of the value is missing: it begins right behind the key.
  return closed.last > at ? { name, end: closed.last } : 'bad'
}

/** Behind the tags and white space at `from`, and right behind the last of the tags. */
function skipTags(
  text: string,
  from: number,
  tags: readonly TagMarker[],
): { readonly at: number; readonly last: number } | 'more' {
  let last = from
  for (;;) {
    const at = skipSpace(text, last)
    const lengths = tags.map((tag) => matchTag(text, at, tag))
    if (at === text.length || lengths.includes(PARTIAL)) return 'more'
    const length = Math.max(...lengths)
    if (length === NONE) return { at, last }
    last = at + length
  }
}

function endsWord(text: string, at: number): boolean {
  return isSpace(text.charCodeAt(at)) || '<>{}[]()"\'`=,;'.includes(text.charAt(at))
}
