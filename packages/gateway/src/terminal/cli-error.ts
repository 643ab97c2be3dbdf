/** An error that the user can do something about. It is printed as a message, without a stack. */
export class CliError extends Error {
  readonly exitCode: 1 | 2
  /** Tells the user what to try next. */
  readonly hint: string | undefined

  constructor(exitCode: 1 | 2, message: string, hint?: string, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
    this.hint = hint
  }
}

/** For a command line that is wrong. */
export function usageError(message: string, hint?: string): CliError {
  return new CliError(2, message, hint)
}

/** For a command line that is right but asks for something that cannot be done. */
export function failure(message: string, cause?: unknown): CliError {
  return new CliError(1, message, undefined, { cause })
}
