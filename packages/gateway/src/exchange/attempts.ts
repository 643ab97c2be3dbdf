import type { Failure } from '@dragoman/core'
import { causeToMoveOn, type FailedCall, mostUseful } from '../routing/move-on.ts'
import { retryAfter } from '../routing/retry-after.ts'
import type { Itinerary, Place, Stop } from '../routing/routing.ts'
import type { RateLimits } from '../upstream/rate-limits.ts'
import type { Elsewhere, MovedOn } from './elsewhere.ts'
import type { Negotiation } from './negotiation.ts'

/** One upstream that a request is sent to, and the plan for it. */
export interface Attempt {
  readonly stop: Stop
  readonly negotiation: Negotiation
}

export interface AttemptsOptions {
  readonly itinerary: Itinerary
  readonly first: Attempt
  /** Plans the request anew for another place; undefined where that place cannot take it at all. */
  readonly plan: (place: Place) => Negotiation | undefined
  readonly observer: AttemptObserver
  readonly now: () => number
  /** Milliseconds since 1970, for upstreams that name the time of day. */
  readonly today: () => number
}

/** Is told what became of each attempt, where there was a choice. */
export interface AttemptObserver {
  attemptAnswered(upstream: string, milliseconds: number): void
  /** `movedOn`: whether the request is asked elsewhere. What was read of the answer counts for nothing then. */
  attemptFailed(attempt: FailedAttempt, movedOn: boolean): void
}

export interface FailedAttempt {
  readonly upstream: string
  readonly failure: Failure
  /** Why the request may be tried elsewhere, in a word; null where it may not be. */
  readonly cause: string | null
  readonly milliseconds: number
}

interface Tried extends FailedAttempt {
  readonly limits: RateLimits | undefined
}

/**
 * The attempts to get one request answered. While its client has heard nothing, a failure that may be over elsewhere moves
 * the request on, and it is planned anew: the next upstream may have another model, format or dialect.
 */
export class Attempts implements Elsewhere {
  private readonly options: AttemptsOptions
  private readonly failed: Tried[] = []
  private running: Attempt
  private startedAt: number
  private blamed: string | null = null

  constructor(options: AttemptsOptions) {
    this.options = options
    this.running = options.first
    this.startedAt = options.now()
  }

  /** The attempt that is under way. */
  get current(): Attempt {
    return this.running
  }

  /** The upstream whose answer, or whose failure, the client is told. */
  get upstreamName(): string {
    return this.blamed ?? this.running.stop.upstream.name
  }

  get isThere(): boolean {
    return !this.options.itinerary.isOnly && this.options.itinerary.hasNext
  }

  answered(): void {
    const { stop } = this.running
    stop.visit.answered()
    if (this.isChoice) this.options.observer.attemptAnswered(stop.upstream.name, this.elapsed())
  }

  moveOn(failed: FailedCall, limits: RateLimits | undefined): MovedOn {
    const tried = this.note(failed, limits)
    const next = tried.cause === null ? undefined : this.nextAttempt()
    if (this.isChoice) this.options.observer.attemptFailed(tried, next !== undefined)
    if (next === undefined) return this.giveUp(tried)
    this.failed.push(tried)
    this.running = next
    this.startedAt = this.options.now()
    return { is: 'moved' }
  }

  /** An answer broke off of which the client has the beginning. Nothing can be done for it, but the upstream is remembered. */
  failedLate(failure: Failure): void {
    const cause = causeToMoveOn({ failure })
    if (cause !== null) this.running.stop.visit.failed(describe(failure, cause), undefined)
    this.running.negotiation.failedLate(failure)
  }

  /** The request is over, however it ended. */
  over(): void {
    this.running.stop.visit.over()
  }

  private get isChoice(): boolean {
    return !this.options.itinerary.isOnly
  }

  private note(failed: FailedCall, limits: RateLimits | undefined): Tried {
    const { stop } = this.running
    const { failure } = failed
    const cause = causeToMoveOn(failed)
    if (cause === null) {
      // Whoever refuses a request is there and works.
      if (failed.fault === undefined) stop.visit.answered()
      stop.visit.over()
    } else {
      const wait = retryAfter(limits, failure, this.options.today())
      stop.visit.failed(describe(failure, cause), wait === undefined ? undefined : this.options.now() + wait)
    }
    return { upstream: stop.upstream.name, failure, cause, limits, milliseconds: this.elapsed() }
  }

  private nextAttempt(): Attempt | undefined {
    const { itinerary, plan } = this.options
    if (itinerary.isOnly) return undefined
    for (let place = itinerary.next(); place !== undefined; place = itinerary.next()) {
      const negotiation = plan(place)
      // Nobody is there before there is a plan: where planning fails, nothing has to be taken back.
      if (negotiation !== undefined) return { stop: itinerary.enter(place), negotiation }
    }
    return undefined
  }

  private giveUp(last: Tried): MovedOn {
    const [first, ...others] = [...this.failed, last]
    const { failure, limits, upstream } = first === undefined ? last : mostUseful([first, ...others])
    this.blamed = upstream
    return { is: 'final', failure, limits }
  }

  private elapsed(): number {
    return this.options.now() - this.startedAt
  }
}

function describe({ kind, code, message }: Failure, cause: string) {
  return { cause, code, message, isRateLimit: kind === 'rate-limit' }
}
