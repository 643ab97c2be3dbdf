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
import type { Metrics } from '../observe/metrics.ts'
import type { AnswerWatcher } from '../routes/answer-watch.ts'
import type { Plan } from '../routes/plan.ts'
import type { Route } from '../routes/route-table.ts'

/** What proxies report for a client that did not wait for the status. */
const CLIENT_LEFT = 499

/** Everything there is to say about one request, gathered while it runs and told in one line at its end. */
export class RequestLog implements AnswerWatcher {
  model: string | null = null
  private readonly route: Route | null
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
  private written: FormatId | null = null
  private readonly problems: string[] = []
  private readonly repairs: string[] = []
  private readonly dropped: string[] = []
  private finish: FinishReason | null = null
  private failure: Failure | null = null
  private tokens: Usage | null = null

  constructor(
    route: Route | null,
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
      this.dropped.push(`${note.kind} ${note.field}`)
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

  call(name: string): void {
    this.calls.push(name)
  }

  problem(code: ProblemCode, message: string): void {
    this.problems.push(code)
    this.metrics.problem(this.carried?.format ?? 'standard', code)
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

  usage(usage: Usage): void {
    this.tokens = usage
  }

  /** The response is closed: nothing more will happen to it. */
  done({ writableFinished, headersSent, statusCode }: ServerResponse): void {
    if (this.answeredAt !== null) this.metrics.streamClosed()
    const seconds = (this.now() - this.startedAt) / 1000
    const format = this.written ?? this.carried?.format ?? null
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
    if (this.calls.length > 0) {
      const outcome = this.failure === null ? 'complete' : 'incomplete'
      this.metrics.toolCalls(format ?? 'standard', outcome, this.calls.length)
    }
    this.logger[this.level()](
      {
        requestId: this.requestId,
        route,
        model: this.model,
        upstream: this.carried?.upstream.name,
        upstreamModel: this.carried?.route.model,
        format,
        formatFrom: this.written === null ? this.carried?.formatFrom : 'answer',
        status,
        how: writableFinished ? 'answered' : 'left',
        ms: Math.round(seconds * 1000),
        firstByteMs: firstByte === null ? null : Math.round(firstByte * 1000),
        finish: this.finish,
        calls: orNull(this.calls),
        problems: orNull(this.problems),
        repairs: orNull(this.repairs),
        changed: orNull(this.dropped),
        tokens: this.tokens === null ? null : this.tokens.inputTokens + this.tokens.outputTokens,
        failure: this.failure === null ? null : `${this.failure.code}: ${this.failure.message}`,
      },
      'request',
    )
  }

  /** Probes come every few seconds and say nothing. */
  private level(): 'debug' | 'info' | 'warn' {
    if (this.failure !== null) return 'warn'
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
