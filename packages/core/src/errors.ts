const brand: unique symbol = Symbol.for('dragoman.error')

/** Mistakes of the caller. What a model writes is never one: that is a `problem` event. */
export type ErrorCode = 'unknown-format' | 'invalid-option' | 'ended'

export class DragomanError extends Error {
  override readonly name = 'DragomanError'
  readonly [brand] = true
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }

  /** Holds across two copies of this package in one program, where `instanceof` does not. */
  static is(value: unknown): value is DragomanError {
    return typeof value === 'object' && value !== null && brand in value
  }
}
