import { randomUUID } from 'node:crypto'
import { inTurns, TURN } from './in-turns.ts'
import { isJsonSpace, type JsonLimits, type JsonResult, parseBody } from './json-body.ts'

/** From this many bytes on a body is read in slices, with turns for the streams of others in between. */
export const LONG_BODY = 262_144

/** Texts of this length are read one by one. What is left without them is short enough to be read at once. */
const LONG_TEXT = 4096

/**
 * Means the same as `parseBody`. A body of 30 MB is nearly all long texts: files, results of tools, pictures. They are taken
 * out and read in slices; the rest is read as it stands, and they are put back into it.
 */
export function parseLongBody(bytes: Buffer, limits: JsonLimits): Promise<JsonResult> {
  return inTurns(read(bytes, limits))
}

/** Work that yields how many bytes it has read. */
type Work<Result> = Generator<number, Result, void>

const notJson: JsonResult = { is: 'invalid', message: 'The body is not JSON.' }

function* read(bytes: Buffer, limits: JsonLimits): Work<JsonResult> {
  const found = yield* longTextsIn(bytes)
  if (found === null) return notJson
  // Nobody can write this into a body before it is made.
  const mark = randomUUID()
  const texts = new Map<string, string>()
  const around: string[] = []
  let at = 0
  for (const { start, end } of found) {
    const text = yield* readText(bytes, start, end)
    if (text === null) return notJson
    const name = `${mark} ${texts.size}`
    texts.set(name, text)
    around.push(bytes.toString('utf8', at, start), name)
    yield start - at
    at = end
  }
  around.push(bytes.toString('utf8', at))
  yield TURN
  const parsed = parseBody(around.join(''), limits)
  // What is said of a text that is no JSON quotes it, and this one has our marks in it.
  if (parsed.is === 'invalid') return parsed.message.startsWith('The body is not JSON') ? notJson : parsed
  return { is: 'json', value: putBack(parsed.value, mark, texts) }
}

interface Span {
  /** Behind the opening quote. */
  readonly start: number
  /** At the closing quote. */
  readonly end: number
}

/** The long texts that stand as values, in their order; null where a text has no end. Keys stay where they are. */
function* longTextsIn(bytes: Buffer): Work<readonly Span[] | null> {
  const found: Span[] = []
  for (let start = bytes.indexOf(QUOTE) + 1; start > 0;) {
    const end = yield* endOfText(bytes, start)
    if (end < 0) return null
    if (end - start >= LONG_TEXT && !isKey(bytes, end)) found.push({ start, end })
    const next = bytes.indexOf(QUOTE, end + 1)
    yield (next < 0 ? bytes.length : next) - start
    start = next + 1
  }
  return found
}

function* endOfText(bytes: Buffer, start: number): Work<number> {
  for (let at = start; ;) {
    const end = bytes.indexOf(QUOTE, at)
    if (end < 0 || backslashesBefore(bytes, end) % 2 === 0) return end
    // A text may hold nothing but quotes.
    yield end + 1 - at
    at = end + 1
  }
}

function backslashesBefore(bytes: Buffer, end: number): number {
  let count = 0
  while (bytes[end - 1 - count] === BACKSLASH) count++
  return count
}

/** Whether a colon follows the text that ends here. */
function isKey(bytes: Buffer, end: number): boolean {
  let at = end + 1
  while (isJsonSpace(bytes[at])) at++
  return bytes[at] === COLON
}

/** What a text says; null where it is none in JSON. */
function* readText(bytes: Buffer, start: number, end: number): Work<string | null> {
  const parts: string[] = []
  for (let at = start; at < end;) {
    const cut = end - at <= TURN ? end : cutBefore(bytes, at + TURN)
    try {
      parts.push(String(JSON.parse(`"${bytes.toString('utf8', at, cut)}"`)))
    } catch {
      return null
    }
    yield cut - at
    at = cut
  }
  return parts.length === 1 ? (parts[0] ?? '') : parts.join('')
}

/** Where a text can be cut: neither inside a character, nor inside what stands for one, as `\u00e9` does. */
function cutBefore(bytes: Buffer, wanted: number): number {
  let at = wanted
  while (wanted - at < 3 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at--
  for (let back = 1; back < LONGEST_ESCAPE; back++) {
    if (bytes[at - back] !== BACKSLASH) continue
    const isEscape = backslashesBefore(bytes, at - back) % 2 === 0
    const length = bytes[at - back + 1] === SMALL_U ? LONGEST_ESCAPE : 2
    return isEscape && length > back ? at - back : at
  }
  return at
}

const LONGEST_ESCAPE = 6
const QUOTE = 34
const COLON = 58
const BACKSLASH = 92
const SMALL_U = 117

/** The value was made a moment ago, and is nobody else's. */
function putBack(value: unknown, mark: string, texts: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return value.startsWith(mark) ? (texts.get(value) ?? value) : value
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) value[at] = putBack(item, mark, texts)
  } else if (isFields(value)) {
    for (const key of Object.keys(value)) value[key] = putBack(value[key], mark, texts)
  }
  return value
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
