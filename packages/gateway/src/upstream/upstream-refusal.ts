import type { IncomingHttpHeaders } from 'node:http'
import { type Failure, failureFromResponse } from '@dragoman/core'
import { type RateLimits, rateLimitsIn } from './rate-limits.ts'

/** The most of an error's body that is read. */
const ERROR_BYTES = 65_536

/** An answer of the upstream that is an error, while its body comes. */
export class UpstreamRefusal {
  private readonly status: number
  private readonly headers: IncomingHttpHeaders
  private readonly chunks: Buffer[] = []
  private size = 0

  constructor(status: number, headers: IncomingHttpHeaders) {
    this.status = status
    this.headers = headers
  }

  /** Nothing more is read. */
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

  failure(): Failure {
    const body = Buffer.concat(this.chunks).toString('utf8', 0, ERROR_BYTES)
    return failureFromResponse({ status: this.status, body })
  }
}
