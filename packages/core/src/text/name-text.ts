import { matchTag, NONE, PARTIAL, type TagMarker } from './marker.ts'
import { isSpace, skipBreaks, skipSpace } from './space.ts'

/** A name that stands as text behind a tag, and where what belongs to it ends. */
export interface NameText {
  readonly name: string
  readonly end: number
  /** `bare`: the tag that should open its value is missing. `none`: another key follows, and no value. */
  readonly value?: 'bare' | 'none'
  /** The type that stands behind the name, in tags of its own. */
  readonly type?: string
}

/** The tags around a type. */
export interface TypeTags {
  readonly begin: string
  readonly end: string
}

/** Longer texts are no names. */
const LONGEST_NAME = 256
/** A forgotten tag is only guessed at in front of a short word. */
const LONGEST_KEY = 64

/**
 * Reads a name that is one word, `<tool_call>NAME`. A line break, the next tag or a brace ends it: any other
 * text behind it makes it prose, but a key that was never opened. `end` belongs to it where it follows.
 */
export function readWord(
  text: string,
  from: number,
  end: TagMarker,
  keyEnd: TagMarker | undefined,
  final: boolean,
): NameText | 'more' | 'bad' {
  const start = skipSpace(text, from)
  let at = start
  while (at < text.length && at - start <= LONGEST_NAME && !endsWord(text, at)) at++
  // No tool has a name that ends in a colon: called by one, none would be found.
  const name = text.slice(start, at).replace(/:$/, '')
  if (at - start > LONGEST_NAME) return 'bad'
  if (at + 1 >= text.length && text.charAt(at) === '\\') return final ? 'bad' : 'more'
  // Some write the line break behind the name as a backslash and a letter.
  const behind = skipSpace(text, text.startsWith('\\n', at) ? at + 2 : at)
  if (behind === text.length) return final ? 'bad' : 'more'
  if (!/[\p{L}\p{N}_]/u.test(name)) return 'bad'
  const length = matchTag(text, behind, end)
  if (length === PARTIAL && !final) return 'more'
  if (length > NONE) return { name, end: behind + length }
  const isEnded = /[<{]/.test(text.charAt(behind)) || text.slice(at, behind).includes('\n')
  if (isEnded) return { name, end: behind }
  const key = keyEnd === undefined || at === behind ? 'bad' : findKeyEnd(text, behind, keyEnd, final)
  return key === 'yes' ? { name, end: behind } : key
}

/** Whether a short word with the tag behind it that closes a key stands there. */
function findKeyEnd(text: string, from: number, keyEnd: TagMarker, final: boolean): 'yes' | 'more' | 'bad' {
  let at = from
  while (at < text.length && at - from < LONGEST_KEY && /[\w.-]/.test(text.charAt(at))) at++
  const length = matchTag(text, at, keyEnd)
  if (at === text.length || length === PARTIAL) return final ? 'bad' : 'more'
  return at > from && length > NONE ? 'yes' : 'bad'
}

/**
 * Reads a key between the tags `around` it, the first of which opens it, up to the tag `end` that opens its value.
 * Models repeat these tags and forget them: one of them is enough.
 */
export function readKey(
  text: string,
  from: number,
  around: readonly TagMarker[],
  end: TagMarker,
  typeTags?: TypeTags,
): NameText | 'more' | 'bad' {
  const start = skipTags(text, from, around)
  if (start === 'more') return 'more'
  let at = start.at
  while (at < text.length && at - start.at <= LONGEST_NAME && !/[<\n]/.test(text.charAt(at))) at++
  if (at === text.length) return 'more'
  const name = text.slice(start.at, at).trim()
  if (name === '' || at - start.at > LONGEST_NAME) return 'bad'
  const [opener, ...closers] = around
  const key = skipTags(text, at, closers)
  if (key === 'more') return 'more'
  const next = opener === undefined || key.last === at ? NONE : matchTag(text, key.at, opener)
  if (next === PARTIAL) return 'more'
  if (next > NONE) return { name, end: key.last, value: 'none' }
  const closed = skipTags(text, at, around)
  const length = closed === 'more' ? PARTIAL : matchTag(text, closed.at, end)
  if (closed === 'more' || length === PARTIAL) return 'more'
  const type = typeTags === undefined ? undefined : readType(text, closed.at, typeTags, end)
  if (type === 'more') return 'more'
  if (type !== undefined) return { name, ...type }
  if (length > NONE) return { name, end: closed.at + length }
  if (closed.last === at) return 'bad'
  // The tag of the value is missing: it begins right behind the key. Or another key is opened, and this one was given up.
  return key.last === at ? { name, end: at, value: 'none' } : { name, end: closed.last, value: 'bare' }
}

/** Reads `<type>integer</type>` and the tag behind it that opens the value. Of `array[string]` the first word is enough. */
function readType(
  text: string,
  from: number,
  tags: TypeTags,
  end: TagMarker,
): { readonly type: string; readonly end: number } | 'more' | undefined {
  const begin = matchTag(text, from, tags.begin)
  if (begin === PARTIAL) return 'more'
  if (begin === NONE) return undefined
  const at = from + begin
  const close = text.indexOf(tags.end, at)
  if (close < 0) return text.length - at > LONGEST_NAME ? undefined : 'more'
  const behind = skipSpace(text, close + tags.end.length)
  const length = matchTag(text, behind, end)
  if (behind === text.length || length === PARTIAL) return 'more'
  const type = /^\w*/.exec(text.slice(at, close).trim())?.[0] ?? ''
  return { type, end: length > NONE ? behind + length : close + tags.end.length }
}

/** Behind the tags and white space at `from`, and right behind the last of the tags. */
function skipTags(
  text: string,
  from: number,
  tags: readonly TagMarker[],
): { readonly at: number; readonly last: number } | 'more' {
  let last = from
  for (;;) {
    const at = skipBreaks(text, last)
    const lengths = tags.map((tag) => matchTag(text, at, tag))
    if (at === text.length || lengths.includes(PARTIAL)) return 'more'
    const length = Math.max(NONE, ...lengths)
    if (length === NONE) return { at, last }
    last = at + length
  }
}

function endsWord(text: string, at: number): boolean {
  return isSpace(text.charCodeAt(at)) || '<>{}[]()"\'`=,;\\'.includes(text.charAt(at))
}
