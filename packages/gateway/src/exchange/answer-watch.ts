import type {
  AnswerSink,
  Failure,
  FinishReason,
  ProblemCode,
  RepairCode,
  ToolNames,
  Usage,
} from '@dragoman/core'
import { redactFailure } from '../security/redact.ts'

/** Who wants to know what an answer was like: the log and the metrics. */
export interface AnswerWatcher {
  call(name: string): void
  /** The call that began last is whole. */
  callEnded(): void
  problem(code: ProblemCode, message: string): void
  repair(code: RepairCode, message: string): void
  finished(reason: FinishReason): void
  failed(failure: Failure): void
  usage(usage: Usage): void
}

export interface AnswerWatchOptions {
  readonly sink: AnswerSink
  readonly watcher: AnswerWatcher
  readonly toolNames: ToolNames
  /** Takes secrets out of what the upstream says about its failure. */
  readonly redact: (text: string) => string
  /** Whether the client has got a byte of the answer. */
  readonly isStarted: () => boolean
  /** The failure is the whole answer. */
  readonly failed: (failure: Failure) => void
  /** Everything was passed on. */
  readonly onEnd: () => void
}

/** Passes an answer on, tells who watches, and gives tools the names that the client knows. */
export class AnswerWatch implements AnswerSink {
  isOver = false
  /** Why the upstream was given up, if it was: that is more than its decoder can know. */
  cause: Failure | undefined
  private readonly options: AnswerWatchOptions

  constructor(options: AnswerWatchOptions) {
    this.options = options
  }

  start(answer: { readonly id: string | null; readonly model: string | null }): void {
    this.options.sink.start(answer)
  }

  text(text: string): void {
    this.options.sink.text(text)
  }

  reasoning(text: string, field: string): void {
    this.options.sink.reasoning(text, field)
  }

  reasoningProof(proof: string): void {
    this.options.sink.reasoningProof(proof)
  }

  callStart(index: number, id: string, name: string): void {
    const known = this.options.toolNames.toClient(name)
    this.options.watcher.call(known)
    this.options.sink.callStart(index, id, known)
  }

  callDelta(index: number, json: string): void {
    this.options.sink.callDelta(index, json)
  }

  callEnd(index: number): void {
    this.options.watcher.callEnded()
    this.options.sink.callEnd(index)
  }

  usage(usage: Usage): void {
    this.options.watcher.usage(usage)
    this.options.sink.usage(usage)
  }

  finish(reason: FinishReason, stopSequence: string | null): void {
    this.options.watcher.finished(reason)
    this.options.sink.finish(reason, stopSequence)
  }

  fail(failure: Failure): void {
    if (this.isOver) return
    this.isOver = true
    const cause = this.cause ?? failure
    this.options.watcher.failed(cause)
    const { isStarted, sink, redact } = this.options
    if (isStarted()) sink.fail(redactFailure(cause, redact))
    else this.options.failed(cause)
  }

  end(): void {
    if (this.isOver && !this.options.isStarted()) return
    this.isOver = true
    this.options.sink.end()
    this.options.onEnd()
  }

  problem(code: ProblemCode, message: string, source: string): void {
    this.options.watcher.problem(code, message)
    this.options.sink.problem(code, message, source)
  }

  repair(code: RepairCode, message: string): void {
    this.options.watcher.repair(code, message)
    this.options.sink.repair(code, message)
  }
}
