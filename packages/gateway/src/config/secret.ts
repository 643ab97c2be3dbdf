import { inspect } from 'node:util'

const redacted = '[redacted]'

/** A text that nobody may see. Printed, logged or serialised, it reads `[redacted]`. */
export class Secret {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  /** The text itself, for the place that sends it. */
  reveal(): string {
    return this.#text
  }

  toString(): string {
    return redacted
  }

  toJSON(): string {
    return redacted
  }

  [inspect.custom](): string {
    return redacted
  }
}
