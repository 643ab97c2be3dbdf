import {
  type ConversationRequest,
  dialects,
  type Failure,
  holdsWholeCalls,
  retryFor,
  textInError,
} from '@dragoman/core'
import type { Lesson } from '../upstream/known-upstream.ts'
import { likelyTokens } from './estimate-tokens.ts'
import { mendingFor, type Mending, otherCalls } from './mendings.ts'
import { type Plan, sameBody } from './plan.ts'

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
  /** Seconds, as the dialects want them. */
  readonly now: () => number
  /** Keeps what later requests can use too. */
  readonly learn: (lesson: Lesson, lasting?: 'long' | 'briefly') => void
  /** Is told every plan that is carried out. */
  readonly onPlan: (plan: Plan) => void
  /** Is told why an upstream is asked again, or how its error was read. */
  readonly onSecondThought: (reason: string) => void
}

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
    this.current = this.planned()
    options.onPlan(this.current)
  }

  get plan(): Plan {
    return this.current
  }

  reconsider(refused: Refused): SecondThought {
    const told = textInError(refused)
    if (told !== null && holdsWholeCalls(told.text, this.current.parser)) {
      this.options.onSecondThought('The error of the upstream held the call that it could not read.')
      const { whole } = dialects[this.current.upstreamDialect].answer
      return {
        is: 'answer',
        body: whole.ofText(told.text, { model: this.current.route.model, created: this.options.now() }),
      }
    }
    return this.mend(refused) ? { is: 'again' } : { is: 'final', failure: this.withNumbers(refused.failure) }
  }

  /** An answer failed of which the client has heard the beginning. The next request need not fail for the same reason. */
  failedLate(failure: Failure): void {
    const refused = { status: 500, body: failure.message, failure }
    const mended = otherCalls(refused, this.current, this.request)
    const isLasting = retryFor(refused)?.lasts === true
    if (mended !== null) this.options.learn(mended.lesson, isLasting ? 'long' : 'briefly')
  }

  /** Whether there is another plan by which the upstream is to be asked. */
  private mend(refused: Refused): boolean {
    for (;;) {
      const found = mendingFor(refused, this.current, this.request, this.tried)
      if (found === null) return false
      const { mending, mended } = found
      this.tried.add(mending)
      this.request = mended.request ?? this.request
      this.lesson = { ...this.lesson, ...mended.lesson }
      const next = this.planned()
      // What was mended may not be in the request at all. The same request would be refused again.
      if (sameBody(next.body, this.current.body)) continue
      if (mended.lasts) this.options.learn(mended.lesson)
      this.options.onSecondThought(mended.reason)
      this.current = next
      this.options.onPlan(next)
      return true
    }
  }

  private planned(): Plan {
    return this.options.plan(this.request, this.lesson)
  }

  /** Clients act on how much is too much. Where the upstream did not tell it, the estimate does. */
  private withNumbers(failure: Failure): Failure {
    const { overflow } = failure
    if (overflow === undefined || overflow.what === 'output') return failure
    const { route, known } = this.current
    const { promptTokens = likelyTokens(this.request, known.scale) } = overflow
    const { window = route.window ?? known.facts.window } = overflow
    // A message may quote what a client wrote. Only a server that counted the prompt tells its own window.
    const isCounted = overflow.promptTokens !== undefined && overflow.window !== undefined
    if (isCounted && known.facts.window === undefined) this.options.learn({ window: overflow.window })
    return {
      ...failure,
      overflow: { ...overflow, promptTokens, ...(window === undefined ? {} : { window }) },
    }
  }
}
