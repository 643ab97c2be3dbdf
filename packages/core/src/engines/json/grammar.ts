import { JsonScanner } from '../../text/json-scanner.ts'
import type { Marker } from '../../text/marker.ts'
import { skipBreaks } from '../../text/space.ts'
import type { Probe } from '../engine.ts'

/** Calls as JSON objects between two markers: one object, several, or an array of them. */
export interface DelimitedJsonGrammar {
  readonly engine: 'delimited-json'
  readonly id: string
  /** The markers are tokens of their own in the model's vocabulary: never prose. */
  readonly isSpecial: boolean
  readonly callBegin: readonly Marker[]
  readonly callEnd: readonly Marker[]
  readonly envelope: EnvelopeShape
  /** There are no markers: `callBegin` is how the JSON itself begins. */
  readonly isBare?: boolean
  /** Prose may hold the opener as well: nothing is wrong where no call follows it. */
  readonly isPlain?: boolean
  /** The opener holds the bracket of the array. */
  readonly opensArray?: boolean
  /** Each object has a line of its own: a line that begins with another ends one that is broken. */
  readonly hasLines?: boolean
  /** How the array begins where an object stands around it, `{"tool_calls": [`. */
  readonly listBegin?: readonly Marker[]
  /** Most models leave the end marker out: a call without it is complete. */
  readonly isEndOptional?: boolean
  /** The name of a declared tool opens the call, between one of these and one of those. */
  readonly namePrefixes?: readonly string[]
  readonly nameSuffixes?: readonly string[]
  /** The opener is a word. It opens a call only at the start of a line. */
  readonly isLine?: boolean
}

/** Which keys of the object around a call hold what. */
export interface EnvelopeShape {
  readonly nameKeys: readonly string[]
  readonly argumentKeys: readonly string[]
  readonly idKeys: readonly string[]
  /**
   * Without markers around it an object is a call only if a declared tool is named, it is not the tool's
   * definition, and there is nothing else.
   */
  readonly isStrict?: boolean
  /** The name is the key and the arguments are its value, `{"get_weather": {…}}`. */
  readonly isNameKey?: boolean
  /** The id is written behind the arguments: the call waits for it, as it begins with its id. */
  readonly isIdLast?: boolean
  /** The object is a dictionary of Python's: what is not JSON in it is as it should be. */
  readonly isPython?: boolean
  /** Names that mean that no tool is called, unless a tool of that name was declared. */
  readonly noTools?: readonly string[]
  /** Every line of the object is indented by this much, also the lines of strings that hold U+2028. */
  readonly indent?: string
}

export const usualEnvelope: EnvelopeShape = {
  nameKeys: ['name', 'tool_name'],
  argumentKeys: ['arguments', 'parameters', 'args', 'input'],
  idKeys: ['id'],
}

/** What some call the object that holds name and arguments, inside another. */
export const wrapperKeys = ['function', 'tool', 'tool_call']

/** Whether the key is one that an envelope has. */
export function isEnvelopeKey({ nameKeys, argumentKeys, idKeys }: EnvelopeShape, key: string): boolean {
  return [nameKeys, argumentKeys, idKeys, ['type'], wrapperKeys].some((keys) => keys.includes(key))
}

/** What must follow the opener: an object or an array, after white space; in bare JSON, a key or a whole head. */
export function probeDelimitedJson(
  grammar: DelimitedJsonGrammar,
  isOffered: (name: string) => boolean,
  text: string,
  at: number,
  final: boolean,
): Probe {
  if (grammar.isBare === true && grammar.envelope.isStrict !== true) {
    return probeEnvelope(grammar.envelope, isOffered, text, at - 1, final)
  }
  if (grammar.isBare === true) return probeStrict(grammar, isOffered, text, at - 1, final)
  const start = skipBreaks(text, at)
  if (start === text.length) return final ? 'no' : 'more'
  const char = text.charAt(start)
  if (char === '{') return 'yes'
  return char === '[' && grammar.opensArray !== true ? probeArray(text, start + 1, final) : 'no'
}

/**
 * Whether an object that may be a call begins here, or an array of such. Its first key tells most data apart: nothing else than the
 * keys of a call may stand in it.
 */
