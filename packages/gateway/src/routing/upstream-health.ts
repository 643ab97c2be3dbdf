/** Whether requests are sent to an upstream. Times are milliseconds of the clock that is handed in. */
export type Standing =
  /** `failures`: how many in a row, so far. */
  | { readonly is: 'in'; readonly failures: number }
  /** `told`: the upstream itself said how long it wants to be left alone. */
  | { readonly is: 'out'; readonly until: number; readonly why: 'failures' | 'told' }
  /** The time is over, and one request tries it. All others go elsewhere until that one has an answer. */
  | { readonly is: 'on trial' }

export interface HealthSettings {
  /** How many failures in a row take an upstream out. */
  readonly outAfter: number
  readonly outFor: number
}

/** What went wrong with an upstream last. */
export interface LastFailure {
  readonly at: number
  readonly cause: string
  readonly code: string
  readonly message: string
  /** Whether it said that there were too many requests. */
  readonly isRateLimit: boolean
}

/** One upstream, as the requests that were sent to it have found it. */
export class UpstreamHealth {
  readonly name: string
  private readonly now: () => number
  private current: Standing = { is: 'in', failures: 0 }
  private visitors = 0
  private latest: LastFailure | null = null

  constructor(name: string, now: () => number) {
    this.name = name
    this.now = now
  }

  get standing(): Standing {
    return this.current
  }

  /** How many requests it is answering, or has not begun to answer. */
  get inFlight(): number {
    return this.visitors
  }

  get lastFailure(): LastFailure | null {
    return this.latest
  }

  /** Whether a request may be sent there. To one that was out, one request at a time: the one that tries it. */
  get isOpen(): boolean {
    const { current } = this
    return current.is === 'in' || (current.is === 'out' && current.until <= this.now())
  }

  /** A request is sent there. One that is out is on trial with it. */
  visit(settings: HealthSettings): Visit {
    const isTrial = this.isTriedNow()
    if (isTrial) this.current = { is: 'on trial' }
    this.visitors++
    let state: 'asked' | 'answered' | 'over' = 'asked'
    const leave = (): void => {
      state = 'over'
      this.visitors--
    }
    return {
      answered: () => {
        if (state !== 'asked') return
        state = 'answered'
        this.succeeded()
      },
      failed: (failure, retryAt) => {
        if (state === 'over') return
        leave()
        this.latest = { ...failure, at: this.now() }
        this.failed(settings, isTrial, retryAt)
      },
      over: () => {
        if (state === 'over') return
        const isUndecided = state === 'asked'
        leave()
        // The client left before the upstream had proved anything: the next request tries it.
        if (isTrial && isUndecided && this.current.is === 'on trial') {
          this.current = { is: 'out', until: this.now(), why: 'failures' }
        }
      },
    }
  }

  /** A rule with one upstream asks it in any case. One that asked to be left alone is not let in again by that. */
  private isTriedNow(): boolean {
    const { current } = this
    return current.is === 'out' && (current.why === 'failures' || current.until <= this.now())
  }

  /** An answer proves that an upstream works, but not that it wants more requests than it said. */
  private succeeded(): void {
    if (this.current.is === 'out' && this.current.why === 'told') return
    this.current = { is: 'in', failures: 0 }
  }

  private failed({ outAfter, outFor }: HealthSettings, isTrial: boolean, retryAt: number | undefined): void {
    const { current } = this
    if (retryAt !== undefined) {
      const until = current.is === 'out' ? Math.max(current.until, retryAt) : retryAt
      this.current = { is: 'out', until, why: 'told' }
    } else if (current.is === 'in') {
      const failures = current.failures + 1
      this.current = failures < outAfter ? { is: 'in', failures } : this.outFor(outFor)
    } else if (isTrial && current.is === 'on trial') {
      this.current = this.outFor(outFor)
    }
  }

  private outFor(time: number): Standing {
    return { is: 'out', until: this.now() + time, why: 'failures' }
  }
}

/** One request at an upstream. What is told after its end changes nothing. */
export interface Visit {
  /** The answer has begun. */
  answered(): void
  /** It failed, before the answer or in the middle of it. `retryAt`: until when the upstream wants to be left alone. */
  failed(failure: Omit<LastFailure, 'at'>, retryAt: number | undefined): void
  /** The request is over, however it ended. */
  over(): void
}
