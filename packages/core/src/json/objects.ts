/** An object out of JSON whose fields nobody has looked at yet. */
export type JsonObject = Readonly<Record<string, unknown>>

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** `undefined` where the text is not JSON: no JSON text has that value. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * As `parseJson`, for what an upstream sent and what is written again: `undefined` also where values stand so deep in
 * one another that `JSON.stringify`, which goes down by calls, would run out of stack and throw, and where there are so
 * many that every other stream would wait until they are made.
 */
export function parseWritableJson(text: string): unknown {
  return isTooMuch(text) ? undefined : parseJson(text)
}

/** More than the deepest arguments that are taken, with what stands around them. */
const DEEPEST_WRITTEN = 2048

/** An answer of some thousand words has so many, where the odds of each word and of five others stand beside it. */
const MOST_VALUES = 400_000

function isTooMuch(json: string): boolean {
  // Each level takes two characters, and each value too: most texts are too short to be looked at.
  if (json.length <= 2 * DEEPEST_WRITTEN) return false
  let depth = 0
  let values = 0
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === QUOTE) {
      at = endOfText(json, at + 1)
    } else if (code === OPENING_BRACE || code === OPENING_BRACKET) {
      depth++
      values++
    } else if (code === CLOSING_BRACE || code === CLOSING_BRACKET) {
      depth--
    } else if (code === COMMA) {
      values++
    }
    if (depth > DEEPEST_WRITTEN || values > MOST_VALUES) return true
  }
  return false
}

/** Where the text in quotes ends that has begun before this place. */
function endOfText(json: string, from: number): number {
  for (let at = from; ;) {
    const quote = json.indexOf('"', at)
    if (quote < 0) return json.length
    let backslashes = 0
    while (quote - 1 - backslashes >= at && json.charCodeAt(quote - 1 - backslashes) === BACKSLASH)
      backslashes++
    if (backslashes % 2 === 0) return quote
    at = quote + 1
  }
}

const QUOTE = 0x22
const COMMA = 0x2c
const OPENING_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSING_BRACKET = 0x5d
const OPENING_BRACE = 0x7b
const CLOSING_BRACE = 0x7d

export function nonEmptyText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

/**
 * A value that should be a word, to be shown or compared. `String` throws for an object that somebody has given a
 * `toString` of their own.
 */
export function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined')
}

/** The object in this field; an empty one where there is none. */
export function objectIn(object: JsonObject, field: string): JsonObject {
  const value = object[field]
  return isJsonObject(value) ? value : nothing
}

const nothing: JsonObject = Object.freeze({})

/** Whether a field that is not among these holds anything but null or the empty text. */
export function hasOtherFields(object: JsonObject, known: ReadonlySet<string>): boolean {
  return Object.entries(object).some(([key, value]) => !known.has(key) && isSaid(value))
}

function isSaid(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}

/**
 * Whether two texts are the same JSON value. White space, the order of keys and the spelling of numbers do not count.
 */
export function equalJsonTexts(a: string, b: string): boolean {
  if (a === b) return true
  const left = parseJson(a)
  return left !== undefined && equalValues(left, parseJson(b), 0)
}

// JSON nests deeper than the stack: without a floor, arguments of a million brackets would end the process.
const deepestComparison = 500

function equalValues(a: unknown, b: unknown, depth: number): boolean {
  if (Object.is(a, b)) return true
  if (depth > deepestComparison) return false
  if (Array.isArray(a)) {
    return (
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item: unknown, at) => equalValues(item, b[at], depth + 1))
    )
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && equalValues(a[key], b[key], depth + 1))
  )
}

/** The first of these fields that holds a number of tokens. */
export function countOf(object: JsonObject, ...fields: readonly string[]): number | null {
  for (const field of fields) {
    const value = object[field]
    if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value
  }
  return null
}
