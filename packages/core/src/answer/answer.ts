import type { ProblemCode, RepairCode } from '../problems.ts'

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

/** What went wrong with an answer. `code` is ours or the upstream's. */
export interface Failure {
  readonly kind: FailureKind
  readonly code: string
  readonly message: string
  /** The upstream's own status, where the client should get the same. */
  readonly status?: number
  /** What the upstream itself called it, and its number for it, in the words of the chat dialect. */
  readonly upstreamType?: string
  readonly upstreamCode?: number
  /** The field of the request that is wrong, where it is one. */
  readonly field?: string
  /** What a client of the dialect can act on without reading the message. */
  readonly details?: Readonly<Record<string, unknown>>
}

/** As far as clients tell failures apart; each dialect has its own word for them. */
export type FailureKind =
  | 'invalid-request'
  | 'authentication'
  | 'permission'
  | 'not-found'
  | 'too-large'
  | 'rate-limit'
  | 'overloaded'
  | 'timeout'
  | 'upstream'
  | 'internal'

/**
 * What an upstream's answer says, in order: between the decoder of one dialect and the encoder of
 * another. One call is open at a time; indexes ascend from 0. `finish` or `fail` comes exactly once;
 * `usage` may come several times, also behind `finish`, and the last one counts; `end` is the end of the stream
 * and comes exactly once, last. No text or reasoning comes while a call is open. A call that the upstream did
 * not complete gets no `callEnd`: then `finish('length')` or `fail` follows.
 */
export interface AnswerSink {
  start(answer: { readonly id: string | null; readonly model: string | null }): void
  text(text: string): void
  /** `field` is where the upstream had it: what has to be restored on the way back. */
  reasoning(text: string, field: string): void
  /** An opaque proof that belongs to the reasoning at hand (a signature of Anthropic's, encrypted details). */
  reasoningProof(proof: string): void
  /** `id` is legal and unique already. */
  callStart(index: number, id: string, name: string): void
  callDelta(index: number, json: string): void
  callEnd(index: number): void
  usage(usage: Usage): void
  finish(reason: FinishReason, stopSequence: string | null): void
  fail(failure: Failure): void
  end(): void
  problem(code: ProblemCode, message: string, source: string): void
  repair(code: RepairCode, message: string): void
}

/** A whole answer that is put together from what a sink got; `open` until its end. */
export type Assembled<Whole> =
  | { readonly is: 'open' }
  | {
      readonly is: 'whole'
      readonly value: Whole
      /** The same as text, in which arguments stand as the model wrote them: numbers too long for ours among them. */
      readonly json: string
    }
  | { readonly is: 'failed'; readonly failure: Failure }
