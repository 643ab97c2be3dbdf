import type { Failure, FailureKind } from './failure.ts'
import { readMisreported } from './misreported.ts'
import { contextOverflow, type Overflow, readOverflow } from './overflow/overflow.ts'
import { isJsonObject, nonEmptyText, objectIn, parseJson, type JsonObject, wordOf } from '../json/objects.ts'

export interface UpstreamResponse {
  readonly status: number
  readonly body: string
  /** Whose key the upstream was shown. Default `gateway`: then a refused key is not the client's fault. */
  readonly credential?: 'gateway' | 'client'
}

/** What an upstream's error response says, in any of the shapes that servers have for it. */
export function failureFromResponse({ status, body, credential = 'gateway' }: UpstreamResponse): Failure {
  if (status >= 300 && status < 400) {
    const message = `The upstream answered with a redirect (${status}), which is not followed.`
    return { kind: 'upstream', code: 'upstream_redirect', message }
  }
  const parsed = parseJson(body)
  const error = (parsed === undefined ? null : readError(parsed)) ?? noError
  const message = error.message ?? describeBody(status, body)
  const code = error.code ?? `upstream_${status}`
  const worded = failureInWords({ ...error, message })
  if (worded !== null) return worded
  if (credential === 'gateway' && (status === 401 || status === 403)) {
    const told = `The upstream refused the credential of the gateway: ${message}`
    return { kind: 'upstream', code: 'upstream_credential', message: told }
  }
  const kind = kindOfStatus(status) ?? 'upstream'
  const failure = { kind, code, message, ...waitIn(error) }
  return passedOn.has(status) ? { ...failure, status } : failure
}

/** An error object in the middle of a stream, or in a response whose status says nothing is wrong. */
export function failureFromError(value: unknown): Failure {
  const error = readError(value) ?? noError
  const { message, code, type, status } = error
  const told = message ?? 'The upstream reported an error without a message.'
  const name = code ?? type ?? 'upstream_error'
  const worded = failureInWords(error)
  if (worded !== null) return worded
  const kind = kindOfWord(type) ?? kindOfWord(code) ?? (status === null ? null : kindOfStatus(status))
  if (isKeyFault(kind)) return { kind: 'upstream', code: name, message: told }
  return { kind: kind ?? 'upstream', code: name, message: told, ...waitIn(error), ...ownWords(value, error) }
}

/**
 * What Google says beside a limit that was reached: how long to wait, or that the whole day has to pass. That is a limit of
 * the account, and no client is to wait for it.
 */
function waitIn({ fields }: ReadError): { retryAfter?: number; code?: string } {
  const { details } = fields
  const told = Array.isArray(details) ? details.filter(isJsonObject) : []
  const violations = told.flatMap(({ violations: each }) =>
    Array.isArray(each) ? each.filter(isJsonObject) : [],
  )
  if (violations.some(({ quotaId }) => /PerDay/.test(wordOf(quotaId)))) return { code: 'insufficient_quota' }
  const delay = told.map(({ retryDelay }) => nonEmptyText(retryDelay)).find((text) => text !== null) ?? ''
  const [, seconds] = /^(\d+(?:\.\d+)?)s$/.exec(delay) ?? []
  return seconds === undefined ? {} : { retryAfter: Math.ceil(Number(seconds)) }
}

/**
 * Whether clients are told this error in other words than the upstream's, because they would not act on those, or act
 * wrongly.
 */
export function isReworded(value: unknown): boolean {
  return failureInWords(readError(value) ?? noError) !== null
}

/** What the words of an error say beyond its status; null where they say no more. */
function failureInWords(error: ReadError): Failure | null {
  const message = error.message ?? 'The upstream reported an error without a message.'
  const misreported = readMisreported(message)
  if (misreported !== null) return misreported
  const overflow = readOverflow({ ...error, message })
  if (overflow !== null) return overflowFailure(overflow, message)
  return error.quoted === null ? null : failureInWords({ ...error.quoted, quoted: null })
}

/** Whether the upstream refuses the key that it was shown. That says nothing about the client's own. */
export function refusesKey(value: unknown): boolean {
  const { type, code, status } = readError(value) ?? noError
  return isKeyFault(kindOfWord(type) ?? kindOfWord(code) ?? (status === null ? null : kindOfStatus(status)))
}

function isKeyFault(kind: FailureKind | null): boolean {
  return kind === 'authentication' || kind === 'permission'
}

/** As the chat dialect has them; Anthropic's types are other words. */
function ownWords(value: unknown, { type, number }: ReadError): Partial<Failure> {
  const isAnthropic = isJsonObject(value) && value['type'] === 'error'
  return {
    ...(type !== null && !isAnthropic && { upstreamType: type }),
    ...(number !== null && { upstreamCode: number }),
  }
}

