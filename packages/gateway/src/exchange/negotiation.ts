import {
  type ConversationRequest,
  demandsLostReasoning,
  dialects,
  type Failure,
  type Overflow,
  parseToolCalls,
  refusedThinkingField,
  retryFor,
  textInError,
} from '@dragoman/core'
import type { Lesson } from '../upstream/known-upstream.ts'
import { estimateTokens } from './estimate-tokens.ts'
import type { Plan } from './plan.ts'

/** A request that an upstream refused before any of its answer went to the client. */
export interface Refused {
  readonly status: number
  /** What the upstream sent, as far as it was read. */
  readonly body: string
  readonly failure: Failure
}

/** What is done about a refusal. */
export type SecondThought =
  /** The upstream is asked again, by another plan. */
  | { readonly is: 'again' }
  /** The refusal holds what the model wrote: this is the answer, in the dialect of the upstream. */
  | { readonly is: 'answer'; readonly body: string }
  | { readonly is: 'final'; readonly failure: Failure }

export interface NegotiationOptions {
  readonly request: ConversationRequest
  /** Plans the request with what is known of the upstream now, and with what this request was taught itself. */
  readonly plan: (request: ConversationRequest, lesson: Lesson) => Plan
  /** Keeps what later requests can use too. */
  readonly learn: (lesson: Lesson) => void
  /** Is told every plan that is carried out. */
  readonly onPlan: (plan: Plan) => void
  /** Is told why an upstream is asked again, or how its error was read. */
  readonly onSecondThought: (reason: string) => void
}

/** An answer shorter than this is of no use to an agent: then the prompt is what is too long. */
const LEAST_ANSWER = 1024

/**
 * One request and the plan by which it is carried out. Servers refuse requests for reasons that can be mended: each kind
 * of mending is tried once, before any byte has gone to the client.
 */
export class Negotiation {
  private readonly options: NegotiationOptions
  private request: ConversationRequest
  private lesson: Lesson = {}
  private current: Plan
  private readonly tried = new Set<Mending>()

  constructor(options: NegotiationOptions) {
    this.options = options
    this.request = options.request
    this.current = this.planAnew()
  }

  get plan(): Plan {
    return this.current
  }

  reconsider(refused: Refused): SecondThought {
    const told = textInError(refused)
    if (told !== null && this.holdsCalls(told.text)) {
      this.options.onSecondThought('The error of the upstream held the call that it could not read.')
      const { whole } = dialects[this.current.upstreamDialect].answer
      return { is: 'answer', body: whole.ofText(told.text) }
    }
    for (const mending of mendings) {
      if (this.tried.has(mending)) continue
      const mended = mending(refused, this.current, this.request)
      if (mended === null) continue
      this.tried.add(mending)
      this.request = mended.request ?? this.request
      this.lesson = { ...this.lesson, ...mended.lesson }
      if (mended.lasts) this.options.learn(mended.lesson)
      this.options.onSecondThought(mended.reason)
      this.current = this.planAnew()
      return { is: 'again' }
    }
    return { is: 'final', failure: this.withNumbers(refused.failure) }
  }

  /** An answer failed of which the client has heard the beginning. The next request need not fail for the same reason. */
  failedLate(failure: Failure): void {
    const refused = { status: 500, body: failure.message, failure }
    const mended = otherCalls(refused, this.current, this.request)
    if (mended !== null) this.options.learn(mended.lesson)
  }

  private planAnew(): Plan {
    const plan = this.options.plan(this.request, this.lesson)
    this.options.onPlan(plan)
    return plan
  }

  private holdsCalls(text: string): boolean {
    const { calls, tools } = this.current.parser
    if (calls === 'remove' || tools?.length === 0) return false
    return parseToolCalls(text, this.current.parser).toolCalls.length > 0
  }

  /** Clients act on how much is too much. Where the upstream did not tell it, the estimate does. */
  private withNumbers(failure: Failure): Failure {
    const { overflow } = failure
    if (overflow === undefined || overflow.what === 'output') return failure
    const { promptTokens = estimateTokens(this.request) } = overflow
    const { window = this.current.route.window ?? this.current.known.facts.window } = overflow
    if (overflow.window !== undefined) this.options.learn({ window: overflow.window })
    return {
      ...failure,
      overflow: { ...overflow, promptTokens, ...(window === undefined ? {} : { window }) },
    }
  }
}

interface Mended {
  readonly reason: string
  readonly request?: ConversationRequest
  readonly lesson: Lesson
  /** Whether later requests would be refused for the same reason. */
  readonly lasts: boolean
}

