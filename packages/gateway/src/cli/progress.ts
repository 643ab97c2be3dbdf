import type { Io } from '../terminal/io.ts'

const millisecondsBetween = 250

/** A line on a terminal that says how far the work is. Where standard error is no terminal it says nothing. */
export class Progress {
  private readonly io: Io
  private nextAt: number
  private isShown = false

  constructor(io: Io) {
    this.io = io
    this.nextAt = io.now() + millisecondsBetween
  }

  async show(text: () => string): Promise<void> {
    if (!this.io.stderr.isTerminal || this.io.now() < this.nextAt) return
    this.nextAt = this.io.now() + millisecondsBetween
    this.isShown = true
    await this.io.stderr.write(`\r\u001B[K${text()}`)
  }

  /** To be called before a line is written where both streams are one terminal: it would land on this one. */
  async clear(): Promise<void> {
    if (!this.isShown) return
    this.isShown = false
    await this.io.stderr.write('\r\u001B[K')
  }
}