/** Whether this is an error in the place of an answer. */
export function isErrorValue(value: JsonObject): boolean {
  const { error } = value
  // Some servers say with each chunk that there is none, as a number too.
  const isNone = error === undefined || error === null || error === '' || error === false || error === 0
  return !isNone || value['object'] === 'error' || value['type'] === 'error'
}

export interface ReadError {
  readonly message: string | null
  readonly code: string | null
  readonly type: string | null
  /** The code where it is a number, as it mostly is where it repeats a status. */
  readonly number: number | null
  readonly status: number | null
  readonly fields: JsonObject
  /** The error of another server that this one passes on beside its own. */
  readonly quoted: ReadError | null
}

const noError: ReadError = {
  message: null,
  code: null,
  type: null,
  number: null,
  status: null,
  fields: {},
  quoted: null,
}

/** What an error says, in any of the shapes that servers have for it. */
export function readError(value: unknown): ReadError | null {
  if (Array.isArray(value)) return readError(value[0])
  if (typeof value === 'string') return { ...noError, message: value }
  if (!isJsonObject(value)) return null
  const inner = value['error']
  if (isJsonObject(inner)) return readFields(inner)
  if (typeof inner === 'string') return { ...readFields(value), message: inner }
  return readFields(value)
}

function readFields(error: JsonObject): ReadError {
  const { code, status } = error
  const number = typeof code === 'number' ? code : null
  return {
    message: nonEmptyText(error['message']) ?? nonEmptyText(error['detail']) ?? nonEmptyText(error['msg']),
    code: nonEmptyText(code),
    type: nonEmptyText(error['type']),
    number,
    status: number ?? (typeof status === 'number' ? status : null),
    fields: error,
    quoted: quotedIn(nonEmptyText(objectIn(error, 'metadata')['raw'])),
  }
}

/** OpenRouter has the body of the host's own error there, mostly as text. */
function quotedIn(raw: string | null): ReadError | null {
  if (raw === null) return null
  const quoted = readError(parseJson(raw))
  return quoted === null || quoted.message === null ? { ...noError, message: raw } : quoted
}

/** Clients act on the status as well: whatever it came with, it is a 400. */
function overflowFailure(overflow: Overflow, message: string): Failure {
  const shared = { kind: 'invalid-request', message, status: 400, overflow } as const
  return overflow.what === 'output'
    ? { ...shared, code: 'max_tokens_too_large' }
    : { ...shared, code: contextOverflow }
}

/** A page of HTML is never passed on: a client may show the message as one. */
function describeBody(status: number, body: string): string {
  const told = `The upstream answered with status ${status}`
  const text = body.slice(0, 2000).trimStart()
  if (text === '') return `${told} and no body.`
  if (text.startsWith('<')) return `${told} and a page of HTML.`
  const printable = text.replaceAll(/[^\p{L}\p{M}\p{N}\p{P}\p{S}]+/gu, ' ')
  return `${told}: ${printable.slice(0, 200).trim()}`
}

function kindOfStatus(status: number): FailureKind | null {
  return kindsByStatus.get(status) ?? (status >= 500 && status < 600 ? 'upstream' : null)
}

function kindOfWord(word: string | null): FailureKind | null {
  return word === null ? null : (kindsByWord.get(word) ?? null)
}

const kindsByStatus: ReadonlyMap<number, FailureKind> = new Map([
  [400, 'invalid-request'],
  [401, 'authentication'],
  [402, 'invalid-request'],
  [403, 'permission'],
  [404, 'not-found'],
  [408, 'timeout'],
  [413, 'too-large'],
  [422, 'invalid-request'],
  [429, 'rate-limit'],
  [503, 'overloaded'],
  [504, 'timeout'],
  [524, 'timeout'],
  [529, 'overloaded'],
])

/** The statuses that a client gets as they are; any other becomes the one of its kind. */
const passedOn: ReadonlySet<number> = new Set([400, 402, 404, 413, 422, 429, 500, 502, 503, 504, 529])

const kindsByWord: ReadonlyMap<string, FailureKind> = new Map([
  ['invalid_request_error', 'invalid-request'],
  ['BadRequestError', 'invalid-request'],
  ['authentication_error', 'authentication'],
  ['invalid_api_key', 'authentication'],
  ['permission_error', 'permission'],
  ['not_found_error', 'not-found'],
  ['NotFoundError', 'not-found'],
  ['request_too_large', 'too-large'],
  ['rate_limit_error', 'rate-limit'],
  ['rate_limit_exceeded', 'rate-limit'],
  ['RateLimitError', 'rate-limit'],
  ['overloaded_error', 'overloaded'],
  ['engine_overloaded_error', 'overloaded'],
  ['insufficient_system_resource', 'overloaded'],
  ['timeout', 'timeout'],
  ['timeout_error', 'timeout'],
])
