import { contextOverflow, type Overflow } from './overflow/overflow.ts'

/** What went wrong with an answer. `code` is ours or the upstream's. */
export interface Failure {
  readonly kind: FailureKind
  readonly code: string
  readonly message: string
  /** The upstream's own status, where the client should get the same. */
  readonly status?: number
  /** What the upstream itself called it, and its number for it, in the words of the chat dialect. */
  readonly upstreamType?: string
  readonly upstreamCode?: number
  /** The field of the request that is wrong, where it is one. */
  readonly field?: string
  /** What is too long, where that is the failure: each dialect has a sentence for it. */
  readonly overflow?: Overflow
  /** How many seconds a client should wait before it asks again, where somebody told. */
  readonly retryAfter?: number
  /** What a client of the dialect can act on without reading the message. */
  readonly details?: Readonly<Record<string, unknown>>
}

/** As far as clients tell failures apart; each dialect has its own word for them. */
export type FailureKind =
  | 'invalid-request'
  | 'authentication'
  | 'permission'
  | 'not-found'
  | 'too-large'
  | 'rate-limit'
  | 'overloaded'
  | 'timeout'
  | 'upstream'
  | 'internal'

/** An end of which nothing came before: the prompt left no room for an answer. */
export const noRoom: Failure = {
  kind: 'invalid-request',
  code: contextOverflow,
  message: 'The prompt is too long: it leaves no room for an answer in the context length of the model.',
  status: 400,
  overflow: { what: 'prompt' },
}

const truncated = upstreamFault(
  'upstream_truncated',
  'The upstream closed the stream before its answer was complete.',
)

export const emptyAnswer = upstreamFault('upstream_empty', 'The upstream sent no answer.')

/** Why a stream that was closed without an end is no answer. Lines that make no event are those of a page, say. */
export function missingEnd(hasEvents: boolean, hasForeignLines: boolean): Failure {
  if (hasEvents) return truncated
  return hasForeignLines ? protocolError('It is no event stream.') : emptyAnswer
}

export function protocolError(what: string): Failure {
  return upstreamFault('upstream_protocol_error', `The answer of the upstream is malformed. ${what}`)
}

export function limitError(limit: number): Failure {
  return upstreamFault('upstream_limit', `An event of the upstream is longer than ${limit} bytes.`)
}

/** More of the answer would have to be kept than may be. `what` has grown too large. */
export function heldTooMuch(what: string, limit: number): Failure {
  return upstreamFault('upstream_limit', `${what} of the upstream's answer is longer than ${limit} bytes.`)
}

export function tooManyOf(what: string, limit: number): Failure {
  return upstreamFault('upstream_limit', `The answer of the upstream has more than ${limit} ${what}.`)
}

export function incompleteCall(name: string, detail = ''): Failure {
  return upstreamFault('incomplete_tool_call', `The call of ${name} is incomplete. ${detail}`.trimEnd())
}

export function invalidArguments(message: string): Failure {
  return upstreamFault('invalid_tool_arguments', message)
}

export function argumentsNoObject(name: string): Failure {
  return invalidArguments(`The arguments of the call of ${name} are no object.`)
}

export function callTooLarge(message: string): Failure {
  return upstreamFault('tool_call_too_large', message)
}

/** How many calls an answer may hold. No client runs that many, and what is kept for each adds up. */
export const mostCalls = 4096

export const tooManyCalls = upstreamFault(
  'too_many_tool_calls',
  `The answer of the upstream holds more than ${mostCalls} tool calls.`,
)

export const noContent = upstreamFault('upstream_empty', 'The upstream returned no content.')

export const namelessCall = upstreamFault(
  'nameless_tool_call',
  'The upstream sent a tool call without a name.',
)

function upstreamFault(code: string, message: string): Failure {
  return { kind: 'upstream', code, message }
}
