const PATIENCE_MS = 1000

/** Says what is waited for, where it takes long, and is gone as soon as it comes. */
export class WaitingLine {
  private readonly write: (text: string) => void
  private timer: NodeJS.Timeout | undefined
  private isShown = false

  constructor(write: (text: string) => void) {
    this.write = write
  }

  start(text: string): void {
    this.stop()
    this.timer = setTimeout(() => {
      this.isShown = true
      this.write(text)
    }, PATIENCE_MS)
  }

  stop(): void {
    clearTimeout(this.timer)
    if (this.isShown) this.write('\r\u001b[K')
    this.isShown = false
  }
}
