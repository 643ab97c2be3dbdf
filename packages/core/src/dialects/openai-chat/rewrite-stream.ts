import { AnswerIds, type MintId } from '../answer-ids.ts'
import type { AnswerReports, StreamRewriter } from '../answer-reports.ts'
import type { Failure } from '../answer.ts'
import { isJsonObject, parseJson, type JsonObject } from '../json-object.ts'
import { createSseDecoder, type SseDecoder } from '../sse-decoder.ts'
import { encodeSse, encodeSseComment } from '../sse-encoder.ts'
import type { SseEvent, SseItem } from '../sse-items.ts'
import { emptyAnswer, limitError, protocolError, truncated } from '../stream-faults.ts'
import { failureFromError, isErrorValue } from '../upstream-failure.ts'
import { failureOfChoice } from './choice-failure.ts'
import { choiceOptions } from './choice-options.ts'
import type { RecordedEvent, TextParser, UpstreamEnd } from './choice-reader.ts'
import { ChoiceRewriter } from './choice-rewriter.ts'
import { chunkWith } from './chunk.ts'
import { unwrapEnvelope } from './envelope.ts'
import { chatErrorBody } from './errors.ts'
import { decodeFinishReason } from './finish-reason.ts'
import { usageOf } from './usage.ts'

export type ChatStreamRewriter = StreamRewriter

export interface RewriteOptions extends AnswerReports {
  /** Called once for each choice of the stream. */
  readonly openParser: () => TextParser
  readonly mint: MintId
  /** The ids that the conversation already holds: a call of the stream gets none of them. */
  readonly conversationIds?: ReadonlySet<string>
  /** Whether arguments that are not JSON end the stream as an error although they came out as text. */
  readonly failOnInvalidArguments?: boolean
  /** What was passed on, or dropped, although something is wrong with it. */
  readonly onWarning?: (message: string) => void
  /** Each problem and repair of the parser, with the index of its choice. */
  readonly onRecord?: (event: RecordedEvent, choiceIndex: number) => void
  /**
   * What becomes of a stream that is not as it should be. `pass` (default): what came is passed on, with a warning.
   * `fail`: a stream that was cut off, or holds what is no JSON, ends with an error; one that is whole
   * gets the finish reason and the `[DONE]` that it lacks.
   */
  readonly faults?: 'pass' | 'fail'
  /** Leaves out the chunk that holds nothing but the usage: the client did not ask for it. */
  readonly withholdUsage?: boolean
  /** The name by which the client knows a tool. */
  readonly clientToolName?: (name: string) => string
  /** The longest event. */
  readonly maxEventBytes?: number
}

/**
 * OpenAI chat stream in, OpenAI chat stream out, with the calls that a model wrote as text made structured. An
 * event in which nothing has to change is written as it came.
 *
 * Where faults pass, a choice without a `finish_reason` gets none made up, but for one case: `[DONE]` came and
 * calls were read from the text. Then the upstream meant the answer to be whole, and a client that waits for
 * `tool_calls` would stop.
 */
export function rewriteChatStream(options: RewriteOptions): ChatStreamRewriter {
  return new ChunkStreamRewriter(options)
}

class ChunkStreamRewriter implements ChatStreamRewriter {
  failure: Failure | null = null
  private progress: 'reading' | 'done' | 'failed' = 'reading'
  private readonly options: RewriteOptions
  private readonly isStrict: boolean
  private readonly decoder: SseDecoder
  private readonly ids: AnswerIds
  private readonly choices = new Map<number, ChoiceRewriter>()
  private reasoningFields: readonly string[] = ['reasoning_content']
  private eventCount = 0
  private hasComments = false
  private hasForeignLines = false

  constructor(options: RewriteOptions) {
    this.options = options
    this.isStrict = options.faults === 'fail'
    const { maxEventBytes } = options
    this.decoder = createSseDecoder(maxEventBytes === undefined ? {} : { limits: { maxEventBytes } })
    this.ids = new AnswerIds(options.mint, options.conversationIds)
  }

