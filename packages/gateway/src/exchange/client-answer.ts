import type { ServerResponse } from 'node:http'
import { anthropicErrorResponse, chatErrorResponse, type Failure } from '@dragoman/core'
import type { Dialect } from '../base/dialect.ts'
import type { Refusal } from '../base/refusal.ts'
import { failureEvent, pings, sendJson, sendJsonText, streamHeaders } from '../base/send.ts'
import { redactFailure, redactHeaders, type Redactor } from '../security/redact.ts'
import { type RateLimits, rateLimitsFor } from '../upstream/rate-limits.ts'

export interface ClientAnswerOptions {
  readonly response: ServerResponse
  readonly dialect: Dialect
  readonly requestId: string
  /** Takes secrets out of what upstreams say. */
  readonly redact: Redactor
  /** Is told every failure before it is redacted. */
  readonly observer: { failed(failure: Failure): void }
}

/** The answer to one request, in the dialect of the client that made it. */
export class ClientAnswer {
  readonly response: ServerResponse
  readonly dialect: Dialect
  readonly requestId: string
  readonly redact: Redactor
  private readonly observer: ClientAnswerOptions['observer']

  constructor({ response, dialect, requestId, redact, observer }: ClientAnswerOptions) {
    this.response = response
    this.dialect = dialect
    this.requestId = requestId
    this.redact = redact
    this.observer = observer
  }

  /** Ends the answer with a failure. Where a stream has begun, the failure is its last event. */
  refuse({ failure, status, headers = {} }: Refusal): void {
    const { response, dialect, requestId, redact } = this
    this.observer.failed(failure)
    const told = redactFailure(failure, redact)
    if (response.headersSent) {
      if (!response.writableEnded) response.end(failureEvent(dialect, told))
      return
    }
    const answer =
      dialect === 'anthropic-messages' ? anthropicErrorResponse(told, requestId) : chatErrorResponse(told)
    sendJson(response, status ?? answer.status, answer.body, redactHeaders(headers, redact))
  }

  /** The limits of an upstream as the headers that the SDKs of this dialect read. */
  limitHeaders(limits: RateLimits | undefined): Record<string, string> {
    return limits === undefined ? {} : rateLimitsFor(this.dialect, limits, Date.now())
  }

  /** Adds the limits of an upstream to an answer that has not begun yet. */
  setLimits(limits: RateLimits | undefined): void {
    for (const [name, value] of Object.entries(this.limitHeaders(limits))) {
      this.response.setHeader(name, this.redact(value))
    }
  }

  startStream(): void {
    if (!this.response.headersSent) this.response.writeHead(200, streamHeaders)
  }

  /** Tells a client that waits for the first event of a stream that the gateway is alive. */
  ping(): void {
    this.startStream()
    this.response.write(pings[this.dialect])
  }

  sendWhole(json: string): void {
    sendJsonText(this.response, 200, json)
  }
}
