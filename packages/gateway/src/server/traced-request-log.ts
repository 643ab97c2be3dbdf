import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type ConversationRequest,
  type DialectId,
  type Failure,
  type FinishReason,
  type ProblemCode,
  type RepairCode,
  type Usage,
} from '@dragoman/core'
import type { FailedAttempt } from '../exchange/attempts.ts'
import type { Plan } from '../exchange/plan.ts'
import type { WrittenPlan } from '../exchange/written-plan.ts'
import { namedKey } from '../exchange/session-key.ts'
import { tapWrites } from '../recorder/tap.ts'
import type { UpstreamCall, UpstreamListener } from '../upstream/client.ts'
import { answerNames, eventNames, finishReasons, genAi, http, own } from '../observe/traces/names.ts'
import type { Span } from '../observe/traces/span.ts'
import type { Tracing } from '../observe/traces/tracing.ts'
import { RequestLog, type RequestLogWorld } from './request-log.ts'
import type { HttpRoute } from './route-table.ts'
import { failAttempt, type MakeCall, traceAttempt } from './traced-attempt.ts'
import { AnsweredContent, askedContent } from './traced-content.ts'

/** What a trace has to know of a request before anything is read of it. */
export interface TracedRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly dialect: DialectId
}

/** The log of a request that is a span of a trace too, with a child for each attempt at an upstream. */
export class TracedRequestLog extends RequestLog {
  // The log has fields of its own, and a later one of the same name must not meet one of these.
  readonly #tracing: Tracing
  readonly #asking: TracedRequest
  readonly #span: Span
  #attempts = 0
  #lastAttempt: Span | undefined
  #hasFirstByte = false
  #wasStalled = false
  #finishReason: FinishReason | null = null
  #answered: AnsweredContent | undefined
  #wantsStream = false

