import type { ProblemCode, RepairCode } from '../problems.ts'
import type { AnswerSink, FinishReason, UpstreamCall, Usage } from './answer.ts'
import type { Failure } from './failure.ts'

/** Who wants to know what an answer was like, on whatever way it goes: a log, metrics, the caller of the library. */
export interface AnswerWatcher {
  /** The upstream begins to answer, by the id and the name of the model that it gives. */
  started?(answer: { readonly id: string | null; readonly model: string | null }): void
  /**
   * The answer says something, in so many characters: text, reasoning or a part of a call. Until then it may still turn out
   * to be none.
   */
  said?(characters: number): void
  /** A call begins, by the name that the client knows. */
  call?(name: string): void
  /** The call that began last is whole. */
  callEnded?(): void
  problem?(code: ProblemCode, message: string, source: string): void
  repair?(code: RepairCode, message: string): void
  /** May come several times; the last one counts. */
  usage?(usage: Usage): void
  finished?(reason: FinishReason): void
}

/** Passes an answer on, and tells who watches. One who asks for it is told that the answer says something, too. */
export function watchedAnswer(sink: AnswerSink, watcher: AnswerWatcher): AnswerSink {
  return watcher.said === undefined ? new WatchedAnswer(sink, watcher) : new OverheardAnswer(sink, watcher)
}

/** Passes an answer on, and tells who watches. */
export class WatchedAnswer implements AnswerSink {
  private readonly sink: AnswerSink
  protected readonly watcher: AnswerWatcher

  constructor(sink: AnswerSink, watcher: AnswerWatcher) {
    this.sink = sink
    this.watcher = watcher
  }

  get takesOther(): boolean {
    return this.sink.takesOther === true
  }

  get heldBytes(): number {
    return this.sink.heldBytes ?? 0
  }

  start(answer: { readonly id: string | null; readonly model: string | null }): void {
    this.watcher.started?.(answer)
    this.sink.start(answer)
  }

  text(text: string): void {
    this.sink.text(text)
  }

  reasoning(text: string, field: string): void {
    this.sink.reasoning(text, field)
  }

  reasoningProof(proof: string, field?: string): void {
    this.sink.reasoningProof(proof, field)
  }

  callStart(index: number, id: string, name: string, call?: UpstreamCall): void {
    this.watcher.call?.(name)
    this.sink.callStart(index, id, name, call)
  }

  callDelta(index: number, json: string): void {
    this.sink.callDelta(index, json)
  }

  callEnd(index: number): void {
    this.watcher.callEnded?.()
    this.sink.callEnd(index)
  }

  other(item: unknown, callIndex: number | null): void {
    this.sink.other?.(item, callIndex)
  }

  usage(usage: Usage): void {
    this.watcher.usage?.(usage)
    this.sink.usage(usage)
  }

  finish(reason: FinishReason, stopSequence: string | null): void {
    this.watcher.finished?.(reason)
    this.sink.finish(reason, stopSequence)
  }

  fail(failure: Failure): void {
    this.sink.fail(failure)
  }

  end(): void {
    this.sink.end()
  }

  problem(code: ProblemCode, message: string, source: string): void {
    this.watcher.problem?.(code, message, source)
    this.sink.problem(code, message, source)
  }

  repair(code: RepairCode, message: string): void {
    this.watcher.repair?.(code, message)
    this.sink.repair(code, message)
  }
}

/** Every piece of text costs a call more here, so only who asks for it pays for it. */
class OverheardAnswer extends WatchedAnswer {
  override text(text: string): void {
    if (text !== '') this.said(text.length)
    super.text(text)
  }

  override reasoning(text: string, field: string): void {
    if (text !== '') this.said(text.length)
    super.reasoning(text, field)
  }

  override callStart(index: number, id: string, name: string, call?: UpstreamCall): void {
    this.said(name.length)
    super.callStart(index, id, name, call)
  }

  override callDelta(index: number, json: string): void {
    this.said(json.length)
    super.callDelta(index, json)
  }

  override other(item: unknown, callIndex: number | null): void {
    this.said(0)
    super.other(item, callIndex)
  }

  private said(characters: number): void {
    this.watcher.said?.(characters)
  }
}
