import type { Failure, FinishReason, Usage } from './answer.ts'

/** What a rewriter tells of an answer that it passes on in the dialect it came in. */
export interface AnswerReports {
  /** Each call that goes to the client, by the name the client knows. */
  readonly onCall?: ((name: string) => void) | undefined
  /** May come several times; the last one counts. */
  readonly onUsage?: ((usage: Usage) => void) | undefined
  /** Once, for an answer that is whole; of several choices the first. */
  readonly onFinish?: ((reason: FinishReason) => void) | undefined
}

/** An answer on its way through, event by event. */
export interface StreamRewriter {
  /** `finishing`: the upstream has said why it ended; usage, or nothing more, may follow. */
  readonly state: 'reading' | 'finishing' | 'ended'
  /** Why the answer is no whole one, or null. The last text that was written tells the client too. */
  readonly failure: Failure | null
  push(chunk: string | Uint8Array): string[]
  /** `cause`: why the upstream was given up, where it was; that is more than its stream can tell. */
  end(cause?: Failure): string[]
}
