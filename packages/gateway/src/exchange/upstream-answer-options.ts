import type { AnswerTranslation, Failure } from '@dragoman/core'
import type { UpstreamCall, UpstreamFault, UpstreamListener } from '../upstream/client.ts'
import type { RateLimits } from '../upstream/rate-limits.ts'
import type { Elsewhere } from './elsewhere.ts'
import type { Refused, SecondThought } from './negotiation.ts'

/** Who has a part in the answer of an upstream: who is called, who reads, who decides, and who is told. */
export interface UpstreamAnswerOptions {
  /** Calls the upstream. It is called again where the call before reached nobody, or was refused for a reason that could be mended. */
  readonly callUpstream: (listener: UpstreamListener, connection: 'kept' | 'new') => UpstreamCall
  /** Decides what is done about a refusal of which the client knows nothing yet. Without it every refusal is final. */
  readonly reconsider?: (refused: Refused) => SecondThought
  /** Where the request goes when the upstream fails before its client has heard of an answer. Without it, nowhere. */
  readonly elsewhere?: Elsewhere
  /** Is told a failure after the beginning of the answer went to the client. */
  readonly failedLate?: (failure: Failure) => void
  /**
   * Opens the translation of the answer. `delivered` is how the upstream answers. `said` is to be called when the answer
   * says something, where that is waited for.
   */
  readonly open: (delivered: 'stream' | 'whole', said?: () => void) => AnswerTranslation
  /** Whether the answer is taken as it comes, or kept in memory until it is whole. */
  readonly wants: 'stream' | 'whole'
  /** The longest answer that is kept in memory. */
  readonly responseBytes: number
  /** How long the upstream may take to end its answer after it has said why it ends. */
  readonly finishGrace: () => number
  readonly observer: UpstreamObserver
}

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
