import { repairCodes } from '../../../problems.ts'
import { AnswerReader, type AnswerReaderOptions } from '../../../answer/calls/reader.ts'
import type { StreamedAnswer } from '../../../answer/stream.ts'
import type { AnswerSink, Failure, FinishReason } from '../../../answer/answer.ts'
import { isJsonObject, nonEmptyText, type JsonObject } from '../../../json/objects.ts'
import type { SseEvent } from '../../../sse/items.ts'
import { AnswerChoice } from './answer-choice.ts'
import { failureOfChoice } from './choice-failure.ts'
import { decodeFinishReason } from './finish-reason.ts'
import { LearnedEnvelope } from './learned-envelope.ts'
import { SaidField } from './said-field.ts'
import { usageOf } from './usage.ts'

/** What a chat completion says, in chunks or whole; of several choices the first. */
export class ChatAnswer implements StreamedAnswer {
  private readonly reader: AnswerReader
  private readonly sink: AnswerSink
  private readonly choice: AnswerChoice
  private readonly envelope = new LearnedEnvelope()
  private readonly said = new SaidField()
  taken = 0
  private finishWord: string | null = null
  private stopSequence: string | null = null
  private otherChoices: 'none' | 'told' = 'none'

  constructor(options: AnswerReaderOptions) {
    this.reader = new AnswerReader(options)
    this.sink = options.sink
    this.choice = new AnswerChoice(this.reader)
  }

  get isStarted(): boolean {
    return this.reader.isStarted
  }

  get isEnded(): boolean {
    return this.reader.isEnded
  }

  get hasFinishReason(): boolean {
    return this.finishWord !== null
  }

  /** What one read brings is one text: each event by itself would cost the client as much as us. */
  takeEvents(text: string, at: number, limit: number): number {
    const { envelope } = this
    const next = envelope.match(text, at, limit)
    if (next === at) return at
    this.taken += envelope.ends.length
    this.reader.content(envelope.content)
    return next
  }

  /** A chunk, or a whole completion, which has a `message` where a chunk has a `delta`. */
  read(chunk: JsonObject, event?: SseEvent): void {
    const { reader } = this
    if (event !== undefined) this.envelope.learn(event, chunk)
    if (!reader.isStarted) reader.start(nonEmptyText(chunk['id']), nonEmptyText(chunk['model']))
    const choices = chunk['choices']
    const choice = Array.isArray(choices) ? this.firstOf(choices) : undefined
    const usage = usageOf(chunk)
    if (usage !== null) reader.usage(usage)
    if (choice === undefined) return
    const field = this.said.nameIn(choice)
    const said = field === null ? undefined : choice[field]
    if (isJsonObject(said)) this.choice.read(said)
    const word = nonEmptyText(choice['finish_reason'])
    if (word === null) return
    this.finishWord ??= word
    // Some servers tell here which stop sequence was met; a number is the id of a token.
    this.stopSequence ??= nonEmptyText(choice['stop_reason'])
    const failure = failureOfChoice(choice)
    if (failure !== null) this.fail(failure)
  }

  finish(): void {
    const reason = this.finishWord === null ? null : decodeFinishReason(this.finishWord)
    this.reader.finish(this.endReason(reason === 'error' ? null : reason), this.stopSequence)
  }

  fail(failure: Failure): void {
    this.reader.fail(failure)
  }

  warn(message: string): void {
    this.reader.warn(message)
  }

  private endReason(reason: FinishReason | null): FinishReason | null {
    return reason === 'stop' && this.stopSequence !== null ? 'stop-sequence' : reason
  }

  private firstOf(choices: readonly unknown[]): JsonObject | undefined {
    let first: JsonObject | undefined
    for (const choice of choices) {
      if (!isJsonObject(choice)) continue
      if (first === undefined && (choice['index'] ?? 0) === 0) first = choice
      else this.dropChoice()
    }
    return first
  }

  /** Every chunk may bring more of it: it is told once. */
  private dropChoice(): void {
    if (this.otherChoices === 'none') this.sink.repair('dropped-choice', repairCodes['dropped-choice'])
    this.otherChoices = 'told'
  }
}
