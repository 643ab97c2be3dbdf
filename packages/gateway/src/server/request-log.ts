import type { ServerResponse } from 'node:http'
import type {
  Failure,
  FinishReason,
  FormatId,
  ProblemCode,
  RepairCode,
  RequestNote,
  Usage,
} from '@dragoman/core'
import type { Logger } from '../observe/logger.ts'
import type { HoldingParser, Metrics } from '../observe/metrics.ts'
import type { ExchangeObserver } from '../exchange/exchange.ts'
import type { Plan } from '../exchange/plan.ts'
import type { HttpRoute } from './route-table.ts'
import type { UpstreamFault } from '../upstream/client.ts'

/** What proxies report for a client that did not wait for the status. */
const CLIENT_LEFT = 499

const loggedChanges = 50

/** Everything there is to say about one request, gathered while it runs and told in one line at its end. */
export class RequestLog implements ExchangeObserver {
  model: string | null = null
  /** The name of the key that let it in. */
  key: string | null = null
  private readonly route: HttpRoute | null
  private readonly requestId: string
  private readonly logger: Logger
  private readonly metrics: Metrics
  private readonly now: () => number
  private readonly startedAt: number
  private upstreamAt: number | null = null
  private answeredAt: number | null = null
  private firstByteAt: number | null = null
  private carried: Plan | undefined
  private readonly calls: string[] = []
  /** How many of the calls are whole, as far as we were told. */
  private wholeCalls = 0
  private readonly parsers: HoldingParser[] = []
  private written: FormatId | null = null
  private readonly problems: string[] = []
  private readonly repairs: string[] = []
  private readonly dropped: string[] = []
  private finish: FinishReason | null = null
  private failure: Failure | null = null
  private reason: string | null = null
  private isCut = false
  private tokens: Usage | null = null

  constructor(
    route: HttpRoute | null,
    requestId: string,
    world: { logger: Logger; metrics: Metrics; now: () => number },
  ) {
    this.route = route
    this.requestId = requestId
    this.logger = world.logger
    this.metrics = world.metrics
    this.now = world.now
    this.startedAt = world.now()
  }

  received(bytes: number, warnAbove: number): void {
    if (warnAbove === 0 || bytes <= warnAbove) return
    this.logger.warn({ requestId: this.requestId, bytes }, 'the conversation is long')
  }

  plan(plan: Plan): void {
    this.carried = plan
    this.notes(plan.notes)
    this.logger.debug(
      { requestId: this.requestId, upstream: plan.upstream.name, path: plan.path, format: plan.format },
      'request translated',
    )
  }

  notes(notes: readonly RequestNote[]): void {
    for (const note of notes) {
      // Of a history the field says nothing; and a client can send one with thousands of calls to repair.
      const what = note.field === 'messages' ? `messages: ${note.reason}` : note.field
      if (this.dropped.length < loggedChanges) this.dropped.push(`${note.kind} ${what}`)
      this.logger.debug({ requestId: this.requestId, ...note }, 'request changed')
    }
  }

  upstreamCalled(): void {
    this.upstreamAt ??= this.now()
  }

  upstreamAnswered(): void {
    this.answeredAt ??= this.now()
    this.metrics.streamOpened()
  }

  firstByte(): void {
    this.firstByteAt ??= this.now()
  }

  /** A call was read from text, in this format. */
  callRead(format: FormatId): void {
    this.written ??= format
  }

  parserOpened(parser: HoldingParser): void {
    this.parsers.push(parser)
    this.metrics.parserOpened(parser)
  }

  /** Calls come one after the other: the next begins where the one before it is whole. */
  call(name: string): void {
    this.wholeCalls = this.calls.length
    this.calls.push(name)
  }

  callEnded(): void {
    this.wholeCalls = this.calls.length
  }

  problem(code: ProblemCode, message: string): void {
    this.problems.push(code)
    this.metrics.problem(this.format() ?? 'standard', code)
    this.logger.debug({ requestId: this.requestId, code, message }, 'problem in what the model wrote')
  }

  repair(code: RepairCode, message: string): void {
    this.repairs.push(code)
    this.logger.debug({ requestId: this.requestId, code, message }, 'repaired what the model wrote')
  }

