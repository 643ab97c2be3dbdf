import type { IncomingHttpHeaders } from 'node:http'
import { type Failure, failureFromResponse } from '@dragoman/core'
import type { UpstreamListener } from './client.ts'
import type { UpstreamFault } from './upstream-fault.ts'
import { type RateLimits, rateLimitsIn } from './rate-limits.ts'

/** As much of a fault as its code alone tells, where nothing else was kept of it. */
type ToldFault = Pick<UpstreamFault, 'code'> & Partial<Pick<UpstreamFault, 'cause' | 'address'>>

/** The failure that a client is told when a call of an upstream failed. */
export function failureOf({ code, cause, address = null }: ToldFault): Failure {
  const upstream = address === null ? 'The upstream' : `The upstream at ${address}`
  const why = cause === undefined ? '.' : `: ${cause}.`
  switch (code) {
    case 'connect-timeout':
      return {
        kind: 'timeout',
        code: 'upstream_connect_timeout',
        message: `${upstream} could not be reached in time${why}`,
      }
    case 'headers-timeout':
      return {
        kind: 'timeout',
        code: 'upstream_timeout',
        message: `${upstream} did not answer in time${why}`,
      }
    case 'idle-timeout':
      return {
        kind: 'timeout',
        code: 'upstream_idle_timeout',
        message: 'The upstream stopped in the middle of its answer.',
      }
    case 'tls':
      return upstreamFailure('upstream_tls', `${upstream} gives no secure connection${why}`)
    case 'closed':
      return upstreamFailure('upstream_closed', `${upstream} closed the connection before it answered.`)
    case 'not-http':
      return upstreamFailure('upstream_protocol_error', `${upstream} gave no proper answer${why}`)
    case 'cut':
    case 'aborted':
      return upstreamFailure('upstream_truncated', 'The upstream broke off its answer.')
    case 'no-room':
      return {
        kind: 'overloaded',
        code: 'out_of_connections',
        message: 'The gateway cannot open another connection now.',
      }
    case 'unreachable':
      return upstreamFailure('upstream_unreachable', `${upstream} cannot be reached${why}`)
  }
}

/** Tells a listener faults without the address: whoever calls a shared gateway may not learn what is behind it. */
export function withoutAddress(listener: UpstreamListener): UpstreamListener {
  return {
    onHeaders: (status, headers) => listener.onHeaders(status, headers),
    onData: (chunk) => listener.onData(chunk),
    onEnd: () => listener.onEnd(),
    onError: (fault) => listener.onError({ ...fault, address: null }),
  }
}

export function upstreamFailure(code: string, message: string): Failure {
  return { kind: 'upstream', code, message }
}

/** Why an answer that has this status and these headers cannot be read, or null. */
export function failureInHeaders(status: number, headers: IncomingHttpHeaders): Failure | null {
  if (status >= 300 && status < 400) {
    return upstreamFailure('upstream_redirect', 'The upstream answered with a redirect.')
  }
  if (isCompressed(headers)) {
    return upstreamFailure('upstream_protocol_error', 'The upstream compressed its answer, unasked for.')
  }
  return /text\/html/i.test(headers['content-type'] ?? '')
    ? upstreamFailure('upstream_protocol_error', 'The upstream answered with a web page.')
    : null
}

/** Nobody is asked for this: an answer is read as it comes. */
function isCompressed({ 'content-encoding': encoding = '' }: IncomingHttpHeaders): boolean {
  return encoding !== '' && encoding.toLowerCase() !== 'identity'
}

/** The most bytes of an error's body that are read. */
const ERROR_BYTES = 65_536

/** An error that the upstream answered, while its body is read. */
export class UpstreamRefusal {
  private readonly status: number
  private readonly headers: IncomingHttpHeaders
  private readonly chunks: Buffer[] = []
  private size = 0

  constructor(status: number, headers: IncomingHttpHeaders) {
    this.status = status
    this.headers = headers
  }

  /** Whether the rest of the body is left unread. */
  get isFull(): boolean {
    return this.size >= ERROR_BYTES
  }

  get limits(): RateLimits | undefined {
    return rateLimitsIn(this.headers)
  }

  push(chunk: Buffer): void {
    // Packed bytes would be shown as a text that nobody can read.
    if (!isCompressed(this.headers)) this.chunks.push(chunk)
    this.size += chunk.length
  }

  /** What was said, and the failure that it means. */
  refused(): { readonly status: number; readonly body: string; readonly failure: Failure } {
    const { status } = this
    const body = Buffer.concat(this.chunks).toString('utf8', 0, ERROR_BYTES)
    return { status, body, failure: failureFromResponse({ status, body }) }
  }
}