function probeStrict(
  { envelope, listBegin = [] }: DelimitedJsonGrammar,
  isOffered: (name: string) => boolean,
  text: string,
  start: number,
  final: boolean,
): Probe {
  const first = text.charAt(start) === '[' ? skipBreaks(text, start + 1) : start
  const at = skipBreaks(text, first + 1)
  if (at >= text.length) return final ? 'no' : 'more'
  if (text.charAt(first) !== '{' || !`"'`.includes(text.charAt(at))) return 'no'
  const key = readString(text, at)
  if (key === 'more') return final ? 'yes' : 'more'
  if (key === undefined || isEnvelopeKey(envelope, key.value)) return 'yes'
  if (envelope.isNameKey === true && isOffered(key.value)) return 'yes'
  const isList = listBegin.some((marker) => Array.isArray(marker) && marker.includes(`"${key.value}"`))
  return isList ? 'yes' : 'no'
}

/** Another grammar may go on with a marker in brackets, or with a list of calls by name. */
function probeArray(text: string, at: number, final: boolean): Probe {
  const start = skipBreaks(text, at)
  if (start === text.length) return final ? 'no' : 'more'
  return /[a-z/]/i.test(text.charAt(start)) ? 'no' : 'yes'
}

/**
 * Whether a call begins here that no marker announces: `{"name": "…", "parameters": {`, or an array of
 * such objects. The name has to come first and to be one that may be called.
 */
export function probeEnvelope(
  shape: EnvelopeShape,
  isOffered: (name: string) => boolean,
  text: string,
  start: number,
  final: boolean,
): Probe {
  const ended = final ? 'no' : 'more'
  let hasName = false
  let at = skipBreaks(text, text.charAt(start) === '[' ? start + 1 : start)
  if (at === text.length) return ended
  if (text.charAt(at) !== '{') return 'no'
  for (;;) {
    const key = readString(text, at + 1)
    if (key === undefined) return 'no'
    if (key === 'more') return ended
    const colon = skipBreaks(text, key.end)
    const value = skipBreaks(text, colon + 1)
    if (value >= text.length) return ended
    if (text.charAt(colon) !== ':') return 'no'
    if (hasName && shape.argumentKeys.includes(key.value)) {
      return text.charAt(value) === '{' ? probeArguments(text, value, final) : 'no'
    }
    const isName: boolean = shape.nameKeys.includes(key.value) && !hasName
    if (!isName && key.value !== 'type' && !shape.idKeys.includes(key.value)) return 'no'
    const field = readString(text, value)
    if (field === undefined) return 'no'
    if (field === 'more') return ended
    if (isName && !isOffered(field.value)) return 'no'
    hasName ||= isName
    at = skipBreaks(text, field.end)
    if (at === text.length) return ended
    if (text.charAt(at) !== ',') return 'no'
  }
}

/** A schema where the arguments should be, `{"type": "object", "properties": …`: it defines a tool, it does not call one. */
function probeArguments(text: string, from: number, final: boolean): Probe {
  const ended = final ? 'yes' : 'more'
  let at = from
  for (const [mark, word] of schemaStart) {
    if (at === text.length) return ended
    if (text.charAt(at) !== mark) return 'yes'
    const read = readString(text, at + 1)
    if (read === 'more') return ended
    if (read?.value !== word) return 'yes'
    at = skipBreaks(text, read.end)
  }
  return 'no'
}

const schemaStart = [
  ['{', 'type'],
  [':', 'object'],
  [',', 'properties'],
] as const

/** The string at `from`, after white space; undefined where there is none. */
function readString(text: string, from: number): { value: string; end: number } | 'more' | undefined {
  const start = skipBreaks(text, from)
  if (start === text.length) return 'more'
  if (text.charAt(start) !== '"') return undefined
  const scanner = new JsonScanner()
  const end = scanner.scan(text, start)
  if (scanner.status === 'open') return 'more'
  if (scanner.status === 'broken') return undefined
  const value: unknown = JSON.parse(text.slice(start, end))
  return { value: String(value), end }
}
