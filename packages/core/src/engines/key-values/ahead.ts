import type { MarkerSearch } from '../../text/marker-search.ts'
import { NONE, PARTIAL } from '../../text/marker.ts'
import { skipSpace } from '../../text/space.ts'
import type { TextWindow } from '../../text/text-window.ts'
import type { Probe } from '../engine.ts'
import type { KeyValuesMarkers } from './grammar.ts'

/** What a value stands in. */
export interface Container {
  readonly is: 'object' | 'list'
  /** The bracket that closes it. */
  readonly closer: string
  /** It is the object of all the arguments. */
  readonly isOutermost: boolean
  /** The tool says which parameters it has. */
  readonly isKnown: boolean
  /** Whether a parameter of this name may follow. */
  readonly expects: (key: string) => boolean
}

interface Key {
  readonly name: string
  /** Position behind the colon. */
  readonly end: number
}

/** Longer texts in front of a colon are no keys. */
const LONGEST_KEY = 128
/** What stands behind a value is looked at this far. */
const LONGEST_LOOK = 200

/** Reads `key:` or `key=`, in quotes or not. */
export function readKey(
  markers: KeyValuesMarkers,
  text: string,
  from: number,
  final: boolean,
): Key | 'more' | 'none' {
  const { textMarks } = markers
  const mark = textMarks.match(text, from, final)
  if (mark === PARTIAL) return 'more'
  const quote = text.charAt(from)
  if (mark === NONE && quote !== '"' && quote !== "'") return readBareKey(text, from, final)
  const start = from + (mark === NONE ? 1 : mark)
  const end = mark === NONE ? text.indexOf(quote, start) : findMark(textMarks, text, start)
  if (end < 0 || end - start > LONGEST_KEY) {
    return !final && text.length - start <= LONGEST_KEY + LONGEST_LOOK ? 'more' : 'none'
  }
  const behind = skipSpace(text, end + (mark === NONE ? 1 : mark))
  if (behind === text.length) return final ? 'none' : 'more'
  return isSign(text.charAt(behind)) ? { name: text.slice(start, end), end: behind + 1 } : 'none'
}

function findMark(textMarks: MarkerSearch<true>, text: string, from: number): number {
  return textMarks.find(text, from, true) > 0 ? textMarks.index : -1
}

function readBareKey(text: string, from: number, final: boolean): Key | 'more' | 'none' {
  let end = from
  while (end < text.length && end - from <= LONGEST_KEY && !/[()[\]{},:=<>\n]/.test(text.charAt(end))) end++
  if (end === text.length) return final || end - from > LONGEST_KEY ? 'none' : 'more'
  const name = text.slice(from, end).trim()
  return name !== '' && isSign(text.charAt(end)) ? { name, end: end + 1 } : 'none'
}

function isSign(char: string): boolean {
  return char === ':' || char === '='
}

/** Whether a value may end where `at` stands: behind its closing mark, or at a bracket or comma in bare text. */
export function endsValue(
  markers: KeyValuesMarkers,
  container: Container,
  input: TextWindow,
  at: number,
  isBareText: boolean,
): Probe {
  const limit = at + LONGEST_LOOK
  const text = input.text.slice(0, limit)
  const final = input.final || input.text.length >= limit
  const start = skipSpace(text, at)
  if (start === text.length) return final ? 'yes' : 'more'
  const char = text.charAt(start)
  if (char === container.closer) return container.isOutermost ? 'yes' : isFollowed(text, start + 1, final)
  if (char === ',')
    return container.is === 'list'
      ? 'yes'
      : startsMember(markers, container, text, start + 1, final, isBareText)
  const end = markers.stops.match(text, start, final)
  if (end !== NONE) return end === PARTIAL ? 'more' : 'yes'
  if (container.is === 'list') return 'no'
  // A comma that was forgotten, in front of a parameter that the tool has.
  const key = readKey(markers, text, start, final)
  return key === 'more' ? 'more' : key !== 'none' && container.expects(key.name) ? 'yes' : 'no'
}

/** Whether nothing but closing brackets stands between `from` and what ends a call: a marker, the line, the stream. */
export function endsCall(input: TextWindow, from: number): Probe {
  const { text } = input
  let at = from
  while (at < text.length && at - from < LONGEST_LOOK && /[ \t}\])]/.test(text.charAt(at))) at++
  if (at === text.length) return input.final ? 'yes' : 'more'
  return '<\n\r'.includes(text.charAt(at)) ? 'yes' : 'no'
}

function isFollowed(text: string, from: number, final: boolean): Probe {
  const at = skipSpace(text, from)
  if (at === text.length) return final ? 'yes' : 'more'
  return ',]})<'.includes(text.charAt(at)) ? 'yes' : 'no'
}

function startsMember(
  markers: KeyValuesMarkers,
  container: Container,
  text: string,
  from: number,
  final: boolean,
  isBareText: boolean,
): Probe {
  const at = skipSpace(text, from)
  if (at === text.length) return final ? 'yes' : 'more'
  if (text.charAt(at) === container.closer) return 'yes'
  const key = readKey(markers, text, at, final)
  if (key === 'more' || key === 'none') return key === 'more' ? 'more' : 'no'
  if (!isBareText || !container.isKnown || container.expects(key.name)) return 'yes'
  // A text without marks may hold a comma, words and a colon: what the tool does not have is a key only with a mark behind it.
  const value = skipSpace(text, key.end)
  const mark = value === text.length ? PARTIAL : markers.textMarks.match(text, value, final)
  if (mark === PARTIAL) return final ? 'no' : 'more'
  return mark === NONE ? 'no' : 'yes'
}
