export interface End {
  /** The exit code of the process. */
  readonly code: 0 | 1
}

/**
 * How long a process serves: until a signal, or until code of ours throws where nobody catches it. After such an
 * error the state of the process is uncertain, so requests under way may end and no new ones begin. A second signal
 * ends the process at once.
 */
export class Lifetime {
  private signals = 0
  private over: (end: End) => void = () => {}
  private readonly ended = new Promise<End>((resolve) => {
    this.over = resolve
  })
  /** Errors that came before anybody was there to report them to. */
  private readonly early: string[] = []
  private report: (error: string) => void = (error) => this.early.push(error)

  /** `atOnce` is called at the second signal, before the process ends. */
  constructor(atOnce: () => void = () => {}) {
    const onSignal = (): void => {
      if (++this.signals > 1) {
        atOnce()
        process.exit(1)
      }
      this.over({ code: 0 })
    }
    process.on('SIGINT', onSignal).on('SIGTERM', onSignal)
    const onBug = (error: unknown): void => {
      this.report(error instanceof Error ? (error.stack ?? error.message) : String(error))
      this.over({ code: 1 })
    }
    process.on('uncaughtException', onBug).on('unhandledRejection', onBug)
  }

  stop(): void {
    this.over({ code: 0 })
  }

  end(report: (error: string) => void): Promise<End> {
    this.report = report
    for (const error of this.early.splice(0)) report(error)
    return this.ended
  }
}