  get state(): StreamRewriter['state'] {
    if (this.progress !== 'reading') return 'ended'
    return this.hasFinished() ? 'finishing' : 'reading'
  }

  push(chunk: string | Uint8Array): string[] {
    const output: string[] = []
    for (const item of this.decoder.push(chunk)) this.takeItem(item, output)
    return output
  }

  end(cause?: Failure): string[] {
    const output: string[] = []
    let isLastOpen = false
    for (const item of this.decoder.end()) {
      this.takeItem(item, output)
      isLastOpen = item.kind === 'event' && !item.terminated
    }
    const rest: string[] = []
    if (this.progress === 'reading') this.endReading(cause, rest)
    // Without the blank line that the last event lacks, what follows would be read as a part of it.
    if (isLastOpen && output.length > 0 && (rest.length > 0 || this.isStrict)) output.push('\n\n')
    output.push(...rest)
    return output
  }

  private endReading(cause: Failure | undefined, output: string[]): void {
    if (this.isStrict && this.hasFinished()) {
      output.push(encodeSse({ data: '[DONE]' }))
      this.finish()
    } else if (this.isStrict || cause !== undefined) {
      this.fail(cause ?? this.missingEnd(), output)
    } else {
      const failure = this.endChoices({ by: 'cut' }, output)
      if (failure !== null) this.fail(failure, output)
    }
  }

  private missingEnd(): Failure {
    if (this.eventCount > 0) return truncated
    return this.hasForeignLines ? protocolError('It is no event stream.') : emptyAnswer
  }

  private hasFinished(): boolean {
    return this.choices.size > 0 && [...this.choices.values()].every((choice) => choice.isEnded)
  }

  private finish(): void {
    this.progress = 'done'
    const [first] = this.choices.values()
    const reason = decodeFinishReason(first?.finishReason ?? 'stop')
    if (reason !== 'error') this.options.onFinish?.(reason)
  }

  private takeItem(item: SseItem, output: string[]): void {
    if (this.progress === 'failed' || (this.progress === 'done' && this.isStrict)) return
    switch (item.kind) {
      case 'comment':
        this.hasComments = true
        output.push(encodeSseComment(item.text))
        break
      case 'fields':
        this.hasForeignLines = true
        output.push(item.source)
        break
      case 'overflow':
        this.fail(limitError(item.limit), output)
        break
      case 'event':
        this.eventCount++
        this.takeEvent(item, output)
        this.hasComments = false
    }
  }

  private takeEvent(event: SseEvent, output: string[]): void {
    if (this.progress === 'done') {
      output.push(this.asItCame(event))
    } else if (event.data.trim() === '[DONE]') {
      this.takeDone(event, output)
    } else {
      this.takeData(event, parseJson(event.data), output)
    }
  }

  private takeDone(event: SseEvent, output: string[]): void {
    if (this.isStrict && this.eventCount === 1) return this.fail(emptyAnswer, output)
    const failure = this.endChoices({ by: 'done' }, output)
    if (failure !== null) return this.fail(failure, output)
    output.push(this.asItCame(event))
    this.finish()
  }

  private takeData(event: SseEvent, came: unknown, output: string[]): void {
    const data = unwrapEnvelope(came)
    if (event.event === 'error' || (isJsonObject(data) && isErrorValue(data))) {
      this.endChoices({ by: 'cut' }, output)
      output.push(this.asItCame(event))
      this.failure = failureFromError(data ?? event.data)
      this.progress = 'failed'
    } else if (isJsonObject(data)) {
      this.takeChunk(data === came ? event : withData(event, data), data, output)
    } else {
      this.takeForeign(event, data === undefined ? 'not JSON' : 'JSON, but not an object', output)
    }
  }

  private takeForeign(event: SseEvent, what: string, output: string[]): void {
    if (!this.isStrict) {
      this.warn(`event ${this.eventCount}: the data is ${what}; passed on as it came`)
      output.push(this.asItCame(event))
    } else if (event.terminated) {
      this.fail(protocolError(`The data of event ${this.eventCount} is ${what}.`), output)
    }
    // An event without its closing line was cut off: the end of the stream tells what became of the answer.
  }

