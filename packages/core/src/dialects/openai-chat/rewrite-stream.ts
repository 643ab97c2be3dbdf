import { mintToolId } from '../../ids/mint.ts'
import { AnswerIds } from '../answer-ids.ts'
import type { Failure } from '../answer.ts'
import { isJsonObject, parseJson, type JsonObject } from '../json-object.ts'
import { isErrorValue } from '../upstream-failure.ts'
import { createSseDecoder } from '../sse-decoder.ts'
import { encodeSse, encodeSseComment } from '../sse-encoder.ts'
import type { SseEvent, SseItem } from '../sse-items.ts'
import { ChoiceRewriter } from './choice-rewriter.ts'
import { chunkWith } from './chunk.ts'
import type { RecordedEvent, TextParser, UpstreamEnd } from './choice-reader.ts'
import { chatErrorBody } from './errors.ts'

export interface ChatStreamRewriter {
  push(chunk: string | Uint8Array): string[]
  end(): string[]
}

export interface RewriteOptions {
  /** Called once for each choice of the stream. */
  readonly openParser: () => TextParser
  /** A fresh text for each id that is minted. */
  readonly newId: () => string
  /** The ids that the conversation already holds: a call of the stream gets none of them. */
  readonly conversationIds?: ReadonlySet<string>
  /** Whether arguments that are not JSON end the stream as an error although they came out as text. */
  readonly failOnInvalidArguments?: boolean
  /** What was passed on, or dropped, although something is wrong with it. */
  readonly onWarning?: (message: string) => void
  /** Each problem and repair of the parser, with the index of its choice. */
  readonly onRecord?: (event: RecordedEvent, choiceIndex: number) => void
}

/**
 * OpenAI chat stream in, OpenAI chat stream out, with the calls that a model wrote as text made structured. An
 * event in which nothing has to change is written as it came.
 *
 * A choice without a `finish_reason` gets none made up, but for one case: `[DONE]` came and calls were read from
 * the text. Then the upstream meant the answer to be whole, and a client that waits for `tool_calls` would stop.
 */
export function rewriteChatStream(options: RewriteOptions): ChatStreamRewriter {
  return new StreamRewriter(options)
}

class StreamRewriter implements ChatStreamRewriter {
  private state: 'reading' | 'done' | 'failed' = 'reading'
  private readonly options: RewriteOptions
  private readonly decoder = createSseDecoder()
  private readonly ids: AnswerIds
  private readonly choices = new Map<number, ChoiceRewriter>()
  private reasoningFields: readonly string[] = ['reasoning_content']
  private eventCount = 0
  private hasComments = false

  constructor(options: RewriteOptions) {
    this.options = options
    const { newId } = options
    this.ids = new AnswerIds(
      (format, taken) => mintToolId({ dialect: 'openai-chat', format, newId, taken }),
      options.conversationIds,
    )
  }

  push(chunk: string | Uint8Array): string[] {
    const output: string[] = []
    for (const item of this.decoder.push(chunk)) this.takeItem(item, output)
    return output
  }

  end(): string[] {
    const output: string[] = []
    let isLastOpen = false
    for (const item of this.decoder.end()) {
      this.takeItem(item, output)
      isLastOpen = item.kind === 'event' && !item.terminated
    }
    if (this.state !== 'reading') return output
    const rest: string[] = []
    const failure = this.endChoices({ by: 'cut' }, rest)
    if (failure !== null) this.fail(failure, rest)
    // Without the blank line that the last event lacks, what follows would be read as a part of it.
    if (isLastOpen && output.length > 0 && rest.length > 0) output.push('\n\n')
    output.push(...rest)
    return output
  }

  private takeItem(item: SseItem, output: string[]): void {
    if (this.state === 'failed') return
    switch (item.kind) {
      case 'comment':
        this.hasComments = true
        output.push(encodeSseComment(item.text))
        break
      case 'fields':
        output.push(item.source)
        break
      case 'overflow':
        this.fail(
          {
            kind: 'upstream',
            code: 'upstream_limit',
            message: `An event is longer than ${item.limit} characters.`,
          },
          output,
        )
        break
      case 'event':
        this.eventCount++
        this.takeEvent(item, output)
        this.hasComments = false
    }
  }

  private takeEvent(event: SseEvent, output: string[]): void {
    if (this.state === 'done') {
      output.push(this.asItCame(event))
    } else if (event.data.trim() === '[DONE]') {
      this.takeDone(event, output)
    } else {
      this.takeData(event, parseJson(event.data), output)
    }
  }

  private takeDone(event: SseEvent, output: string[]): void {
    const failure = this.endChoices({ by: 'done' }, output)
    if (failure !== null) return this.fail(failure, output)
    output.push(this.asItCame(event))
    this.state = 'done'
  }

  private takeData(event: SseEvent, data: unknown, output: string[]): void {
    if (event.event === 'error' || (isJsonObject(data) && isErrorValue(data))) {
      this.endChoices({ by: 'cut' }, output)
      output.push(this.asItCame(event))
      this.state = 'failed'
    } else if (isJsonObject(data)) {
      this.takeChunk(event, data, output)
    } else {
      const what = data === undefined ? 'not JSON' : 'JSON, but not an object'
      this.warn(`event ${this.eventCount}: the data is ${what}; passed on as it came`)
      output.push(this.asItCame(event))
    }
  }

  private takeChunk(event: SseEvent, chunk: JsonObject, output: string[]): void {
    const came: readonly unknown[] = Array.isArray(chunk['choices']) ? chunk['choices'] : []
    const sent: unknown[] = []
    let failure: Failure | null = null
    for (const [position, choice] of came.entries()) {
      if (isJsonObject(choice)) failure = this.takeChoice(choice, position, chunk, sent) ?? failure
      else sent.push(choice)
    }
    this.write(event, chunk, came, sent, output)
    if (failure !== null) this.fail(failure, output)
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
    return result.failure
  }

  private choiceAt(index: number): ChoiceRewriter {
    let rewriter = this.choices.get(index)
    if (rewriter === undefined) {
      rewriter = new ChoiceRewriter({
        parser: this.options.openParser(),
        ids: this.ids,
        failOnInvalidArguments: this.options.failOnInvalidArguments ?? false,
        record: (event) => this.options.onRecord?.(event, index),
        warn: (message) => this.warn(`choice ${index}: ${message}`),
      })
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
    this.state = 'failed'
  }

  /** A comment between the lines of an event has been written already; its source holds it once more. */
  private asItCame(event: SseEvent): string {
    return this.hasComments && /^:/m.test(event.source) ? encodeSse(event) : event.source
  }

  private warn(message: string): void {
    this.options.onWarning?.(message)
  }
}
