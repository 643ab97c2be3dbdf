const MINUTE = 60_000
/**
 * The most addresses that are counted one by one: an attacker with many addresses must not fill the memory. Those beyond
 * are counted together, for what was counted must not be forgotten either.
 */
const MOST_ADDRESSES = 10_000

/** Counts wrong keys by address, so that nobody can try many of them. */
export class FailureLimit {
  private readonly failures = new Map<string, { since: number; count: number }>()
  private readonly now: () => number
  private lookedAt = -Infinity

  constructor(now: () => number) {
    this.now = now
  }

  isBlocked(address: string, perMinute: number): boolean {
    const entry = this.failures.get(address) ?? (this.isFull ? this.failures.get(others) : undefined)
    return entry !== undefined && this.now() - entry.since < MINUTE && entry.count >= perMinute
  }

  fail(address: string): void {
    const now = this.now()
    if (!this.failures.has(address) && this.isFull) this.forgetOld(now)
    const counted = this.failures.has(address) || !this.isFull ? address : others
    const entry = this.failures.get(counted)
    if (entry !== undefined && now - entry.since < MINUTE) entry.count++
    else this.failures.set(counted, { since: now, count: 1 })
  }

  private get isFull(): boolean {
    return this.failures.size >= MOST_ADDRESSES
  }

  /** Looks through all of them once a second at most, however many wrong keys come. */
  private forgetOld(now: number): void {
    if (now - this.lookedAt < 1000) return
    this.lookedAt = now
    for (const [address, entry] of this.failures) {
      if (now - entry.since >= MINUTE) this.failures.delete(address)
    }
  }
}

/** No address: all that are not counted by themselves. */
const others = ''
