import type { ServerResponse } from 'node:http'
import { type DialectId, dialects, type Failure, type StreamFraming } from '@dragoman/core'
import type { Refusal } from '../base/refusal.ts'
import { sendJsonText, streamHeaders } from '../base/send.ts'
import { redactFailure, redactHeaders, type Redactor } from '../security/redact.ts'
import { type RateLimits, rateLimitsFor } from '../upstream/rate-limits.ts'

export interface ClientAnswerOptions {
  readonly response: ServerResponse
  readonly dialect: DialectId
  readonly requestId: string
  /** The frame of a stream, where that is not one of events. */
  readonly framing?: StreamFraming | null
  /** What the client says of itself in the header that its dialect has for that. */
  readonly client?: string | undefined
  /** Takes secrets out of what upstreams say. */
  readonly redact: Redactor
  /** Is told every failure before it is redacted. */
  readonly observer: {
    failed(failure: Failure): void
    /** Is told what goes to the client. */
    sent?(text: string): void
  }
}

/** How long what follows an error waits, so that a client reads it by itself. */
const LATER_MS = 20

/** The answer to one request, in the dialect of the client that made it. */
export class ClientAnswer {
  readonly response: ServerResponse
  readonly dialect: DialectId
  readonly requestId: string
  readonly redact: Redactor
  private readonly framing: StreamFraming | null
  private readonly client: string | undefined
  private readonly observer: ClientAnswerOptions['observer']
  private state: 'open' | 'ended' = 'open'

  constructor(options: ClientAnswerOptions) {
    const { response, dialect, requestId, framing = null, client, redact, observer } = options
    this.response = response
    this.dialect = dialect
    this.requestId = requestId
    this.framing = framing
    this.client = client
    this.redact = redact
    this.observer = observer
  }

  /** Ends the answer with a failure. Where a stream has begun, the failure is its last event. */
  refuse({ failure, status, headers = {} }: Refusal): void {
    const { response, dialect, requestId, redact, framing } = this
    this.observer.failed(failure)
    const { errors } = dialects[dialect]
    const told = redactFailure(inFull(failure, status, headers), redact)
    if (!response.headersSent) {
      const body = errors.body(told, requestId)
      const framed = framing === null ? body : framing.failure(body)
      const wait = told.retryAfter === undefined ? {} : { 'retry-after': String(told.retryAfter) }
      const all = { ...wait, ...headers }
      const text = JSON.stringify(framed)
      this.observer.sent?.(text)
      sendJsonText(response, status ?? errors.status(told), text, redactHeaders(all, redact))
    } else if (!response.writableEnded) {
      this.endStream(errors.event(told, requestId), told)
    }
  }

  /** The same for a client that streams: some failures are acted on only as events of a stream. */
  refuseStream(refusal: Refusal): void {
    const { errors } = dialects[this.dialect]
    if (errors.inStream?.(refusal.failure, this.client) === true) this.startStream()
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
      // A client with limits of its own is told those.
      if (!this.response.hasHeader(name)) this.response.setHeader(name, this.redact(value))
    }
  }

  /** Tells the client with its answer how much of its own limits is left. */
  setOwnLimits(headers: Readonly<Record<string, string>>): void {
    if (this.response.headersSent) return
    for (const [name, value] of Object.entries(headers)) this.response.setHeader(name, value)
  }

  /** Says which upstream answers. An answer that has begun with a sign of life goes without it. */
  nameUpstream(name: string): void {
    if (!this.response.headersSent) this.response.setHeader('x-dragoman-upstream', name)
  }

  startStream(): void {
    if (this.response.headersSent) return
    const type = this.framing === null ? {} : { 'content-type': this.framing.contentType }
    this.response.writeHead(200, { ...streamHeaders, ...type, ...dialects[this.dialect].http.answerHeaders })
  }

  /** Sends a part of a stream. False where the client does not take it yet. */
  write(text: string): boolean {
    this.startStream()
    const { response, framing } = this
    const framed = framing === null ? text : framing.write(text)
    if (framed === '') return !response.writableNeedDrain
    this.observer.sent?.(framed)
    return response.write(framed, encodingOf(framed))
  }

  /**
   * Tells a client that waits for a stream that the gateway is alive. `inAnswer`: what the answer that it waits for has for
   * this, where that depends on what was sent of it.
   */
  ping(inAnswer: string | null = null): void {
    const sign = inAnswer ?? dialects[this.dialect].http.keepAlive
    if (sign !== null) this.write(sign)
  }

  /** The last text and the end go out in one write. `failure`: what the last event tells, where it tells one. */
  endStream(text: string, failure: Failure | null = null): void {
    if (this.state === 'ended') return
    this.state = 'ended'
    this.startStream()
    const { response, framing, redact } = this
    const { afterEvent } = dialects[this.dialect].errors
    const last = framing === null ? text : framing.write(text) + framing.end()
    this.observer.sent?.(last)
    if (framing !== null || failure === null || afterEvent === undefined) {
      response.end(last, encodingOf(last))
    } else {
      response.write(last)
      setTimeout(() => {
        const behind = afterEvent(redactFailure(failure, redact))
        this.observer.sent?.(behind)
        response.end(behind)
      }, LATER_MS)
    }
  }

  sendWhole(json: string): void {
    this.observer.sent?.(json)
    sendJsonText(this.response, 200, json, dialects[this.dialect].http.answerHeaders)
  }
}

/** ASCII is the same in both, and Node writes Latin-1 faster: every character is a byte. */
function encodingOf(text: string): 'latin1' | 'utf8' {
  return Buffer.byteLength(text) === text.length ? 'latin1' : 'utf8'
}

/** Some dialects tell in the body what all tell in the status and the headers: which status it is, and how long to wait. */
function inFull(
  failure: Failure,
  status: number | undefined,
  { 'retry-after': wait = '' }: Readonly<Record<string, string>>,
): Failure {
  const seconds = /^\d+$/.test(wait) ? Number(wait) : Math.ceil((Date.parse(wait) - Date.now()) / 1000)
  return {
    ...(status === undefined ? {} : { status }),
    ...(Number.isNaN(seconds) ? {} : { retryAfter: Math.max(0, seconds) }),
    ...failure,
  }
}