  constructor(
    tracing: Tracing,
    asking: TracedRequest,
    route: HttpRoute,
    requestId: string,
    world: RequestLogWorld,
  ) {
    super(route, requestId, world)
    this.#tracing = tracing
    this.#asking = asking
    this.#span = tracing.tracer.request('chat', asking.request.headers)
    this.#span.set({
      [genAi.operation]: 'chat',
      [http.method]: asking.request.method ?? route.method,
      [http.route]: route.path,
      [own.requestId]: requestId,
      [own.clientDialect]: asking.dialect,
    })
  }

  override asked(request: ConversationRequest): void {
    super.asked(request)
    const { model, maxTokens, temperature, topP, topK, stopSequences, stream } = request
    this.#span.rename(`chat ${model}`)
    this.#span.set({
      [genAi.requestModel]: model,
      [genAi.maxTokens]: maxTokens,
      [genAi.temperature]: temperature,
      [genAi.topP]: topP,
      [genAi.topK]: topK,
      [genAi.stopSequences]: stopSequences.length === 0 ? null : stopSequences,
      [genAi.conversation]: namedKey(request, this.#asking.request.headers),
    })
    this.#wantsStream = stream
    if (this.#tracing.content === 'captured' && this.#span.context.isSampled) this.capture(request)
  }

  override plan(plan: Plan): void {
    super.plan(plan)
    this.#span.set({
      [genAi.provider]: plan.known.server?.id ?? plan.upstreamDialect,
      [own.upstream]: plan.upstream.name,
      [own.upstreamDialect]: plan.upstreamDialect,
      [own.format]: plan.format,
    })
  }

  override calling(
    plan: WrittenPlan,
    listener: UpstreamListener,
    call: (request: WrittenPlan, listener: UpstreamListener) => UpstreamCall,
  ): UpstreamCall {
    const { upstream, route, path } = plan
    const { hostname, port, protocol } = new URL(upstream.url)
    const attempt = this.#tracing.tracer.child(this.#span, `POST ${upstream.name}`, 'client')
    attempt.set({
      [http.method]: 'POST',
      [http.serverAddress]: hostname,
      [http.serverPort]: Number(port === '' ? (protocol === 'https:' ? 443 : 80) : port),
      [http.urlPath]: path,
      [http.urlScheme]: protocol.slice(0, -1),
      [http.resend]: this.#attempts === 0 ? null : this.#attempts,
      [genAi.requestModel]: route.model,
      [own.upstream]: upstream.name,
    })
    this.#attempts++
    this.#lastAttempt = attempt
    const make: MakeCall<WrittenPlan> = (request, heard) => super.calling(request, heard, call)
    return traceAttempt(attempt, plan, listener, make)
  }

  override secondThought(reason: string): void {
    super.secondThought(reason)
    this.#span.event(eventNames.again, { [own.reason]: reason })
    // The refusal may have come with status 200, as the first event of a stream.
    if (this.#lastAttempt !== undefined) failAttempt(this.#lastAttempt, 'refused')
  }

  override attemptFailed(attempt: FailedAttempt, movedOn: boolean): void {
    super.attemptFailed(attempt, movedOn)
    // It may have failed with status 200, as the first event of a stream.
    if (this.#lastAttempt !== undefined) failAttempt(this.#lastAttempt, attempt.cause ?? attempt.failure.code)
    this.#lastAttempt?.end()
    if (movedOn) this.#span.forget(answerNames)
  }

  override started(answer: { readonly id: string | null; readonly model: string | null }): void {
    super.started(answer)
    this.#span.set({ [genAi.responseId]: answer.id, [genAi.responseModel]: answer.model })
  }

  override firstByte(): void {
    super.firstByte()
    if (this.#hasFirstByte) return
    this.#hasFirstByte = true
    this.#span.event(eventNames.firstByte)
  }

  override call(name: string): void {
    super.call(name)
    this.#span.event(eventNames.toolCall, { [genAi.toolName]: name })
  }

  override problem(code: ProblemCode, message: string): void {
    super.problem(code, message)
    this.#span.event(eventNames.problem, { [own.code]: code, [own.message]: this.quotable(message) })
  }

  override repair(code: RepairCode, message: string): void {
    super.repair(code, message)
    this.#span.event(eventNames.repair, { [own.code]: code })
  }

  override usage(usage: Usage): void {
    super.usage(usage)
    const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, reasoningTokens } = usage
    this.#span.set({
      [genAi.inputTokens]: inputTokens + cacheReadTokens + cacheWriteTokens,
      [genAi.cacheReadTokens]: cacheReadTokens,
      [genAi.cacheWriteTokens]: cacheWriteTokens,
      [genAi.outputTokens]: outputTokens,
      [genAi.reasoningTokens]: reasoningTokens,
    })
  }

  override finished(reason: FinishReason): void {
    super.finished(reason)
    this.#finishReason = reason
    this.#span.set({ [genAi.finishReasons]: [finishReasons[reason]] })
  }

  override failed(failure: Failure): void {
    super.failed(failure)
    this.#span.fail({ [http.errorType]: failure.code }, this.quotable(failure.message) ?? failure.code)
    // An upstream may answer with 200 and then fail: the status alone would tell a good attempt.
    if (this.#lastAttempt !== undefined) failAttempt(this.#lastAttempt, failure.code)
  }

  override clientStalled(): void {
    super.clientStalled()
    this.#wasStalled = true
    this.#span.fail({ [http.errorType]: 'client_stalled' }, 'client_stalled')
  }

  override done(response: ServerResponse): void {
    super.done(response)
    try {
      this.endSpans(response)
    } catch (error) {
      // Nobody above catches what the listener of an event throws: it would end the process.
      this.bug(error)
    }
  }

  private endSpans(response: ServerResponse): void {
    const { writableFinished, headersSent, statusCode } = response
    if (this.#answered !== undefined && statusCode === 200) {
      const { dialect } = this.#asking
      this.#span.set(this.#answered.attributes(dialect, this.#wantsStream, this.#finishReason))
    }
    this.#span.set({
      [http.status]: headersSent ? statusCode : null,
      [own.key]: this.key,
      [own.how]: this.#wasStalled ? 'cut' : writableFinished ? 'answered' : 'left',
    })
    // The connection of an upstream may be open for a moment longer than the answer that was read from it.
    this.#lastAttempt?.end()
    this.#span.end()
  }

  private capture(request: ConversationRequest): void {
    this.#span.set(askedContent(request))
    const answered = new AnsweredContent()
    this.#answered = answered
    tapWrites(this.#asking.response, (piece) => answered.add(piece))
  }

  /** Messages may quote what a client or a model wrote. */
  private quotable(message: string): string | null {
    return this.#tracing.content === 'captured' ? message : null
  }
}
