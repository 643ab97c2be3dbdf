import type { StreamRewriter } from '../../../answer/reports.ts'
import type { Failure } from '../../../answer/answer.ts'
import { isJsonObject, parseJson, type JsonObject } from '../../../json/objects.ts'
import { encodeSse } from '../../../sse/encoder.ts'
import type { SseEvent, SseItem } from '../../../sse/items.ts'
import { SseReader, type SseSink } from '../../../sse/reader.ts'
import { emptyAnswer, limitError, missingEnd, protocolError } from '../../../answer/faults.ts'
import { failureFromError, isErrorValue } from '../../../answer/upstream-failure.ts'
import type { UpstreamEnd } from './choice-reader.ts'
import { endApart, saysNothing } from './choice-chunks.ts'
import type { ChoiceRewriter } from './choice-rewriter.ts'
import { ChunkOutput } from './chunk-output.ts'
import type { Piece } from './delta.ts'
import { unwrapEnvelope } from './envelope.ts'
import { chatErrorBody } from '../errors.ts'
import { LearnedEnvelope } from './learned-envelope.ts'
import type { RewriteOptions } from './rewrite-options.ts'
import { StreamChoices } from './stream-choices.ts'
import { usageOf } from './usage.ts'

export type ChatStreamRewriter = StreamRewriter

const MOST_AT_ONCE = 1024

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

class ChunkStreamRewriter implements ChatStreamRewriter, SseSink {
  failure: Failure | null = null
  private progress: 'reading' | 'done' | 'failed' = 'reading'
  private readonly options: RewriteOptions
  private readonly isStrict: boolean
  private readonly sse: SseReader
  private readonly envelope = new LearnedEnvelope()
  private readonly output = new ChunkOutput()
  private readonly choices: StreamChoices
  private eventCount = 0
  /** How many known events are looked at together: more and more, until one of them has to change. */
  private atOnce = 1
  /** The last event lacks the blank line that closes it. */
  private isLastOpen = false
  private hasForeignLines = false

  constructor(options: RewriteOptions) {
    this.options = options
    this.isStrict = options.faults === 'fail'
    this.sse = new SseReader(this, options.maxEventBytes)
    this.choices = new StreamChoices(options)
  }

  get state(): StreamRewriter['state'] {
    if (this.progress !== 'reading') return 'ended'
    return this.choices.areEnded ? 'finishing' : 'reading'
  }

  push(chunk: string | Uint8Array): string[] {
    this.sse.push(chunk)
    return this.output.take()
  }

  end(cause?: Failure): string[] {
    this.sse.end()
    const texts = this.output.take()
    if (this.progress === 'reading') this.endReading(cause)
    const rest = this.output.take()
    // Without the blank line that the last event lacks, what follows would be read as a part of it.
    if (this.isLastOpen && texts.length > 0 && rest.length > 0) texts.push('\n\n')
    return [...texts, ...rest]
  }

  /** Where known events only bring more text, and that goes on as it came, nothing is parsed and nothing written. */
  takeEvents(text: string, at: number, limit: number): number {
    const choice = this.progress === 'reading' ? this.choices.first : undefined
    if (choice === undefined || choice.isEnded) return at
    const { envelope } = this
    let next = envelope.match(text, at, limit, this.atOnce)
    if (next === at) return at
    const count = envelope.ends.length
    const passing = count > 1 ? choice.countPassing(envelope.content, envelope.ends) : 1
    if (passing === count) {
      this.atOnce = Math.min(2 * this.atOnce, MOST_AT_ONCE)
    } else {
      // Something in the next may have to change: what was looked at behind it is looked at again.
      this.atOnce = 1
      next = envelope.keep(at, Math.max(1, passing))
    }
    this.eventCount += envelope.ends.length
    const pieces = choice.takeContent(envelope.content)
    if (pieces === null) this.output.pass(text, at, next)
    else this.replaceContent(text.slice(at, next), choice, pieces)
    this.output.endEvent()
    return next
  }

  /** The text of a known event was read, and something has to change. */
  private replaceContent(source: string, choice: ChoiceRewriter, pieces: readonly Piece[]): void {
    const chunk = parseJson(source.slice('data:'.length))
    if (isJsonObject(chunk)) this.output.choices({}, chunk, this.choices.withPieces(chunk, pieces))
    if (choice.failure !== null) this.fail(choice.failure)
  }

  private endReading(cause: Failure | undefined): void {
    this.output.release()
    if (this.isStrict && this.choices.areEnded) {
      this.output.push(encodeSse({ data: '[DONE]' }))
      this.finish()
    } else if (this.isStrict || cause !== undefined) {
      this.fail(cause ?? missingEnd(this.eventCount > 0, this.hasForeignLines))
    } else {
      const failure = this.endChoices({ by: 'cut' })
      if (failure !== null) this.fail(failure)
    }
  }