type Mending = (refused: Refused, plan: Plan, request: ConversationRequest) => Mended | null

const mendings: readonly Mending[] = [shorterAnswer, otherThinking, otherCalls, demandedReasoning]

/** The prompt fits, but not together with an answer as long as the client allows. */
function shorterAnswer({ failure }: Refused, plan: Plan, request: ConversationRequest): Mended | null {
  const { overflow } = failure
  if (overflow === undefined || overflow.what === 'prompt') return null
  const { window } = overflow
  const lesson: Lesson = {
    ...(window === undefined ? {} : { window }),
    ...(isOwnLimit(overflow) ? { maxOutput: overflow.mostOutput } : {}),
  }
  if (request.maxTokens === undefined) return null
  const maxTokens = limitAfter(overflow, plan, request, request.maxTokens)
  if (maxTokens === null) return null
  const reason =
    maxTokens === undefined
      ? 'The upstream was asked again without max_tokens: prompt and answer did not fit together.'
      : `The upstream was asked again with max_tokens ${maxTokens}: it refused more.`
  return { reason, request: { ...request, maxTokens }, lesson, lasts: true }
}

/** Whether answers have a limit of their own. Some servers only say that an answer alone is longer than the window. */
function isOwnLimit(overflow: Overflow): overflow is Overflow & { readonly mostOutput: number } {
  const { what, mostOutput, window } = overflow
  return what === 'output' && mostOutput !== undefined && mostOutput !== window
}

/** Undefined for no limit, null where no limit would help. */
function limitAfter(
  overflow: Overflow,
  { known, route, upstreamDialect }: Plan,
  request: ConversationRequest,
  asked: number,
): number | undefined | null {
  if (isOwnLimit(overflow)) return overflow.mostOutput < asked ? overflow.mostOutput : null
  const { window, promptTokens, totalTokens } = overflow
  const prompt = promptTokens ?? (totalTokens === undefined ? undefined : totalTokens - asked)
  const { withoutLimit = 'rest of the window' } = known.server ?? {}
  const mayHaveNone = !dialects[upstreamDialect].request.demandsLimit && withoutLimit === 'rest of the window'
  if (prompt === undefined && mayHaveNone) return undefined
  const most = window ?? route.window ?? known.facts.window
  if (most === undefined) return mayHaveNone ? undefined : null
  const room = most - (prompt ?? estimateTokens(request))
  if (room >= Math.min(asked, LEAST_ANSWER)) return Math.min(room, asked - 1)
  // The estimate may be too high. A prompt whose length the upstream told is too long indeed.
  return prompt === undefined ? Math.min(LEAST_ANSWER, asked - 1) : null
}

/** The upstream cannot read calls, or not this one. So it is kept from it, and they are read here. */
function otherCalls(
  refused: Refused,
  { upstream, known, route }: Plan,
  request: ConversationRequest,
): Mended | null {
  if (upstream.parse === 'server' || route.tools === 'prompt' || request.tools.length === 0) return null
  const retry = retryFor(refused)
  if (retry === null || known.lesson.calls === 'in the prompt') return null
  const inText =
    retry.helps === 'calls in text' &&
    known.lesson.calls === undefined &&
    known.server?.textCalls?.by === 'fields'
  return {
    reason: inText
      ? 'The upstream was asked again to leave the calls in the text: it cannot read them.'
      : 'The upstream was asked again with the tools in the prompt: it cannot read their calls.',
    lesson: { calls: inText ? 'in text' : 'in the prompt' },
    lasts: retry.lasts,
  }
}

/** The upstream refuses what it was told of thinking. So it is told nothing of the kind. */
function otherThinking({ failure, body: told }: Refused, { body, known }: Plan): Mended | null {
  if (failure.kind !== 'invalid-request' || failure.overflow !== undefined) return null
  const fields = (refusedThinkingField(told) ?? []).filter((field) => body.includes(`"${field}"`))
  if (fields.length === 0) return null
  return {
    reason: `The upstream was asked again without ${fields.join(', ')}: it refused that.`,
    lesson: { refusedFields: [...(known.lesson.refusedFields ?? []), ...fields] },
    lasts: true,
  }
}

/** A vendor's own server, under an address that does not tell. */
function demandedReasoning({ failure }: Refused, { known }: Plan): Mended | null {
  if (known.lesson.demandsReasoning === true || !demandsLostReasoning(failure)) return null
  return {
    reason: 'The upstream was asked again with reasoning beside every call: it demands it.',
    lesson: { demandsReasoning: true },
    lasts: true,
  }
}
