/** An end of the program that the user can do something about: a message, no stack. */
export class CliError extends Error {
  readonly exitCode: 1 | 2
  /** What to try next. */
  readonly hint: string | undefined

  constructor(exitCode: 1 | 2, message: string, hint?: string, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
    this.hint = hint
  }
}

/** The command line itself is wrong. */
export function usageError(message: string, hint?: string): CliError {
  return new CliError(2, message, hint)
}

/** The command line is right, but what it asks for cannot be done. */
export function failure(message: string, cause?: unknown): CliError {
  return new CliError(1, message, undefined, { cause })
}
