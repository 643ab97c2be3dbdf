import type { Failure, FailureKind } from '../../answer/failure.ts'
import { contextOverflow } from '../../answer/overflow/overflow.ts'
import { inAnthropicWords, overflowFields } from '../../answer/overflow/sentences.ts'

export interface AnthropicErrorBody {
  readonly type: 'error'
  readonly error: { readonly type: string; readonly message: string; readonly details?: unknown }
  readonly request_id?: string
}

/** The error as this dialect says it: the body of a response, or, without an id, an event of a stream. */
export function anthropicErrorBody(failure: Failure, requestId?: string): AnthropicErrorBody {
  const error = { type: typeOf(failure), message: messageOf(failure) }
  const details =
    failure.details ?? (failure.overflow === undefined ? null : overflowFields(failure.overflow))
  const body = { type: 'error', error: details === null ? error : { ...error, details } } as const
  return requestId === undefined ? body : { ...body, request_id: requestId }
}

export function anthropicErrorResponse(
  failure: Failure,
  requestId: string,
): { readonly status: number; readonly body: AnthropicErrorBody } {
  return { status: anthropicErrorStatus(failure), body: anthropicErrorBody(failure, requestId) }
}

function typeOf({ kind, status }: Failure): string {
  return status === 402 ? 'billing_error' : words[kind].type
}

/** There is no field for a code here, so the codes of our own faults go into the message. */
function messageOf({ kind, code, message, overflow = noNumbers }: Failure): string {
  if (code === contextOverflow) return inAnthropicWords(overflow, message)
  return ownFaults.has(kind) && !message.includes(code) ? `${message} (${code})` : message
}

const noNumbers = { what: 'prompt' } as const

// Clients make a conversation shorter after a 400, and wait after the status that this dialect has for an
// overloaded server; another status of the upstream's would make them do neither.
export function anthropicErrorStatus({ kind, code, status }: Failure): number {
  if (code === contextOverflow) return words['invalid-request'].status
  return kind === 'overloaded' ? words.overloaded.status : (status ?? words[kind].status)
}

const ownFaults: ReadonlySet<FailureKind> = new Set(['upstream', 'timeout', 'internal'])

const words: Readonly<Record<FailureKind, { readonly status: number; readonly type: string }>> = {
  'invalid-request': { status: 400, type: 'invalid_request_error' },
  authentication: { status: 401, type: 'authentication_error' },
  permission: { status: 403, type: 'permission_error' },
  'not-found': { status: 404, type: 'not_found_error' },
  'too-large': { status: 413, type: 'request_too_large' },
  'rate-limit': { status: 429, type: 'rate_limit_error' },
  overloaded: { status: 529, type: 'overloaded_error' },
  timeout: { status: 504, type: 'timeout_error' },
  upstream: { status: 502, type: 'api_error' },
  internal: { status: 500, type: 'api_error' },
}
