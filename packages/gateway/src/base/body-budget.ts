/** How many bytes the bodies of all requests under way may take in memory together. */
export class BodyBudget {
  private held = 0
  private limit: number

  constructor(limit: number) {
    this.limit = limit
  }

  /** Holds for what comes from now on. */
  change(limit: number): void {
    this.limit = limit
  }

  /** The part of one request, which has nothing in it yet. */
  open(): BodyShare {
    let taken = 0
    return {
      hasRoomFor: (bytes) => this.held + bytes <= this.limit,
      take: (bytes) => {
        if (this.held + bytes > this.limit) return false
        this.held += bytes
        taken += bytes
        return true
      },
      release: () => {
        this.held -= taken
        taken = 0
      },
    }
  }
}

export interface BodyShare {
  hasRoomFor(bytes: number): boolean
  /** Whether there was room for so many more. */
  take(bytes: number): boolean
  /** The body is no longer in memory. */
  release(): void
}
