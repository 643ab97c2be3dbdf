import type { RateLimits } from '../upstream/rate-limits.ts'

/** The most of an answer that is kept to look for an error in it. */
const BEGINNING_BYTES = 65_536

/** What has come of an answer that has not begun: an error may stand in it. */
export class Beginning {
  private chunks: Buffer[] = []
  private size = 0

  add(chunk: Buffer): void {
    if (this.size >= BEGINNING_BYTES) return
    this.chunks.push(chunk)
    this.size += chunk.length
  }

  /** The answer has begun. */
  forget(): void {
    this.chunks = []
  }

  get text(): string {
    return Buffer.concat(this.chunks).toString('utf8', 0, BEGINNING_BYTES)
  }
}

/** The most that is held back of an answer that has said nothing yet. */
const HELD_CHARACTERS = 65_536

/** The beginning of an answer that may still turn out to be none. */
export class HeldText {
  readonly limits: RateLimits | undefined
  text = ''
  private hasSaid = false

  constructor(limits: RateLimits | undefined) {
    this.limits = limits
  }

  said(): void {
    this.hasSaid = true
  }

  add(text: string): void {
    this.text += text
  }

  get saysNothing(): boolean {
    return !this.hasSaid
  }

  /** Whether nothing was said so far, and little came. */
  get isWorthWaiting(): boolean {
    return this.saysNothing && this.text.length < HELD_CHARACTERS
  }
}
