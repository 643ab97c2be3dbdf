import { nextPeriod, periodAt } from './budget-period.ts'
import { MinuteWindow } from './minute-window.ts'
import {
  type Allowance,
  type Allowances,
  type Claim,
  type LatestUse,
  type LimitName,
  type Settlement,
  type StandIn,
  sumOf,
  type Taken,
  type UsageRow,
  type Verdict,
} from './store.ts'

export interface StoreClock {
  /** Milliseconds of a clock that only goes on. */
  readonly now: () => number
  /** Milliseconds since 1970. */
  readonly today: () => number
}

/** Nobody knows when a request under way will end; most are over in a few seconds. */
export const CONCURRENT_WAIT_MS = 1000

/** How many rows of usage are kept. Beyond them those of the oldest day are given up. */
const MOST_ROWS = 20_000

/** Counts in this process, for as long as it lives. */
export class MemoryStore implements StandIn {
  private readonly clock: StoreClock
  private readonly keys = new Map<string, KeyCounts>()
  private readonly rows = new Map<string, UsageRow>()

  constructor(clock: StoreClock) {
    this.clock = clock
  }

  claim(claim: Claim): Promise<Verdict> {
    const now = this.clock.now()
    const counts = this.countsOf(claim.key)
    const obstacle = this.obstacle(claim, counts, now)
    const taken = obstacle === null ? this.take(claim, counts, now) : null
    const left = allowances(claim, counts, now)
    return Promise.resolve(
      taken === null
        ? { is: 'refused', by: obstacle?.by ?? 'concurrent', wait: obstacle?.wait ?? 0, left }
        : { is: 'granted', taken, left },
    )
  }

  settle({ claim, taken, tokens, used }: Settlement): Promise<void> {
    const now = this.clock.now()
    const counts = this.countsOf(claim.key)
    counts.underWay.delete(claim.id)
    const surplus = tokens - (taken?.tokens ?? 0)
    if (surplus > 0) counts.tokens.add(surplus, now)
    else if (taken !== null) counts.tokens.giveBack(-surplus, taken.slot, now)
    const { budget } = claim
    if (budget !== null) {
      const period = taken?.period ?? periodAt(this.clock.today(), budget.per)
      counts.spend(period, (used?.cost ?? 0) - (taken?.cost ?? 0))
    }
    if (used !== null) this.record(used)
    return Promise.resolve()
  }

  takeLatest(): readonly LatestUse[] {
    const now = this.clock.now()
    return Array.from(this.keys, ([key, counts]) => {
      const { requests, tokens } = counts
      counts.requests = new MinuteWindow()
      counts.tokens = new MinuteWindow()
      return { key, requests: requests.seconds(now), tokens: tokens.seconds(now) }
    }).filter(({ requests, tokens }) => requests.length + tokens.length > 0)
  }

  usage(since: string): Promise<readonly UsageRow[]> {
    return Promise.resolve([...this.rows.values()].filter(({ day }) => day >= since))
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  /** Adds to the row of the same day, key, model and upstream. */
  private record(used: UsageRow): void {
    const place = JSON.stringify([used.day, used.key, used.model, used.upstream])
    const known = this.rows.get(place)
    this.rows.set(place, known === undefined ? used : { ...known, ...sumOf(known, used) })
    if (this.rows.size <= MOST_ROWS) return
    const [oldest] = [...this.rows.values()].map(({ day }) => day).toSorted()
    for (const [each, { day }] of this.rows) if (day === oldest) this.rows.delete(each)
  }

  private obstacle(
    { limits, tokens, budget }: Claim,
    counts: KeyCounts,
    now: number,
  ): { readonly by: LimitName; readonly wait: number } | null {
    const { requestsPerMinute = Infinity, tokensPerMinute = Infinity, concurrent = Infinity } = limits
    if (counts.underWay.size >= concurrent) return { by: 'concurrent', wait: CONCURRENT_WAIT_MS }
    const forRequests = counts.requests.waitFor(1, requestsPerMinute, now)
    if (forRequests > 0) return { by: 'requests', wait: forRequests }
    const forTokens = counts.tokens.waitFor(Math.min(tokens, tokensPerMinute), tokensPerMinute, now)
    if (forTokens > 0) return { by: 'tokens', wait: forTokens }
    if (budget === null) return null
    const today = this.clock.today()
    const spent = counts.spentIn(periodAt(today, budget.per))
    if (spent < budget.nano && spent + budget.cost <= budget.nano) return null
    return { by: 'budget', wait: nextPeriod(today, budget.per) - today }
  }

  private take({ id, limits, tokens, budget }: Claim, counts: KeyCounts, now: number): Taken {
    if (limits.concurrent !== undefined) counts.underWay.add(id)
    counts.requests.add(1, now)
    const slot = counts.tokens.add(tokens, now)
    const cost = budget?.cost ?? 0
    const period = budget === null ? null : periodAt(this.clock.today(), budget.per)
    if (period !== null) counts.spend(period, cost)
    return { slot, tokens, cost, period }
  }

  private countsOf(key: string): KeyCounts {
    const known = this.keys.get(key)
    if (known !== undefined) return known
    const counts = new KeyCounts()
    this.keys.set(key, counts)
    return counts
  }
}

/** What one key has used. */
class KeyCounts {
  requests = new MinuteWindow()
  tokens = new MinuteWindow()
  /** The ids of requests under way. */
  readonly underWay = new Set<string>()
  /** Billionths of a dollar, by period. */
  private readonly spent = new Map<string, number>()

  spentIn(period: string): number {
    return this.spent.get(period) ?? 0
  }

  spend(period: string, cost: number): void {
    this.spent.set(period, this.spentIn(period) + cost)
    // A request that ends after midnight still pays into the day before.
    const [oldest] = this.spent.keys()
    if (this.spent.size > MOST_PERIODS && oldest !== undefined) this.spent.delete(oldest)
  }
}

const MOST_PERIODS = 4

function allowances({ limits }: Claim, counts: KeyCounts, now: number): Allowances {
  const { requestsPerMinute, tokensPerMinute } = limits
  return {
    ...(requestsPerMinute === undefined
      ? {}
      : { requests: allowance(counts.requests, requestsPerMinute, now) }),
    ...(tokensPerMinute === undefined ? {} : { tokens: allowance(counts.tokens, tokensPerMinute, now) }),
  }
}

function allowance(window: MinuteWindow, limit: number, now: number): Allowance {
  return { limit, remaining: Math.max(0, limit - window.usedAt(now)), resetIn: window.resetIn(now) }
}
