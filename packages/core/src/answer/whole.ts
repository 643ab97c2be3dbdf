import type { JsonObject } from '../json/objects.ts'
import type { Failure } from './failure.ts'

/** A whole answer as the stream that says the same, or why it is none. */
export type WholeAsEvents =
  /** `json` is the answer by itself, without what some servers wrap around it. */
  { readonly events: string; readonly json: string } | { readonly failure: Failure }

/** A stream put together as the whole answer that it adds up to. */
export interface WholeAnswer {
  readonly value: JsonObject
  /** The same as text, in which arguments stand as the model wrote them: numbers too long for ours among them. */
  readonly json: string
}

/** Puts a stream together; cut anywhere, it adds up to the same. */
export interface WholeCollector {
  push(sseText: string): void
  /** Null where nothing came that could be put together. */
  end(): WholeAnswer | null
}