  private takeChunk(event: SseEvent, chunk: JsonObject, output: string[]): void {
    const came: readonly unknown[] = Array.isArray(chunk['choices']) ? chunk['choices'] : []
    if (this.takeUsage(chunk, came)) return
    const sent: unknown[] = []
    let failure: Failure | null = null
    for (const [position, choice] of came.entries()) {
      if (isJsonObject(choice)) failure = this.takeChoice(choice, position, chunk, sent) ?? failure
      else sent.push(choice)
    }
    this.write(event, chunk, came, sent, output)
    if (failure !== null) this.fail(failure, output)
  }

  /** Whether the chunk is to be left out. */
  private takeUsage(chunk: JsonObject, choices: readonly unknown[]): boolean {
    const { onUsage, withholdUsage } = this.options
    if (onUsage === undefined && withholdUsage !== true) return false
    const usage = usageOf(chunk)
    if (usage === null) return false
    onUsage?.(usage)
    return withholdUsage === true && choices.length === 0
  }

  private takeChoice(
    choice: JsonObject,
    position: number,
    chunk: JsonObject,
    sent: unknown[],
  ): Failure | null {
    const index = typeof choice['index'] === 'number' ? choice['index'] : position
    const rewriter = this.choiceAt(index)
    const result = rewriter.take(choice, chunk, this.reasoningFields)
    this.reasoningFields = result.reasoningFields
    sent.push(...result.choices)
    return result.failure ?? (this.isStrict ? failureOfChoice(choice) : null)
  }

  private choiceAt(index: number): ChoiceRewriter {
    let rewriter = this.choices.get(index)
    if (rewriter === undefined) {
      rewriter = new ChoiceRewriter(choiceOptions(this.options, this.ids, index))
      this.choices.set(index, rewriter)
    }
    return rewriter
  }

  private write(
    event: SseEvent,
    chunk: JsonObject,
    came: readonly unknown[],
    sent: readonly unknown[],
    output: string[],
  ): void {
    const isUnchanged = came.length === sent.length && came.every((choice, at) => choice === sent[at])
    const endsAsItCame = came.length === 1 && sent.at(-1) === came[0]
    const rewritten = isUnchanged ? [] : endsAsItCame ? sent.slice(0, -1) : sent
    for (const [at, choice] of rewritten.entries()) {
      const isLast = !endsAsItCame && at === rewritten.length - 1
      output.push(encodeSse({ ...event, data: JSON.stringify(chunkWith(chunk, choice, isLast)) }))
    }
    if (isUnchanged || endsAsItCame) output.push(this.asItCame(event))
  }

  /** Ends the choices that are still open and sends what they held back. The answer is why they failed, or null. */
  private endChoices(upstream: UpstreamEnd, output: string[]): Failure | null {
    let failure: Failure | null = null
    for (const rewriter of this.choices.values()) {
      const result = rewriter.endWithout(upstream, this.reasoningFields)
      for (const chunk of result.chunks) output.push(encodeSse({ data: JSON.stringify(chunk) }))
      failure ??= result.failure
    }
    return failure
  }

  /** Nothing follows: a client that misses the error must not take a cut answer for a whole one. */
  private fail(failure: Failure, output: string[]): void {
    this.endChoices({ by: 'cut' }, output)
    output.push(encodeSse({ data: JSON.stringify(chatErrorBody(failure)) }))
    this.failure = failure
    this.progress = 'failed'
  }

  /** A comment between the lines of an event has been written already; its source holds it once more. */
  private asItCame(event: SseEvent): string {
    return this.hasComments && /^:/m.test(event.source) ? encodeSse(event) : event.source
  }

  private warn(message: string): void {
    this.options.onWarning?.(message)
  }
}

function withData(event: SseEvent, value: JsonObject): SseEvent {
  const data = JSON.stringify(value)
  return { ...event, data, source: encodeSse({ ...event, data }) }
}
