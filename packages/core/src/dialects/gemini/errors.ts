import type { Failure, FailureKind } from '../../answer/failure.ts'
import { contextOverflow } from '../../answer/overflow/overflow.ts'
import { inGoogleWords } from '../../answer/overflow/sentences.ts'
import type { JsonObject } from '../../json/objects.ts'
import { dataLine } from './line.ts'

export interface GeminiErrorBody {
  readonly error: {
    readonly code: number
    readonly message: string
    readonly status: string
    readonly details?: readonly JsonObject[]
  }
}

/** The error as this dialect says it: the body of a response, or an event in the middle of a stream. */
export function geminiErrorBody(failure: Failure): GeminiErrorBody {
  const error = { code: geminiErrorStatus(failure), message: messageOf(failure), status: wordOf(failure) }
  const details = detailsOf(failure)
  return { error: details.length === 0 ? error : { ...error, details } }
}

/** The error as the last event of a stream. */
export function geminiErrorEvent(failure: Failure): string {
  return dataLine(JSON.stringify(geminiErrorBody(failure)))
}

/**
 * The error once more, as bare JSON behind the event. Older SDKs pass an event with an error on as if it were a piece of the
 * answer, and only look for one in what is no event.
 */
export function geminiBareError(failure: Failure): string {
  return JSON.stringify(geminiErrorBody(failure))
}

// Clients take another status than 400 for a reason to ask the same again.
export function geminiErrorStatus({ kind, code, status }: Failure): number {
  return code === contextOverflow ? words['invalid-request'].status : (status ?? words[kind].status)
}

function wordOf({ kind, code }: Failure): string {
  return words[code === contextOverflow ? 'invalid-request' : kind].word
}

/** There is no field for a code of ours here, so the codes of our own faults go into the message. */
function messageOf({ kind, code, message, overflow }: Failure): string {
  if (code === contextOverflow) return inGoogleWords(overflow ?? { what: 'prompt' }, message)
  return ownFaults.has(kind) && !message.includes(code) ? `${message} (${code})` : message
}

const ownFaults: ReadonlySet<FailureKind> = new Set(['upstream', 'timeout', 'internal'])

/** What clients act on: which field is wrong, how long to wait, and that waiting does not help. */
function detailsOf({ code, message, field, retryAfter }: Failure): JsonObject[] {
  const details: JsonObject[] = []
  if (field !== undefined) {
    details.push({ '@type': `${types}BadRequest`, fieldViolations: [{ field, description: message }] })
  }
  if (spent.has(code)) {
    // Clients wait for a limit that has to do with minutes, and give up at one of a day.
    const violation = { quotaId: 'SpentPerDay', description: message }
    details.push({ '@type': `${types}QuotaFailure`, violations: [violation] })
  } else if (retryAfter !== undefined) {
    details.push({ '@type': `${types}RetryInfo`, retryDelay: `${Math.max(0, retryAfter)}s` })
  }
  return details
}

const types = 'type.googleapis.com/google.rpc.'

/** The codes of upstreams for an account that has nothing left. */
const spent: ReadonlySet<string> = new Set([
  'insufficient_quota',
  'billing_hard_limit_reached',
  'insufficient_balance',
])

const words: Readonly<Record<FailureKind, { readonly status: number; readonly word: string }>> = {
  'invalid-request': { status: 400, word: 'INVALID_ARGUMENT' },
  authentication: { status: 401, word: 'UNAUTHENTICATED' },
  permission: { status: 403, word: 'PERMISSION_DENIED' },
  'not-found': { status: 404, word: 'NOT_FOUND' },
  'too-large': { status: 413, word: 'INVALID_ARGUMENT' },
  'rate-limit': { status: 429, word: 'RESOURCE_EXHAUSTED' },
  overloaded: { status: 503, word: 'UNAVAILABLE' },
  timeout: { status: 504, word: 'DEADLINE_EXCEEDED' },
  upstream: { status: 502, word: 'INTERNAL' },
  internal: { status: 500, word: 'INTERNAL' },
}
