import { createSseDecoder } from '../sse/decoder.ts'
import { isJsonObject, type JsonObject, nonEmptyText, objectIn, parseJson } from '../json/objects.ts'
import { readError, type UpstreamResponse } from './upstream-failure.ts'

/**
 * What the model wrote, where an upstream could not read it as a call and put it into its error instead. Null where
 * the error holds nothing of the model's.
 *
 * The text may be a part: llama.cpp tells only what stands behind the place where its parser stopped, and Ollama only
 * the arguments of a call, without its name. So it is worth something only if calls can be read out of it.
 */
export function textInError({ body }: UpstreamResponse): { readonly text: string } | null {
  for (const error of errorsIn(body)) {
    for (const find of places) {
      const text = find(error)
      if (text !== null && text.trim() !== '') return { text }
    }
  }
  return null
}

/** What to ask for instead, once an upstream has failed because of calls. */
export interface Retry {
  /**
   * `calls in text`: the upstream reads no calls, and they come as the text that the model writes. `tools in prompt`:
   * the upstream is told of no tools, and they are described in the prompt.
   */
  readonly helps: 'calls in text' | 'tools in prompt'
  /** Whether every request with tools would fail so. If not, the upstream only failed to read this one answer. */
  readonly lasts: boolean
}

/** The request that may succeed where this one failed. Null where the failure has nothing to do with calls. */
export function retryFor({ status, body }: UpstreamResponse): Retry | null {
  for (const { message, fields } of errorsIn(body)) {
    const known = retries.find(
      ({ words, upstreamCode, statuses }) =>
        (words?.test(message) ?? fields['code'] === upstreamCode) && (statuses?.includes(status) ?? true),
    )
    if (known !== undefined) return { helps: known.helps, lasts: known.lasts === true }
  }
  return null
}

interface SaidError {
  readonly message: string
  /** The object that has the message, with all its other fields. */
  readonly fields: JsonObject
}

/** Where the text of the model stands in an error, for each server that puts it there. */
const places: readonly ((error: SaidError) => string | null)[] = [failedGeneration, rawArguments, restOfInput]

/** Groq has a field for it. Sometimes there is a sentence of its own in it, which no model wrote. */
function failedGeneration({ fields }: SaidError): string | null {
  const text = nonEmptyText(fields['failed_generation'])
  return text === null || /^Tool (?:use|call validation) failed\b/.test(text) ? null : text
}

/** Ollama, for a call whose arguments are not JSON. What the model wrote may have quotes in it, so the last end counts. */
function rawArguments({ message }: SaidError): string | null {
  const begin = /\berror parsing tool call: raw=(?=['"])/.exec(message)
  if (begin === null) return null
  const raw = message.slice(begin.index + begin[0].length)
  const end = raw.lastIndexOf(`${raw.charAt(0)}, err=`)
  if (end <= 0) return null
  const text = raw.slice(1, end)
  return raw.startsWith('"') ? unquoted(text) : text
}

/** llama.cpp, and what is built on it, for an answer that does not fit the grammar of the template. */
function restOfInput({ message }: SaidError): string | null {
  return /\bFailed to parse input at pos \d+: ([^]*)$/.exec(message)?.[1] ?? null
}

/** A text as Go quotes it. Where it does not look quoted, it is left as it is. */
function unquoted(text: string): string {
  return text.replaceAll(
    /\\(?:x([\da-f]{2})|u([\da-f]{4})|U([\da-f]{8})|([abfnrtv\\'"]))/gi,
    (whole, byte?: string, short?: string, long?: string, letter?: string) => {
      if (letter !== undefined) return escapes.get(letter) ?? letter
      const code = Number.parseInt(byte ?? short ?? long ?? '', 16)
      return code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole
    },
  )
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['a', '\u0007'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
])

interface KnownFailure {
  readonly words?: RegExp
  readonly upstreamCode?: string
  /** Where the words alone could mean something else. */
  readonly statuses?: readonly number[]
  readonly helps: Retry['helps']
  readonly lasts?: true
}

/** The failures that another way of offering tools helps against. */
const retries: readonly KnownFailure[] = [
  // llama.cpp
  { words: /does not match the expected peg-\S+ format/, helps: 'calls in text' },
  { words: /\bFailed to parse input at pos \d+/, helps: 'calls in text' },
  { words: /^Invalid diff: /, helps: 'calls in text' },
  { words: /\brequires --jinja\b/, helps: 'tools in prompt', lasts: true },
  // vLLM
  { words: /"auto" tool choice requires --enable-auto-tool-choice/, helps: 'calls in text', lasts: true },
  {
    words: /\btool_choice=.{0,200} requires --tool-call-parser to be set/s,
    helps: 'calls in text',
    lasts: true,
  },
  // Ollama
  { words: /\bdoes not support tools\b/, helps: 'tools in prompt', lasts: true },
  { words: /\berror parsing tool call\b/, helps: 'tools in prompt' },
  { words: /\bXML syntax error on line \d+/, helps: 'tools in prompt' },
  { words: /^expected element type <\w+> but have </, helps: 'tools in prompt' },
  // A proxy in front of a server says the same of a broken connection, with another status.
  { words: /^EOF$/, statuses: [200, 500], helps: 'tools in prompt' },
  // OpenRouter
  { words: /^No endpoints found that support tool use\b/, helps: 'tools in prompt', lasts: true },
  // Groq
  { upstreamCode: 'tool_use_failed', helps: 'tools in prompt' },
]

/** The errors in a body, which is JSON, an event stream with an error in it, or plain text. */
function errorsIn(body: string): SaidError[] {
  const json = parseJson(body)
  if (json !== undefined) return errorsOf(json)
  const data = dataIn(body)
  if (data.length > 0) return data.flatMap(errorsOf)
  // Of JSON that was cut the escapes are still there: what it quotes would be read with a backslash before each quote.
  return /^\s*(?:[[{]|data:|event:)/.test(body) ? [] : errorsOf(body.trim())
}

function dataIn(body: string): unknown[] {
  const decoder = createSseDecoder()
  // The last event counts although the stream may have been cut before the empty line that ends it.
  return decoder.push(`${body}\n\n`).flatMap((item) => {
    const value = item.kind === 'event' ? parseJson(item.data) : undefined
    return value === undefined ? [] : [value]
  })
}

/** The error, and the one behind it: a router has that of the server that it asked in a field, as text. */
function errorsOf(value: unknown): SaidError[] {
  const error = errorOf(value)
  const raw = nonEmptyText(objectIn(error.fields, 'metadata')['raw'])
  return raw === null ? [error] : [error, errorOf(parseJson(raw) ?? raw)]
}

function errorOf(value: unknown): SaidError {
  const first: unknown = Array.isArray(value) ? value[0] : value
  const outer = isJsonObject(first) ? first : {}
  const inner = outer['error']
  return { message: readError(first)?.message ?? '', fields: isJsonObject(inner) ? inner : outer }
}
