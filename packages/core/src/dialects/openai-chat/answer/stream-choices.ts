import { AnswerIds } from '../../../answer/ids.ts'
import type { Failure, FinishReason } from '../../../answer/answer.ts'
import { isJsonObject, type JsonObject } from '../../../json/objects.ts'
import { failureOfChoice } from './choice-failure.ts'
import type { UpstreamEnd } from './choice-reader.ts'
import { ChoiceRewriter } from './choice-rewriter.ts'
import type { Piece } from './delta.ts'
import { decodeFinishReason } from './finish-reason.ts'
import { choiceOptions, type RewriteOptions } from './rewrite-options.ts'

/** The choices of a stream. They share the ids of the answer, and the fields in which its reasoning comes. */
export class StreamChoices {
  private readonly options: RewriteOptions
  private readonly ids: AnswerIds
  private readonly byIndex = new Map<number, ChoiceRewriter>()
  private reasoningFields: readonly string[] = ['reasoning_content']

  constructor(options: RewriteOptions) {
    this.options = options
    this.ids = new AnswerIds(options.mint, options.conversationIds)
  }

  /** The one with the index 0; most streams have no other. */
  get first(): ChoiceRewriter | undefined {
    return this.byIndex.get(0)
  }

  /** Whether there are any, and all have ended. */
  get areEnded(): boolean {
    for (const choice of this.byIndex.values()) if (!choice.isEnded) return false
    return this.byIndex.size > 0
  }

  /** Of several choices that of the one that came first. */
  get finishReason(): FinishReason | 'error' {
    const [earliest] = this.byIndex.values()
    return decodeFinishReason(earliest?.finishReason ?? 'stop')
  }

  /** Adds to `sent` what becomes of the choices of a chunk. The answer is why one of them failed, or null. */
  take(came: readonly unknown[], chunk: JsonObject, sent: unknown[]): Failure | null {
    let failure: Failure | null = null
    let position = 0
    for (const choice of came) {
      if (isJsonObject(choice)) failure = this.takeOne(choice, position, chunk, sent) ?? failure
      else sent.push(choice)
      position++
    }
    return failure
  }

  /** What to send in place of the first choice in a chunk whose content became these pieces. */
  withPieces(chunk: JsonObject, pieces: readonly Piece[]): readonly JsonObject[] {
    return this.first?.withPieces(chunk, pieces, this.reasoningFields) ?? []
  }

  /** Ends those that are still open: chunks with what they held back, and why one of them failed, or null. */
  end(upstream: UpstreamEnd): { chunks: JsonObject[]; failure: Failure | null } {
    const chunks: JsonObject[] = []
    let failure: Failure | null = null
    for (const choice of this.byIndex.values()) {
      const result = choice.endWithout(upstream, this.reasoningFields)
      for (const chunk of result.chunks) chunks.push(chunk)
      failure ??= result.failure
    }
    return { chunks, failure }
  }

  private takeOne(choice: JsonObject, position: number, chunk: JsonObject, sent: unknown[]): Failure | null {
    const index = typeof choice['index'] === 'number' ? choice['index'] : position
    const result = this.at(index).take(choice, chunk, this.reasoningFields)
    this.reasoningFields = result.reasoningFields
    for (const each of result.choices) sent.push(each)
    return result.failure ?? (this.options.faults === 'fail' ? failureOfChoice(choice) : null)
  }

  private at(index: number): ChoiceRewriter {
    let choice = this.byIndex.get(index)
    if (choice === undefined) {
      choice = new ChoiceRewriter(choiceOptions(this.options, this.ids, index))
      this.byIndex.set(index, choice)
    }
    return choice
  }
}
