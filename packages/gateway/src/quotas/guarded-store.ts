import {
  type Claim,
  type QuotaStore,
  type Settlement,
  type SharedStore,
  type StandIn,
  StoreFault,
  sumOf,
  type UsageRow,
  type Verdict,
} from './store.ts'

export interface GuardedStoreOptions {
  readonly store: SharedStore
  /** Counts while the store is gone. Null where nobody is let through uncounted. */
  readonly meanwhile: StandIn | null
  readonly observer: StoreObserver
}

/** Is told how the store stands. */
export interface StoreObserver {
  fault(): void
  gone(why: string): void
  back(): void
}

/** How much use is kept until it can be written down: as many different keys, models, upstreams and days. */
const MOST_OWED = 10_000

/** A store that may be gone for a while. What was let through and used meanwhile is counted there when it is back. */
export class GuardedStore implements QuotaStore {
  private readonly options: GuardedStoreOptions
  private state: 'there' | 'gone' = 'there'
  /** What was taken from the other store has to be put right there. */
  private readonly takenMeanwhile = new WeakSet<Claim>()
  private readonly owed = new Map<string, Settlement>()

  constructor(options: GuardedStoreOptions) {
    this.options = options
  }

  async claim(claim: Claim): Promise<Verdict> {
    const { store, meanwhile } = this.options
    try {
      const verdict = await store.claim(claim)
      this.isThere()
      return verdict
    } catch (error) {
      this.isGone(error)
      if (meanwhile === null) throw error
      this.takenMeanwhile.add(claim)
      return meanwhile.claim(claim)
    }
  }

  async settle(settlement: Settlement): Promise<void> {
    const { store, meanwhile } = this.options
    const { claim, taken, tokens, used } = settlement
    if (this.takenMeanwhile.has(claim)) {
      await meanwhile?.settle(settlement)
      // Where the store is back, it has been told what this request was expected to need.
      const beyond = this.state === 'there' ? Math.max(0, tokens - (taken?.tokens ?? 0)) : 0
      await this.write({ claim, taken: null, tokens: beyond, used })
      return
    }
    try {
      await store.settle(settlement)
      this.isThere()
    } catch (error) {
      this.isGone(error)
      this.owe({ claim, taken, tokens: taken?.tokens ?? 0, used })
    }
  }

  usage(since: string): Promise<readonly UsageRow[]> {
    return this.options.store.usage(since)
  }

  async close(): Promise<void> {
    await this.writeOwed()
    await this.options.store.close()
  }

  private async write(settlement: Settlement): Promise<void> {
    if (settlement.used === null) return
    try {
      await this.options.store.settle(settlement)
      this.isThere()
    } catch (error) {
      this.isGone(error)
      this.owe(settlement)
    }
  }

  private isThere(): void {
    if (this.state === 'there') return
    this.state = 'there'
    this.options.observer.back()
    void this.handOver()
    void this.writeOwed()
  }

  /** Whoever was let through meanwhile has used as much of the minute as anybody else. */
  private async handOver(): Promise<void> {
    const { store, meanwhile } = this.options
    try {
      await Promise.all((meanwhile?.takeLatest() ?? []).map((latest) => store.addLatest(latest)))
    } catch (error) {
      this.isGone(error)
    }
  }

  private isGone(error: unknown): void {
    if (!(error instanceof StoreFault)) throw error
    const { observer } = this.options
    observer.fault()
    if (this.state === 'gone') return
    this.state = 'gone'
    observer.gone(error.message)
  }

  /** Adds to what has to be written down for the same key, model, upstream and day. */
  private owe(settlement: Settlement): void {
    const { claim, used, taken } = settlement
    if (used === null) return
    const place = JSON.stringify([used.day, used.key, used.model, used.upstream, taken?.period ?? null])
    const before = this.owed.get(place)
    if (before === undefined && this.owed.size >= MOST_OWED)
      throw new StoreFault('too much is owed to the store')
    this.owed.set(
      place,
      before === undefined ? { claim, taken, tokens: 0, used } : together(before, settlement),
    )
  }

  private async writeOwed(): Promise<void> {
    const owed = [...this.owed.values()]
    this.owed.clear()
    await Promise.all(owed.map((settlement) => this.write(withoutTokens(settlement))))
  }
}

function together(one: Settlement, other: Settlement): Settlement {
  const used =
    one.used === null || other.used === null ? other.used : { ...one.used, ...sumOf(one.used, other.used) }
  const taken =
    one.taken === null || other.taken === null
      ? other.taken
      : { ...one.taken, cost: one.taken.cost + other.taken.cost }
  return { ...one, used, taken }
}

/** The minute in which the tokens were taken is mostly over. */
function withoutTokens(settlement: Settlement): Settlement {
  const { taken } = settlement
  return { ...settlement, tokens: 0, taken: taken === null ? null : { ...taken, tokens: 0 } }
}
