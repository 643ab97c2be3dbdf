import type { IncomingHttpHeaders } from 'node:http'
import { type Failure, failureFromResponse } from '@dragoman/core'
import type { UpstreamFault } from './client.ts'
import { type RateLimits, rateLimitsIn } from './rate-limits.ts'

/** The failure that a client is told when a call of an upstream failed. */
export function failureOf({ code }: Pick<UpstreamFault, 'code'>): Failure {
  switch (code) {
    case 'connect-timeout':
      return {
        kind: 'timeout',
        code: 'upstream_connect_timeout',
        message: 'The upstream could not be reached in time.',
      }
    case 'headers-timeout':
      return { kind: 'timeout', code: 'upstream_timeout', message: 'The upstream did not answer in time.' }
    case 'idle-timeout':
      return {
        kind: 'timeout',
        code: 'upstream_idle_timeout',
        message: 'The upstream stopped in the middle of its answer.',
      }
    case 'tls':
      return upstreamFailure('upstream_tls', 'The upstream could not prove who it is.')
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
      return upstreamFailure('upstream_unreachable', 'The upstream cannot be reached.')
  }
}

export function upstreamFailure(code: string, message: string): Failure {
  return { kind: 'upstream', code, message }
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
    this.chunks.push(chunk)
    this.size += chunk.length
  }

  /** What was said, and the failure that it means. */
  refused(): { readonly status: number; readonly body: string; readonly failure: Failure } {
    const { status } = this
    const body = Buffer.concat(this.chunks).toString('utf8', 0, ERROR_BYTES)
    return { status, body, failure: failureFromResponse({ status, body }) }
  }
}
