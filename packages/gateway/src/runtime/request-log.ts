import type { Failure, FinishReason, ProblemCode, RepairCode, RequestNote, Usage } from '@dragoman/core'
import type { Logger } from '../observe/logger.ts'
import type { Metrics } from '../observe/metrics.ts'
import type { AnswerWatcher } from '../routes/answer-watch.ts'
import type { Plan } from '../routes/plan.ts'

/** Everything there is to say about one request, gathered while it runs and told in one line at its end. */
export class RequestLog implements AnswerWatcher {
  model: string | null = null
  status = 0
  private readonly route: string
  private readonly requestId: string
  private readonly logger: Logger
  private readonly metrics: Metrics
  private readonly now: () => number
  private readonly startedAt: number
  private upstreamAt: number | null = null
  private answeredAt: number | null = null
  private firstByteAt: number | null = null
  private isDone = false
  private carried: Plan | undefined
  private readonly calls: string[] = []
  private readonly problems: string[] = []
  private readonly repairs: string[] = []
  private readonly dropped: string[] = []
  private finish: FinishReason | null = null
  private failure: Failure | null = null
  private tokens: Usage | null = null

  constructor(
    route: string,
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
    if (this.status === 0) this.status = 200
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
    this.failure = failure
    this.metrics.upstreamError(failure.code)
  }

  usage(usage: Usage): void {
    this.tokens = usage
  }

  /** The exchange is over: `left` where the client went before its end. */
  done(how: 'answered' | 'left'): void {
    if (this.isDone) return
    this.isDone = true
    if (this.answeredAt !== null) this.metrics.streamClosed()
    const seconds = (this.now() - this.startedAt) / 1000
    const format = this.carried?.format ?? null
    const firstByte = this.firstByteAt === null ? null : (this.firstByteAt - this.startedAt) / 1000
    this.metrics.requestEnded({
      route: this.route,
      status: this.status,
      seconds,
      secondsToFirstEvent: firstByte,
      overheadSeconds: this.overhead(),
      format: this.calls.length > 0 ? format : null,
    })
    if (this.calls.length > 0)
      this.metrics.toolCalls(
        format ?? 'standard',
        this.failure === null ? 'complete' : 'incomplete',
        this.calls.length,
      )
    const write = this.failure === null ? this.logger.info : this.logger.warn
    write(
      {
        requestId: this.requestId,
        route: this.route,
        model: this.model,
        upstream: this.carried?.upstream.name,
        upstreamModel: this.carried?.route.model,
        format,
        status: this.status,
        how,
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

  /** What we added: the time before the upstream was called, and from its headers to our first byte. */
  private overhead(): number | null {
    if (this.upstreamAt === null || this.answeredAt === null || this.firstByteAt === null) return null
    return (this.upstreamAt - this.startedAt + Math.max(0, this.firstByteAt - this.answeredAt)) / 1000
  }
}

function orNull(list: readonly string[]): readonly string[] | null {
  return list.length === 0 ? null : list
}
