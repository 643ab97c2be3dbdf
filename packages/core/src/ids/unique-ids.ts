import { nineAlphanumerics } from './digest.ts'

/**
 * Gives out ids of which no two are equal. The first to ask gets the id it wants: a wanted id that was given out before,
 * even one made here from another id, is replaced. Looking ahead to keep it would change, as a history grows,
 * ids that an upstream has already cached.
 */
export class UniqueIds {
  private readonly prefix: string
  private readonly taken = new Set<string>()
  private readonly attempts = new Map<string, number>()

  constructor(prefix: string) {
    this.prefix = prefix
  }

  /** `wanted` if it is free, and otherwise (or where it is null) an id made from `source`, which begins with `prefix`. */
  take(source: string, wanted: string | null, prefix = this.prefix): string {
    const id = wanted !== null && !this.taken.has(wanted) ? wanted : this.make(source, prefix)
    this.taken.add(id)
    return id
  }

  private make(source: string, prefix: string): string {
    const digest = nineAlphanumerics(source)
    // The count goes on where the last search for this digest stopped. Starting anew each time would make a
    // conversation in which one id comes back thousands of times quadratic.
    let attempt = this.attempts.get(digest) ?? 0
    let id: string
    do {
      id = prefix + (attempt === 0 ? digest : nineAlphanumerics(`${digest}/${attempt}`))
      attempt++
    } while (this.taken.has(id))
    this.attempts.set(digest, attempt)
    return id
  }
}
