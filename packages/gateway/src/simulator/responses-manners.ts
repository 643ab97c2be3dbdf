/** How a server writes responses, as far as it is not as OpenAI does it. */
export interface ResponsesManners {
  /**
   * Where thoughts stand. `raw`, which is usual: in the content of an item. `summary`: in its summary, and the item holds an
   * encrypted text too. `bare-summary`: the same, but nothing announces the part, and nothing is encrypted.
   */
  readonly reasoning?: 'raw' | 'summary' | 'bare-summary'
  /** In front of `.added` and `.done`, in the events about a part of raw reasoning. */
  readonly reasoningPart?: string
  /** The fields that its events lack. */
  readonly lacks?: readonly string[]
  /** All items are done at the end, one after the other. */
  readonly itemsDone?: 'at-the-end'
  /**
   * What an answer that reached its limit says of itself: `in-completed` has the status inside `response.completed`, `never`
   * says that it is complete. Otherwise the event is `response.incomplete`.
   */
  readonly incomplete?: 'in-completed' | 'never'
}
