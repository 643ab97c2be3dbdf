import { isObject } from './is-object.ts'

export type JsonResult =
  | { readonly is: 'json'; readonly value: unknown }
  | { readonly is: 'invalid'; readonly message: string }

/** Some programs write a byte order mark before any text. JSON may not begin with one, so it is taken off. */
export function withoutByteOrderMark(bytes: Buffer): Buffer {
  const isMarked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return isMarked ? bytes.subarray(3) : bytes
}

export interface JsonLimits {
  readonly depth: number
  /** How many values it may hold, on all levels together. */
  readonly values: number
}

/**
 * The most members of one object. The runtime takes seconds to make an object with a million, and every stream waits
 * meanwhile.
 */
const MOST_MEMBERS = 10_000

/**
 * Parses a body, unless it nests too deep, as code that recurses over it would overflow the stack, or is made of too many
 * values, as other requests would wait while they are made.
 */
export function parseBody(text: string, limits: JsonLimits): JsonResult {
  const fault = shapeFault(text, limits)
  if (fault !== null) return { is: 'invalid', message: fault }
  try {
    return { is: 'json', value: JSON.parse(text) }
  } catch (error) {
    return {
      is: 'invalid',
      message: `The body is not JSON: ${error instanceof Error ? error.message : 'unreadable'}`,
    }
  }
}

/** What is too much about a text of JSON, or null. It is read as far as that shows, and nothing is made of it. */
function shapeFault(text: string, limits: JsonLimits): string | null {
  /** Of the lists and objects around the place: how many commas an object has, or null for a list. */
  const around: (number | null)[] = []
  let values = 1
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      at = endOfString(text, at + 1)
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      values++
      if (around.push(code === OPEN_BRACE ? 0 : null) > limits.depth) {
        return `The body nests deeper than ${limits.depth} levels.`
      }
    } else if (code === COMMA) {
      values++
      const commas = around.at(-1) ?? null
      if (commas !== null) around[around.length - 1] = commas + 1
      if (commas !== null && commas + 1 >= MOST_MEMBERS) {
        return `An object in the body has more than ${MOST_MEMBERS} members.`
      }
      if (values > limits.values)
        return `The body holds more than ${limits.values} values (limits.jsonValues).`
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      around.pop()
    }
  }
  return null
}

const QUOTE = 34
const COMMA = 44
const OPEN_BRACKET = 91
const CLOSE_BRACKET = 93
const OPEN_BRACE = 123
const CLOSE_BRACE = 125

function endOfString(text: string, at: number): number {
  for (;;) {
    const end = text.indexOf('"', at)
    if (end < 0) return text.length
    let backslashes = 0
    while (text.charCodeAt(end - 1 - backslashes) === 92) backslashes++
    if (backslashes % 2 === 0) return end
    at = end + 1
  }
}

/**
 * Whether two JSON values mean the same. The order of keys does not matter, and a key that is undefined counts as
 * missing.
 */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, at) => sameJson(item, b[at]))
  }
  if (!isObject(a) || !isObject(b) || Array.isArray(b)) return false
  let shared = 0
  for (const key of Object.keys(a)) {
    if (a[key] === undefined) continue
    if (!Object.hasOwn(b, key) || !sameJson(a[key], b[key])) return false
    shared++
  }
  return shared === Object.keys(b).filter((key) => b[key] !== undefined).length
}

/** White space, as JSON knows it. */
export function isJsonSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}
