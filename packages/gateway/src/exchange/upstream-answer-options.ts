import type { AnswerTranslation, Failure } from '@dragoman/core'
import type { UpstreamCall, UpstreamListener } from '../upstream/client.ts'
import type { UpstreamObserver } from './answer-taker.ts'
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
