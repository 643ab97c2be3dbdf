import type { ServerResponse } from 'node:http'
import { type DialectId, dialects, type Failure } from '@dragoman/core'
import type { Refusal } from '../base/refusal.ts'
import { sendJson, sendJsonText, streamHeaders } from '../base/send.ts'
import { redactFailure, redactHeaders, type Redactor } from '../security/redact.ts'
import { type RateLimits, rateLimitsFor } from '../upstream/rate-limits.ts'

export interface ClientAnswerOptions {
  readonly response: ServerResponse
  readonly dialect: DialectId
  readonly requestId: string
  /** Takes secrets out of what upstreams say. */
  readonly redact: Redactor
  /** Is told every failure before it is redacted. */
  readonly observer: { failed(failure: Failure): void }
}

/** The answer to one request, in the dialect of the client that made it. */
export class ClientAnswer {
  readonly response: ServerResponse
  readonly dialect: DialectId
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
    const { errors } = dialects[dialect]
    const told = redactFailure(failure, redact)
    if (!response.headersSent) {
      const body = errors.body(told, requestId)
      sendJson(response, status ?? errors.status(told), body, redactHeaders(headers, redact))
    } else if (!response.writableEnded) {
      response.end(errors.event(told))
    }
  }

  /** The same for a client that streams: some failures are acted on only as events of a stream. */
  refuseStream(refusal: Refusal): void {
    const { errors } = dialects[this.dialect]
    if (errors.inStream?.(refusal.failure) === true) this.startStream()
    this.refuse(refusal)
  }

  /** The limits of an upstream as the headers that the SDKs of this dialect read. */
  limitHeaders(limits: RateLimits | undefined): Record<string, string> {
    return limits === undefined ? {} : rateLimitsFor(this.dialect, limits, Date.now())
  }

  /** Adds the limits of an upstream to an answer. One that has begun with a sign of life goes without them. */
  setLimits(limits: RateLimits | undefined): void {
    if (this.response.headersSent) return
    for (const [name, value] of Object.entries(this.limitHeaders(limits))) {
      this.response.setHeader(name, this.redact(value))
    }
  }

  startStream(): void {
    if (!this.response.headersSent) this.response.writeHead(200, streamHeaders)
  }

  /**
   * Tells a client that waits for a stream that the gateway is alive. `inAnswer`: what the answer that it waits for has for
   * this, where that depends on what was sent of it.
   */
  ping(inAnswer: string | null = null): void {
    const sign = inAnswer ?? dialects[this.dialect].http.keepAlive
    if (sign === null) return
    this.startStream()
    this.response.write(sign)
  }

  /** The last text and the end go out in one write. */
  endStream(text: string): void {
    this.startStream()
    this.response.end(text)
  }

  sendWhole(json: string): void {
    sendJsonText(this.response, 200, json)
  }
}
