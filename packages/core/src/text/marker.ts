/** A literal, or pieces of one between which white space may stand, or a tag whose suffix is anybody's guess. */
export type Marker = TagMarker | readonly string[]

export type TagMarker = string | SuffixedTag

/** `<tool_call:opensource>`: vendors put a suffix of their own, behind a colon, into every token. */
export interface SuffixedTag {
  /** What stands in front of the colon. */
  readonly before: string
  /** What stands behind the suffix. */
  readonly after: string
}

/** The look-up ended inside a marker: more text is needed to tell. */
export const PARTIAL = -1
/** No marker starts here. */
export const NONE = 0

export const COLON = 58

/** Longer words are no suffix. */
const LONGEST_SUFFIX = 64

/** Length of the tag at `at`, or NONE, or PARTIAL if the text ends inside of it. */
export function matchTag(text: string, at: number, tag: TagMarker): number {
  if (typeof tag === 'string') return matchLiteral(text, at, tag)
  const before = matchLiteral(text, at, tag.before)
  if (before === NONE || before === PARTIAL) return before
  const colon = at + before
  if (colon === text.length) return PARTIAL
  const end = text.charCodeAt(colon) === COLON ? skipSuffix(text, colon + 1) : colon
  if (end === text.length && end - colon <= LONGEST_SUFFIX) return PARTIAL
  if (end <= colon + 1) return NONE
  const after = matchLiteral(text, end, tag.after)
  return after === NONE || after === PARTIAL ? after : end + after - at
}

/** Behind the suffix that begins at `at`. It is a word: what could end a tag ends it. */
export function skipSuffix(text: string, at: number): number {
  let end = at
  while (end < text.length && end - at < LONGEST_SUFFIX && !/[\s<>|｜]/.test(text.charAt(end))) end++
  return end
}

/**
 * Behind a worn tag, whose word ends at `at`: `</parameter1>`, `</parameter=city>`, or `</parameter` at the end of a line. NONE
 * where another word stands there, PARTIAL where the text ends before one can tell.
 */
export function wornEnd(text: string, at: number, end: number): number {
  if (at < end && !/[\d=s\s>"'<]/.test(text.charAt(at))) return NONE
  let isBlank = true
  for (let to = at; to < end && to - at <= LONGEST_SUFFIX; to++) {
    const char = text.charAt(to)
    if (char === '>') return to + 1
    if (char === '<' || char === '\n') return isBlank ? to : NONE
    isBlank &&= /\s/.test(char)
  }
  return end - at > LONGEST_SUFFIX ? NONE : PARTIAL
}

/** Whether the text ends with the marker. */
export function endsWithMarker(text: string, marker: Marker): boolean {
  if (typeof marker === 'string' || !('before' in marker)) return text.endsWith(spelled(marker).trimEnd())
  const at = text.lastIndexOf(marker.before)
  return at >= 0 && matchTag(text, at, marker) === text.length - at
}

/** A marker as it may be written. */
export function spelled(marker: Marker): string {
  if (typeof marker === 'string') return marker
  return 'before' in marker ? `${marker.before}:suffix${marker.after}` : marker.join('')
}

const pieceBreak = '\0'
const anySuffix = '\0:\0'

/** A marker as one string, by which it can be told from others. */
export function keyOf(marker: Marker): string {
  if (typeof marker === 'string') return marker
  return 'before' in marker ? marker.before + anySuffix + marker.after : marker.join(pieceBreak)
}

export function markerOf(key: string): Marker {
  const [before = '', after] = key.split(anySuffix)
  if (after !== undefined) return { before, after }
  return key.includes(pieceBreak) ? key.split(pieceBreak) : key
}

function matchLiteral(text: string, at: number, literal: string): number {
  if (text.startsWith(literal, at)) return literal.length
  return text.length - at < literal.length && literal.startsWith(text.slice(at)) ? PARTIAL : NONE
}
