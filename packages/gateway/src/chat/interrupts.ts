/** Lets Ctrl-C stop what is running, without ending the program. */
export class Interrupts {
  private running: AbortController | undefined

  /** Runs something that can be stopped. */
  async during<Result>(run: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const controller = new AbortController()
    this.running = controller
    try {
      return await run(controller.signal)
    } finally {
      this.running = undefined
    }
  }

  /** Returns false where nothing runs or it is being stopped already. */
  interrupt(): boolean {
    if (this.running === undefined || this.running.signal.aborted) return false
    this.running.abort()
    return true
  }
}
