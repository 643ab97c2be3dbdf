import { JsonScanner } from '../../text/json-scanner.ts'
import { skipSpace } from '../../text/space.ts'
import type { Probe } from '../engine.ts'
import type { EnvelopeShape } from './envelope-shape.ts'

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
  let at = skipSpace(text, text.charAt(start) === '[' ? start + 1 : start)
  if (at === text.length) return ended
  if (text.charAt(at) !== '{') return 'no'
  for (;;) {
    const key = readString(text, at + 1)
    if (key === undefined) return 'no'
    if (key === 'more') return ended
    const colon = skipSpace(text, key.end)
    const value = skipSpace(text, colon + 1)
    if (value >= text.length) return ended
    if (text.charAt(colon) !== ':') return 'no'
    if (hasName && shape.argumentKeys.includes(key.value)) return text.charAt(value) === '{' ? 'yes' : 'no'
    const isName: boolean = shape.nameKeys.includes(key.value) && !hasName
    if (!isName && key.value !== 'type' && !shape.idKeys.includes(key.value)) return 'no'
    const field = readString(text, value)
    if (field === undefined) return 'no'
    if (field === 'more') return ended
    if (isName && !isOffered(field.value)) return 'no'
    hasName ||= isName
    at = skipSpace(text, field.end)
    if (at === text.length) return ended
    if (text.charAt(at) !== ',') return 'no'
  }
}

/** The string at `from`, after white space; undefined where there is none. */
function readString(text: string, from: number): { value: string; end: number } | 'more' | undefined {
  const start = skipSpace(text, from)
  if (start === text.length) return 'more'
  if (text.charAt(start) !== '"') return undefined
  const scanner = new JsonScanner()
  const end = scanner.scan(text, start)
  if (scanner.status === 'open') return 'more'
  if (scanner.status === 'broken') return undefined
  const value: unknown = JSON.parse(text.slice(start, end))
  return { value: String(value), end }
}
