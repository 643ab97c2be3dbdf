/** Keeps the beginning and the end of a long output, which matter most. */
export class HeadAndTail {
  private readonly most: number
  private readonly head: Buffer[] = []
  private headLength = 0
  private tail: Buffer[] = []
  private tailLength = 0
  private dropped = 0

  /** `most` is the number of bytes that are kept of each. */
  constructor(most: number) {
    this.most = most
  }

  push(chunk: Buffer): void {
    const room = this.most - this.headLength
    const first = chunk.subarray(0, room)
    if (first.length > 0) {
      this.head.push(first)
      this.headLength += first.length
    }
    const rest = chunk.subarray(first.length)
    if (rest.length === 0) return
    this.tail.push(rest)
    this.tailLength += rest.length
    // The pieces are joined only when they have doubled, so that each byte is copied once on average.
    if (this.tailLength > 2 * this.most) this.trim()
  }

  toString(): string {
    if (this.tailLength > this.most) this.trim()
    const gap = this.dropped === 0 ? [] : [Buffer.from(`\n[… ${this.dropped} bytes left out …]\n`)]
    return Buffer.concat([...this.head, ...gap, ...this.tail]).toString('utf8')
  }

  private trim(): void {
    const whole = Buffer.concat(this.tail)
    const kept = whole.subarray(Math.max(0, whole.length - this.most))
    this.dropped += whole.length - kept.length
    // A view instead of a copy would keep all of the old bytes in memory.
    this.tail = [Buffer.from(kept)]
    this.tailLength = kept.length
  }
}