  private finish(): void {
    this.progress = 'done'
    const reason = this.choices.finishReason
    if (reason !== 'error') this.options.onFinish?.(reason)
  }

  item(item: SseItem): void {
    if (this.progress === 'failed' || (this.progress === 'done' && this.isStrict)) return
    switch (item.kind) {
      case 'comment':
        this.output.comment(item.text)
        break
      case 'fields':
        this.hasForeignLines = true
        this.output.push(item.source)
        break
      case 'overflow':
        this.fail(limitError(item.limit))
        break
      case 'event':
        this.eventCount++
        this.isLastOpen = !item.terminated && !this.isStrict
        this.readEvent(item.terminated || !this.isStrict ? item : closed(item))
        this.output.endEvent()
    }
  }

  private readEvent(event: SseEvent): void {
    if (this.progress === 'done') {
      this.output.event(event)
    } else if (event.data.trim() === '[DONE]') {
      this.takeDone(event)
    } else {
      this.takeData(event, parseJson(event.data))
    }
  }

  private takeDone(event: SseEvent): void {
    this.output.release()
    if (this.isStrict && this.eventCount === 1) return this.fail(emptyAnswer)
    const failure = this.endChoices({ by: 'done' })
    if (failure !== null) return this.fail(failure)
    this.output.event(event)
    this.finish()
  }

  private takeData(event: SseEvent, came: unknown): void {
    const data = unwrapEnvelope(came)
    if (event.event === 'error' || (isJsonObject(data) && isErrorValue(data))) {
      this.output.release()
      this.endChoices({ by: 'cut' })
      this.output.event(event)
      this.failure = failureFromError(data ?? event.data)
      this.progress = 'failed'
    } else if (isJsonObject(data)) {
      this.takeChunk(data === came ? event : withData(event, data), data)
    } else {
      this.takeForeign(event, data === undefined ? 'not JSON' : 'JSON, but not an object')
    }
  }

  private takeForeign(event: SseEvent, what: string): void {
    if (!this.isStrict) {
      this.warn(`event ${this.eventCount}: the data is ${what}; passed on as it came`)
      this.output.event(event)
    } else if (event.terminated) {
      this.fail(protocolError(`The data of event ${this.eventCount} is ${what}.`))
    }
    // An event without its closing line was cut off: the end of the stream tells what became of the answer.
  }

  private takeChunk(event: SseEvent, chunk: JsonObject): void {
    const came: readonly unknown[] = Array.isArray(chunk['choices']) ? chunk['choices'] : []
    if (this.takeUsage(chunk, came)) return
    // Behind the finish reason there may still be text, which belongs before it.
    const wasFinished = this.choices.areEnded
    if (!wasFinished || came.length === 0) this.output.release()
    const sent: unknown[] = []
    const failure = this.choices.take(came, chunk, sent)
    const ends = this.isStrict && failure === null && !wasFinished && this.choices.areEnded
    // The end goes apart, so that it can wait for the text that may follow it.
    if (ends && came.length === 1) sent.push(...endApart(sent.pop()))
    this.envelope.learn(event, chunk)
    this.output.chunk(event, chunk, came, sent)
    if (failure !== null) this.fail(failure)
    else if (ends && (came.length === 1 || came.every(saysNothing))) this.output.holdLast()
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

  /** Ends the choices that are still open and sends what they held back. The answer is why they failed, or null. */
  private endChoices(upstream: UpstreamEnd): Failure | null {
    const { chunks, failure } = this.choices.end(upstream)
    for (const chunk of chunks) this.output.push(encodeSse({ data: JSON.stringify(chunk) }))
    return failure
  }

  /** Nothing follows: a client that misses the error must not take a cut answer for a whole one. */
  private fail(failure: Failure): void {
    this.output.release()
    this.endChoices({ by: 'cut' })
    this.output.push(encodeSse({ data: JSON.stringify(chatErrorBody(failure)) }))
    this.failure = failure
    this.progress = 'failed'
  }

  private warn(message: string): void {
    this.options.onWarning?.(message)
  }
}

/** With the blank line that it lacks: it may have to wait, and something follows it then. */
function closed(event: SseEvent): SseEvent {
  return { ...event, source: `${event.source}\n\n` }
}

function withData(event: SseEvent, value: JsonObject): SseEvent {
  const data = JSON.stringify(value)
  return { ...event, data, source: encodeSse({ ...event, data }) }
}
