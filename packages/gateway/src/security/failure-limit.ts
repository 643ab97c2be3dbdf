const MINUTE = 60_000
/** The most addresses that are remembered: an attacker with many addresses must not fill the memory. */
const MOST_ADDRESSES = 10_000

/** Counts wrong keys by address, so that nobody can try many of them. */
export class FailureLimit {
  private readonly failures = new Map<string, { since: number; count: number }>()
  private readonly now: () => number

  constructor(now: () => number) {
    this.now = now
  }

  isBlocked(address: string, perMinute: number): boolean {
    const entry = this.failures.get(address)
    return entry !== undefined && this.now() - entry.since < MINUTE && entry.count >= perMinute
  }

  fail(address: string): void {
    const now = this.now()
    const entry = this.failures.get(address)
    if (entry !== undefined && now - entry.since < MINUTE) {
      entry.count++
      return
    }
    if (this.failures.size >= MOST_ADDRESSES) this.forgetOld(now)
    this.failures.set(address, { since: now, count: 1 })
  }

  private forgetOld(now: number): void {
    for (const [address, entry] of this.failures) {
      if (now - entry.since >= MINUTE) this.failures.delete(address)
    }
    if (this.failures.size >= MOST_ADDRESSES) this.failures.clear()
  }
}
