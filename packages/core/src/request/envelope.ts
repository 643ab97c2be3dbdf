import { parseJson } from '../json/objects.ts'

/**
 * A JSON value as an opaque text that clients keep for us. It consists of letters, digits, `_` and `-`, which are legal
 * wherever a dialect has a place for such a text. The prefix tells what is in it.
 */
export function sealed(prefix: string, payload: unknown): string {
  return prefix + base64Url(asciiJson(payload))
}

/** `undefined` where the text is none with this prefix, or was damaged. */
export function unsealed(prefix: string, text: string): unknown {
  if (!text.startsWith(prefix)) return undefined
  return parseJson(fromBase64Url(text.slice(prefix.length)) ?? '')
}

/** `btoa` takes no character above U+00FF. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function base64Url(ascii: string): string {
  return btoa(ascii).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

function fromBase64Url(encoded: string): string | undefined {
  try {
    return atob(encoded.replaceAll('-', '+').replaceAll('_', '/'))
  } catch {
    return undefined
  }
}