  finished(reason: FinishReason): void {
    this.finish = reason
  }

  failed(failure: Failure): void {
    if (this.failure !== null) return
    this.failure = failure
    // Before an upstream was called nobody but the client, or we, can have failed.
    if (this.upstreamAt !== null) this.metrics.upstreamError(failure.kind)
  }

  /** For those who run the gateway: the names and addresses in it are none of the client's business. */
  upstreamFault({ code, message }: UpstreamFault): void {
    this.reason = `${code}: ${message}`
  }

  /** It is our doing that the answer ends, but the client's fault, and no upstream's. */
  clientStalled(): void {
    this.isCut = true
  }

  /** The log alone says what went wrong; the client is told that something did. */
  bug(error: unknown): void {
    const stack = error instanceof Error ? error.stack : String(error)
    this.logger.error({ requestId: this.requestId, error: stack }, 'our own bug')
  }

  usage(usage: Usage): void {
    this.tokens = usage
  }

  /** The response is closed: nothing more will happen to it. */
  done({ writableFinished, headersSent, statusCode }: ServerResponse): void {
    if (this.answeredAt !== null) this.metrics.streamClosed()
    for (const parser of this.parsers) this.metrics.parserClosed(parser)
    const seconds = (this.now() - this.startedAt) / 1000
    const format = this.format()
    const firstByte = this.firstByteAt === null ? null : (this.firstByteAt - this.startedAt) / 1000
    const status = headersSent ? statusCode : CLIENT_LEFT
    const route = this.route?.path ?? 'unknown'
    this.metrics.requestEnded({
      route,
      status,
      seconds,
      secondsToFirstEvent: firstByte,
      overheadSeconds: this.overhead(),
      format: this.calls.length > 0 ? format : null,
    })
    this.countCalls(format ?? 'standard')
    this.logger[this.level()](
      {
        requestId: this.requestId,
        route,
        key: this.key,
        model: this.model,
        upstream: this.carried?.upstream.name,
        upstreamModel: this.carried?.route.model,
        format,
        formatFrom: this.written === null ? this.carried?.formatFrom : 'answer',
        status,
        how: this.isCut ? 'cut' : writableFinished ? 'answered' : 'left',
        ms: Math.round(seconds * 1000),
        firstByteMs: firstByte === null ? null : Math.round(firstByte * 1000),
        finish: this.finish,
        calls: orNull(this.calls),
        problems: orNull(this.problems),
        repairs: orNull(this.repairs),
        changed: orNull(this.dropped),
        tokens: this.tokens === null ? null : this.tokens.inputTokens + this.tokens.outputTokens,
        failure: this.failureText(),
        reason: this.failure === null ? null : this.reason,
      },
      'request',
    )
  }

  /** An answer that ended well has only whole calls in it; one that was cut may have half a call at its end. */
  private countCalls(format: string): void {
    const isWhole = this.failure === null && this.finish !== null && this.finish !== 'length'
    const whole = isWhole ? this.calls.length : this.wholeCalls
    this.metrics.toolCalls(format, 'complete', whole)
    this.metrics.toolCalls(format, 'incomplete', this.calls.length - whole)
  }

  private failureText(): string | null {
    if (this.failure !== null) return `${this.failure.code}: ${this.failure.message}`
    return this.isCut ? 'client_stalled: The client took nothing for timeouts.clientStall.' : null
  }

  private format(): FormatId | null {
    return this.written ?? this.carried?.format ?? null
  }

  /** Probes come every few seconds and say nothing. */
  private level(): 'debug' | 'info' | 'warn' {
    if (this.failure !== null || this.isCut) return 'warn'
    return this.route?.method === 'GET' ? 'debug' : 'info'
  }

  /** What we added: the time before the upstream was called, and from its headers to our first byte. */
  private overhead(): number | null {
    if (this.upstreamAt === null || this.answeredAt === null || this.firstByteAt === null) return null
    return (this.upstreamAt - this.startedAt + Math.max(0, this.firstByteAt - this.answeredAt)) / 1000
  }
}

function orNull(list: readonly string[]): readonly string[] | null {
  return list.length === 0 ? null : list
}
