/** What an event stream holds, in order. */
export type SseItem = SseEvent | SseFields | SseComment | SseOverflow

/** A block of lines with at least one `data` field. */
export interface SseEvent extends SseBlockFields {
  readonly kind: 'event'
  /** The `data` lines, joined with a line feed. */
  readonly data: string
}

/** A block without `data`, such as a lone `retry: 3000`: no event to act on, but not ours to lose. */
export interface SseFields extends SseBlockFields {
  readonly kind: 'fields'
}

/** A line that starts with a colon, given at once; servers send them to keep a connection open. */
export interface SseComment {
  readonly kind: 'comment'
  readonly text: string
}

/** A line or event longer than `limit`. It is the last item: the decoder yields nothing after it. */
export interface SseOverflow {
  readonly kind: 'overflow'
  readonly limit: number
}

interface SseBlockFields {
  /** `undefined` also when the field is there but empty, which means the same. */
  readonly event: string | undefined
  readonly id: string | undefined
  /** Milliseconds. */
  readonly retry: number | undefined
  /** The fields that the standard does not name, in the order they came. */
  readonly otherFields: readonly SseField[]
  /** Whether the blank line that closes the block came before the stream ended. */
  readonly terminated: boolean
  /** The block exactly as it came: line ends, closing blank line and comments inside it included. */
  readonly source: string
}

export interface SseField {
  readonly name: string
  readonly value: string
}
