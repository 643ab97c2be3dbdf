import type { JsonObject } from '../json/objects.ts'
import type { ProblemCode, RepairCode } from '../problems.ts'
import type { Failure } from './failure.ts'

/** Why an answer ended, in nobody's dialect. */
export type FinishReason = 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'stop-sequence' | 'pause'

export interface Usage {
  /** Tokens of the prompt that came from no cache and went into none. */
  readonly inputTokens: number
  readonly cacheReadTokens: number
  readonly cacheWriteTokens: number
  readonly outputTokens: number
  /** Part of `outputTokens`. */
  readonly reasoningTokens: number
}

/** A call that came in fields of its own, as far as an output has to know it. */
export interface UpstreamCall {
  readonly id: string | null
  /** What the upstream wrote around the name and the arguments: fields that its own dialect gives back. */
  readonly source: JsonObject
  /** Its place among the structured calls that came. */
  readonly ordinal: number
  /** What the upstream wants back beside the call, as JSON text, and the field it stands in. */
  readonly proof: { readonly field: string; readonly text: string } | null
  /** A field that clients need was filled in: that is told once. */
  isFilled: boolean
}

/**
 * What an upstream's answer says, in order: between the call policy and the encoder of a dialect, or the patcher of
 * the upstream's own. One call is open at a time; indexes ascend from 0. `finish` or `fail` comes exactly once;
 * `usage` may come several times, also behind `finish`, and the last one counts; `end` is the end of the stream
 * and comes exactly once, last. A call that the upstream did not complete gets no `callEnd`; what follows it ends
 * it, and the answer ends with `finish('length')` or `fail`.
 */
export interface AnswerSink {
  start(answer: { readonly id: string | null; readonly model: string | null }): void
  text(text: string): void
  /** `field` is where the upstream had it: what has to be restored on the way back. */
  reasoning(text: string, field: string): void
  /**
   * An opaque proof that belongs to the reasoning at hand (a signature of Anthropic's, encrypted details). `field` is where
   * the upstream had it, where that is said of a proof without reasoning.
   */
  reasoningProof(proof: string, field?: string): void
  /** `id` is legal and unique already. `call` is the structured call that begins; a call in the text has none. */
  callStart(index: number, id: string, name: string, call?: UpstreamCall): void
  callDelta(index: number, json: string): void
  callEnd(index: number): void
  /**
   * Something that only the upstream's dialect can say, at its place among the rest. Other dialects leave it out. Where it
   * is a part of a call, `callIndex` is the place of that call.
   */
  other?(item: unknown, callIndex: number | null): void
  /** How many bytes of a call it holds back, in a dialect that has calls in one piece. */
  readonly heldBytes?: number
  /** Whether `other` reaches the client. */
  readonly takesOther?: boolean
  usage(usage: Usage): void
  finish(reason: FinishReason, stopSequence: string | null): void
  fail(failure: Failure): void
  end(): void
  problem(code: ProblemCode, message: string, source: string): void
  repair(code: RepairCode, message: string): void
}
