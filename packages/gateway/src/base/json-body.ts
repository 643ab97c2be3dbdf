import { isObject } from './is-object.ts'

export type JsonResult =
  | { readonly is: 'json'; readonly value: unknown }
  | { readonly is: 'invalid'; readonly message: string }

/** Some programs write a byte order mark before any text. JSON may not begin with one, so it is taken off. */
export function withoutByteOrderMark(bytes: Buffer): Buffer {
  const isMarked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return isMarked ? bytes.subarray(3) : bytes
}

/** Parses a body, unless it nests deeper than `depth`: code that recurses over it would overflow the stack. */
export function parseBody(text: string, depth: number): JsonResult {
  if (nestsDeeper(text, depth)) {
    return { is: 'invalid', message: `The body nests deeper than ${depth} levels.` }
  }
  try {
    return { is: 'json', value: JSON.parse(text) }
  } catch (error) {
    return {
      is: 'invalid',
      message: `The body is not JSON: ${error instanceof Error ? error.message : 'unreadable'}`,
    }
  }
}

function nestsDeeper(text: string, limit: number): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 34) {
      at = endOfString(text, at + 1)
    } else if (code === 123 || code === 91) {
      if (++depth > limit) return true
    } else if (code === 125 || code === 93) {
      depth--
    }
  }
  return false
}

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
