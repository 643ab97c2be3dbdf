/** A client that takes nothing for this long is a slow reader. */
const SLOW_MS = 20

/**
 * How much is translated at a time for a slow reader. What it does not take is held three times, as text, as bytes and as
 * what is left to read: with all that one read of a connection brings, a hundred of them took 70 MB.
 */
const SLOW_BYTES = 16_384

/** What has come of an answer and is not translated yet, and whether its reader takes it. */
export class UnreadBytes {
  /**
   * Emptied and used again. It lives as long as the answer, where the collector seldom looks for garbage; one that was replaced
   * would keep its chunks until it does.
   */
  private readonly chunks: Buffer[] = []
  private pausedAt: number | null = null
  private reader: 'quick' | 'slow' = 'quick'

  get isEmpty(): boolean {
    return this.chunks.length === 0
  }

  get isPaused(): boolean {
    return this.pausedAt !== null
  }

  /** Whether what has come stays as it came until the reader takes what it has. */
  get mustWait(): boolean {
    return this.reader === 'slow' && this.pausedAt !== null
  }

  add(chunk: Buffer): void {
    this.chunks.push(chunk)
  }

  /** What is to be translated now; undefined where there is nothing. */
  take(how: 'more' | 'end'): Buffer | undefined {
    const [first] = this.chunks
    if (first === undefined) return undefined
    const all = this.chunks.length === 1 ? first : Buffer.concat(this.chunks)
    const isAll = how === 'end' || this.reader === 'quick' || all.length <= SLOW_BYTES
    this.clear()
    if (!isAll) this.chunks.push(all.subarray(SLOW_BYTES))
    return isAll ? all : all.subarray(0, SLOW_BYTES)
  }

  pause(): void {
    this.pausedAt ??= performance.now()
  }

  resume(): void {
    if (this.pausedAt === null) return
    if (performance.now() - this.pausedAt > SLOW_MS) this.reader = 'slow'
    this.pausedAt = null
  }

  clear(): void {
    this.chunks.length = 0
  }
}
