/** The parts of an answer that do not come from the model. */
export interface Envelope {
  readonly id: string
  /** Seconds since 1970. */
  readonly created: number
}

/** An answer as the events of a stream, each as it is sent. */
export interface StreamedAnswer {
  readonly opening: readonly string[]
  readonly deltas: readonly string[]
  /** Why it ended. */
  readonly finish: readonly string[]
  /** What it took, where an event of its own says so. */
  readonly usage: readonly string[]
  /** That nothing follows, where a dialect says so apart. */
  readonly done: readonly string[]
}
