import type { ServerResponse } from 'node:http'
import type {
  AnswerWatcher,
  ConversationRequest,
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
import type { AttemptObserver, FailedAttempt } from '../exchange/attempts.ts'
import type { ExchangeObserver } from '../exchange/exchange.ts'
import type { LiveExchange } from '../inspection/live-exchange.ts'
import type { Plan } from '../exchange/plan.ts'
import type { WrittenPlan } from '../exchange/written-plan.ts'
import type { Ticket } from '../quotas/ticket.ts'
import { FirstOf, orNull, tokenFields } from './log-fields.ts'
import type { HttpRoute } from './route-table.ts'
import type { UpstreamCall, UpstreamListener } from '../upstream/client.ts'
import type { UpstreamFault } from '../upstream/upstream-fault.ts'

/** The status that proxies report for a client that left before it got one. */
const CLIENT_LEFT = 499

const loggedChanges = 50

/** The model wrote a call of which no client hears, although the answer may have ended well. */
const lostCalls: ReadonlySet<ProblemCode> = new Set([
  'truncated-call',
  'invalid-arguments',
  'unresolved-name',
  'overflow',
])

export interface RequestLogWorld {
  readonly logger: Logger
  readonly metrics: Metrics
  readonly now: () => number
}

/** Gathers everything about one request while it runs, and logs it in one line at its end. */
export class RequestLog implements ExchangeObserver, AttemptObserver, AnswerWatcher {
  model: string | null = null
  /** The same exchange in the memory of the inspector, where it is kept there. */
  shown: LiveExchange | undefined
  /** The name of the key that the client used. */
  key: string | null = null
  /** Is told the usage of an answer, and says what it gives away about the answer; undefined where that is nothing. */
  judgeUsage: (usage: Usage) => string | undefined = () => undefined
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
  private readonly calls = new FirstOf()
  /** How many of the calls are known to be whole. */
  private wholeCalls = 0
  private readonly parsers: HoldingParser[] = []
  private written: FormatId | null = null
  private readonly problems = new FirstOf()
  private hasLostCalls = false
  private readonly repairs = new FirstOf()
  private readonly dropped: string[] = []
  private readonly secondThoughts: string[] = []
  private readonly attempts: string[] = []
  private finish: FinishReason | null = null
  private failure: Failure | null = null
  private reason: string | null = null
  private isCut = false
  private tokens: Usage | null = null
  private ticket: Ticket | null = null
  private isDone = false

  constructor(route: HttpRoute | null, requestId: string, world: RequestLogWorld) {
    this.route = route
    this.requestId = requestId
    this.logger = world.logger
    this.metrics = world.metrics
    this.now = world.now
    this.startedAt = world.now()
  }

  /** The request was read and understood. */
  asked({ model }: ConversationRequest): void {
    this.model = model
    this.shown?.asksFor(model)
  }

  /** The key may ask. What comes of it is counted when the request is over. */
  admitted(ticket: Ticket): void {
    this.ticket = ticket
    // The client may have left while the store was asked.
    if (this.isDone) this.settle()
  }

  get isAccounted(): boolean {
    return this.ticket !== null
  }

  wrote(characters: number): void {
    this.ticket?.wrote(characters)
  }

  received(bytes: number, warnAbove: number): void {
    if (warnAbove === 0 || bytes <= warnAbove) return
    this.logger.warn({ requestId: this.requestId, bytes }, 'the conversation is long')
  }

  plan(plan: Plan): void {
    this.carried = plan
    this.notes(plan.notes)
    const { upstream, path, format, parser } = plan
    const { requestId } = this
    this.logger.debug({ requestId, upstream: upstream.name, path, format }, 'request translated')
    // Nobody looks for calls then, so whether the answer holds some is not known.
    if (parser.tools?.length === 0) {
      this.logger.debug({ requestId }, 'no tools were offered: what looks like a call stays text')
    }
  }

  /** The upstream refused, and something was done about it. */
  secondThought(reason: string): void {
    if (this.secondThoughts.length < loggedChanges) this.secondThoughts.push(reason)
    this.shown?.secondThought(reason)
  }

  attemptAnswered(upstream: string, milliseconds: number): void {
    this.attempts.push(`${upstream}: answered (${Math.round(milliseconds)} ms)`)
    this.metrics.upstreamAttempt(upstream, 'answered')
  }

  /** What was read of an answer that the client will never see counts for nothing. */
  attemptFailed({ upstream, failure, cause, milliseconds }: FailedAttempt, movedOn: boolean): void {
    const { code, message } = failure
    this.attempts.push(
      `${upstream}: ${cause ?? 'refused'}: ${code}: ${message} (${Math.round(milliseconds)} ms)`,
    )
    this.metrics.upstreamAttempt(upstream, cause ?? 'refused')
    if (!movedOn) return
    this.ticket?.startAnew()
    if (this.answeredAt !== null) this.metrics.streamClosed()
    this.answeredAt = null
    for (const read of [this.calls, this.problems, this.repairs]) read.clear()
    this.hasLostCalls = false
    this.wholeCalls = 0
    this.written = null
    this.finish = null
    this.tokens = null
    this.reason = null
  }

  notes(notes: readonly RequestNote[]): void {
    this.shown?.changedRequest(notes)
    for (const note of notes) {
      // For notes about messages the reason tells more than the field. The number is limited because a client can
      // send thousands of calls that need a repair.
      const what = note.field === 'messages' ? `messages: ${note.reason}` : note.field
      // An upstream that is asked again is mostly asked with the same changes.
      const change = `${note.kind} ${what}`
      if (this.dropped.length < loggedChanges && !this.dropped.includes(change)) this.dropped.push(change)
      this.logger.debug({ requestId: this.requestId, ...note }, 'request changed')
    }
  }

  /** Each attempt at an upstream is made through this: `call` makes it, with what is sent and who is told. */
  calling(
    plan: WrittenPlan,
    listener: UpstreamListener,
    call: (plan: WrittenPlan, listener: UpstreamListener) => UpstreamCall,
  ): UpstreamCall {
    return call(plan, listener)
  }

  upstreamCalled(): void {
    this.upstreamAt ??= this.now()
  }

  upstreamHeaders(status: number, contentType: string): void {
    this.shown?.upstreamAnswer(status, contentType)
  }

  upstreamSaid(bytes: Buffer): void {
    this.shown?.upstreamChunk(bytes)
  }

  /** This goes to the client. */
  sent(text: string): void {
    this.shown?.clientChunk(text)
  }

  upstreamAnswered(): void {
    // An upstream that is asked again answers again, and the stream to the client is one.
    if (this.answeredAt === null) this.metrics.streamOpened()
    this.answeredAt ??= this.now()
  }

  /** The line has no place for what an upstream calls itself and its answer. A trace has. */
  started(_answer: { readonly id: string | null; readonly model: string | null }): void {}

  firstByte(): void {
    this.firstByteAt ??= this.now()
    this.shown?.firstByte()
  }

  /** A call was found in text that is written in this format. */
  callRead(format: FormatId): void {
    this.written ??= format
    if (this.shown !== undefined) this.shown.written ??= format
  }

  parserOpened(parser: HoldingParser): void {
    this.parsers.push(parser)
    this.metrics.parserOpened(parser)
  }

  /** Calls come one after the other, so the one before is whole when the next begins. */
  call(name: string): void {
    this.wholeCalls = this.calls.count
    this.calls.add(name)
    if (this.shown !== undefined) this.shown.calls++
  }

  callEnded(): void {
    this.wholeCalls = this.calls.count
  }

  problem(code: ProblemCode, message: string): void {
    this.problems.add(code)
    this.hasLostCalls ||= lostCalls.has(code)
    this.shown?.tell('problem', code, message)
    this.metrics.problem(this.format() ?? 'standard', code)
    this.logger.debug({ requestId: this.requestId, code, message }, 'problem in what the model wrote')
  }

  repair(code: RepairCode, message: string): void {
    this.repairs.add(code)
    this.shown?.tell('repair', code, message)
    this.logger.debug({ requestId: this.requestId, code, message }, 'repaired what the model wrote')
  }

  finished(reason: FinishReason): void {
    this.finish = reason
    if (this.shown !== undefined) this.shown.finish = reason
  }

  failed(failure: Failure): void {
    if (this.failure !== null) return
    this.failure = failure
    this.shown?.failed(failure)
    // A failure before the upstream was called is not an error of the upstream.
    if (this.upstreamAt !== null) this.metrics.upstreamError(failure.kind)
  }

  /** The fault holds names and addresses for those who run the gateway. Clients of a shared one are not told them. */
  upstreamFault({ code, message }: UpstreamFault): void {
    this.reason = `${code}: ${message}`
    this.shown?.upstreamFault(code)
  }

  /** We end the answer because the client takes nothing. No upstream has failed. */
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
    if (this.shown !== undefined) this.shown.usage = usage
  }

  /** The response is closed: nothing more will happen to it. */
  done({ writableFinished, headersSent, statusCode }: ServerResponse): void {
    this.isDone = true
    this.settle()
    if (this.answeredAt !== null) this.metrics.streamClosed()
    const calls = this.countWhole()
    if (!writableFinished) this.shown?.clientLeft()
    this.shown?.end(headersSent ? statusCode : null, calls)
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
      format: this.calls.count > 0 ? format : null,
    })
    this.metrics.toolCalls(format ?? 'standard', 'complete', calls)
    this.metrics.toolCalls(format ?? 'standard', 'incomplete', this.calls.count - calls)
    this.warnOfSuspicion()
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
        calls: this.calls.shown(),
        problems: this.problems.shown(),
        repairs: this.repairs.shown(),
        changed: orNull(this.dropped),
        again: orNull(this.secondThoughts),
        attempts: orNull(this.attempts),
        tokens: this.tokens === null ? null : this.tokens.inputTokens + this.tokens.outputTokens,
        ...tokenFields(this.tokens),
        failure: this.failureText(),
        reason: this.failure === null ? null : this.reason,
      },
      'request',
    )
  }

  private settle(): void {
    const { carried } = this
    const isCalled = this.upstreamAt !== null && carried !== undefined
    this.ticket?.settle({
      place: isCalled ? { upstream: carried.upstream.name, model: carried.route.model } : null,
      usage: this.tokens,
      isAnswered: this.answeredAt !== null,
      isFinished: this.finish !== null,
      problems: this.problems.count,
      isFailed: this.failure !== null,
    })
  }

  private warnOfSuspicion(): void {
    const suspicion = this.tokens === null ? undefined : this.judgeUsage(this.tokens)
    if (suspicion === undefined) return
    const { requestId, model } = this
    this.logger.warn({ requestId, model, upstream: this.carried?.upstream.name }, suspicion)
  }

  /** All calls of an answer that ended well are whole. An answer that was cut may end in half a call. */
  private countWhole(): number {
    const isWhole = this.failure === null && this.finish !== null && this.finish !== 'length'
    return isWhole ? this.calls.count : this.wholeCalls
  }

  private failureText(): string | null {
    if (this.failure !== null) return `${this.failure.code}: ${this.failure.message}`.slice(0, longestFailure)
    return this.isCut ? 'client_stalled: The client took nothing for timeouts.clientStall.' : null
  }

  private format(): FormatId | null {
    return this.written ?? this.carried?.format ?? null
  }

  /** Health checks come every few seconds, so they are logged at the lowest level. */
  private level(): 'debug' | 'info' | 'warn' {
    if (this.failure !== null || this.isCut || this.hasLostCalls) return 'warn'
    return this.route?.method === 'GET' ? 'debug' : 'info'
  }

  /**
   * The time that the gateway added: before it called the upstream, and from the headers of the upstream to the first
   * byte for the client.
   */
  private overhead(): number | null {
    if (this.upstreamAt === null || this.answeredAt === null || this.firstByteAt === null) return null
    return (this.upstreamAt - this.startedAt + Math.max(0, this.firstByteAt - this.answeredAt)) / 1000
  }
}

const longestFailure = 2000
