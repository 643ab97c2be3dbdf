import type { Failure } from '@dragoman/core'
import type { UpstreamFault } from '../upstream/client.ts'
import type { RateLimits } from '../upstream/rate-limits.ts'

/** Takes what becomes of an answer. Exactly one of `end` and `refuse` is called, and nothing after it. */
export interface AnswerTaker {
  /** The upstream begins to answer. */
  begin(limits: RateLimits | undefined): void
  take(text: string): void
  /** The answer is over, and this is the last of it. `failure`: why it is no whole one, which the text tells. */
  end(text: string, failure: Failure | null): void
  /** There is no answer: this failure stands in its place. Nothing was taken before. */
  refuse(failure: Failure, limits?: RateLimits): void
}

/** Is told what happens to the call of an upstream. */
export interface UpstreamObserver {
  upstreamCalled?(): void
  /** The upstream has sent headers, of an answer or of a refusal. */
  upstreamHeaders?(status: number, contentType: string): void
  /** What the upstream sent, as it is read: what came together is told together. */
  upstreamSaid?(bytes: Buffer): void
  /** The upstream has sent the headers of an answer. */
  upstreamAnswered?(): void
  /** The call failed. The fault tells more than the client is told. */
  upstreamFault?(fault: UpstreamFault): void
  /** An answer that had begun failed. */
  failed?(failure: Failure): void
  /** Code of ours threw. */
  bug(error: unknown): void
}
