import type { UseInSecond } from './store.ts'

/** The last sixty seconds, second by second: this one and the 59 before it. */
export const WINDOW_SLOTS = 60

/** How much was used in the last minute. Times are milliseconds of one clock. */
export class MinuteWindow {
  /** By second, in order. */
  private readonly slots = new Map<number, number>()
  private used = 0

  usedAt(now: number): number {
    this.forget(now)
    return this.used
  }

  /** Milliseconds until so much of what was used is past that this much more fits below the limit. */
  waitFor(amount: number, limit: number, now: number): number {
    let over = this.usedAt(now) + amount - limit
    if (over <= 0) return 0
    for (const [slot, count] of this.slots) {
      over -= count
      if (over <= 0) return leaves(slot) - now
    }
    return WINDOW_SLOTS * 1000
  }

  /** Milliseconds until nothing is used. */
  resetIn(now: number): number {
    this.forget(now)
    const newest = [...this.slots.keys()].at(-1)
    return newest === undefined ? 0 : leaves(newest) - now
  }

  /** Counts this much now. */
  add(amount: number, now: number): number {
    this.forget(now)
    const slot = slotAt(now)
    this.slots.set(slot, (this.slots.get(slot) ?? 0) + amount)
    this.used += amount
    return slot
  }

  /** Gives back what was counted too much in an earlier second. Past the minute there is nothing to give back. */
  giveBack(amount: number, slot: number, now: number): void {
    this.forget(now)
    const count = this.slots.get(slot)
    if (count === undefined) return
    this.slots.set(slot, count - amount)
    this.used -= amount
  }

  /** All that counts, second by second. */
  seconds(now: number): UseInSecond[] {
    this.forget(now)
    return Array.from(this.slots, ([slot, count]) => ({ ago: slotAt(now) - slot, count }))
  }

  private forget(now: number): void {
    const oldest = slotAt(now) - WINDOW_SLOTS + 1
    for (const [slot, count] of this.slots) {
      if (slot >= oldest) return
      this.slots.delete(slot)
      this.used -= count
    }
  }
}

function slotAt(now: number): number {
  return Math.floor(now / 1000)
}

/** When a second is past the minute. */
function leaves(slot: number): number {
  return (slot + WINDOW_SLOTS) * 1000
}
