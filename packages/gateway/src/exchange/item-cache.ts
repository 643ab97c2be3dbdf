import { isObject } from '../base/is-object.ts'
import type { ItemCacheConfig } from '../config/config.ts'

/**
 * Pieces of answers that clients name later by their ids, in memory. What was asked for longest ago goes first. A piece
 * belongs to the key with which the answer was asked for: who guesses an id of somebody else finds nothing.
 */
export class ItemCache {
  private limits: ItemCacheConfig
  /** As JSON, in the order in which they were used: what is kept of an answer is as large as it counts. */
  private readonly kept = new Map<string, string>()
  private size = 0

  constructor(limits: ItemCacheConfig) {
    this.limits = limits
  }

  /** What no longer fits goes at once. */
  limit(limits: ItemCacheConfig): void {
    this.limits = limits
    this.shrink()
  }

  keep(owner: string | null, id: string, item: object): void {
    const place = placeOf(owner, id)
    const text = JSON.stringify(item)
    const size = sizeOf(place, text)
    this.forget(place)
    // All others would have to go, and it would go after them.
    if (size > this.limits.bytes) return
    this.kept.set(place, text)
    this.size += size
    this.shrink()
  }

  find(owner: string | null, id: string): Readonly<Record<string, unknown>> | undefined {
    const place = placeOf(owner, id)
    const text = this.kept.get(place)
    if (text === undefined) return undefined
    this.kept.delete(place)
    this.kept.set(place, text)
    const item: unknown = JSON.parse(text)
    return isObject(item) ? item : undefined
  }

  private shrink(): void {
    const { items, bytes } = this.limits
    for (const place of this.kept.keys()) {
      if (this.kept.size <= items && this.size <= bytes) return
      this.forget(place)
    }
  }

  private forget(place: string): void {
    const text = this.kept.get(place)
    if (text === undefined) return
    this.kept.delete(place)
    this.size -= sizeOf(place, text)
  }
}

/** Where no key is needed there is one owner of everything, and no key has that name. */
function placeOf(owner: string | null, id: string): string {
  return JSON.stringify([owner, id])
}

function sizeOf(place: string, text: string): number {
  return Buffer.byteLength(place) + Buffer.byteLength(text)
}
