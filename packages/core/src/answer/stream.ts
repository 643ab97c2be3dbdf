import { isJsonObject, parseWritableJson, type JsonObject } from '../json/objects.ts'
import { encodeSse } from '../sse/encoder.ts'
import type { SseComment, SseEvent, SseFields, SseItem } from '../sse/items.ts'
import { SseReader, type SseSink } from '../sse/reader.ts'
import { emptyAnswer, type Failure, limitError, missingEnd, protocolError } from './failure.ts'
import { failureFromError, isErrorValue, isReworded, refusesKey } from './upstream-failure.ts'

/** An answer that comes as a stream of events: a dialect's decoder, or its patcher. */
export interface WireAnswer {
  readonly isStarted: boolean
  readonly isEnded: boolean
  /** Whether the upstream has said why it ended. */
  readonly hasFinishReason: boolean
  /** Why the answer is no whole one, or null. */
  readonly failure: Failure | null
  /** Takes events that need not be parsed, if they are of that kind: see `SseSink`. */
  takeEvents?(text: string, at: number, limit: number): number
  /** How many it has taken. */
  readonly taken?: number
  /** The data of an event that is no error, and the event. */
  read(data: JsonObject, event: SseEvent): void
  /** A comment, or a block without data. */
  beside?(item: SseComment | SseFields): void
  /** An event whose data is no JSON object, where faults pass. */
  foreign(event: SseEvent, fault: string): void
  /** `event` is what ended the stream: null where it just ended. */
  finish(event: SseEvent | null): void
  /** `event` is what told the failure, where the upstream told it. */
  fail(failure: Failure, event: SseEvent | null): void
  /** The stream was cut off, where faults pass. Without this the answer fails. */
  cutOff?(): void
  /** What is sent while the client waits, where that depends on what was sent before; null while it may not be. */
  keepAlive?(): string | null
}

export interface AnswerStreamOptions {
  /** What becomes of a stream that is not as it should be: the answer fails (default), or what came is taken. */
  readonly faults?: 'fail' | 'pass' | undefined
  /** The longest event. */
  readonly maxEventBytes?: number | undefined
  /** Takes secrets out of what the upstream says about its failure. */
  readonly redact?: ((text: string) => string) | undefined
}

/** Finds the rest of an answer in the error with which its upstream broke off: events, or null where there is none. */
export type Rescue = (error: string, first: JsonObject) => string | null

/** Reads the event stream of an answer, and tells an answer that ended from one that was cut off. */
export class AnswerStream implements SseSink {
  private readonly answer: WireAnswer
  private readonly unwrap: (data: unknown) => unknown
  private readonly isLenient: boolean
  private readonly redact: ((text: string) => string) | undefined
  private readonly rescue: Rescue
  private readonly maxEventBytes: number | undefined
  private readonly sse: SseReader
  /** Events that came one by one; those that were taken together the answer counts itself. */
  private parsedCount = 0
  private hasForeignLines = false
  /** The data of the first event: it says which answer this is. */
  private first: JsonObject | undefined

  /** `unwrap` takes off what some servers wrap around the data of an event. */
  constructor(
    answer: WireAnswer,
    options: AnswerStreamOptions,
    unwrap: (data: unknown) => unknown,
    rescue: Rescue = () => null,
  ) {
    this.answer = answer
    this.rescue = rescue
    this.maxEventBytes = options.maxEventBytes
    this.unwrap = unwrap
    this.isLenient = options.faults === 'pass'
    this.redact = options.redact
    this.sse = new SseReader(this, options.maxEventBytes)
  }

  /** `finishing`: the upstream has said why it ended; usage, or nothing more, may follow. */
  get state(): 'reading' | 'finishing' | 'ended' {
    if (this.answer.isEnded) return 'ended'
    return this.answer.hasFinishReason ? 'finishing' : 'reading'
  }

  push(chunk: string | Uint8Array): void {
    this.sse.push(chunk)
  }

  /** `cause`: why the upstream was given up, where it was; that is more than its stream can tell. */
  end(cause?: Failure): void {
    const { answer } = this
    this.sse.end()
    if (answer.isEnded) return
    if (answer.hasFinishReason) answer.finish(null)
    else if (cause === undefined && this.isLenient && answer.cutOff !== undefined) answer.cutOff()
    else answer.fail(cause ?? missingEnd(this.eventCount > 0, this.hasForeignLines), null)
  }

  takeEvents(text: string, at: number, limit: number): number {
    const { answer } = this
    return answer.takeEvents === undefined || answer.isEnded ? at : answer.takeEvents(text, at, limit)
  }

  item(item: SseItem): void {
    const { answer } = this
    if (answer.isEnded) return
    switch (item.kind) {
      case 'event':
        this.parsedCount++
        this.readEvent(item)
        break
      case 'overflow':
        answer.fail(limitError(item.limit), null)
        break
      case 'fields':
        this.hasForeignLines = true
        answer.beside?.(item)
        break
      case 'comment':
        answer.beside?.(item)
    }
  }

  private get eventCount(): number {
    return this.parsedCount + (this.answer.taken ?? 0)
  }

  private readEvent(event: SseEvent): void {
    // An empty `data:` says nothing, and clients that parse it as JSON fail.
    if (event.data === '' && event.event === undefined) return
    // The last event of most streams is no JSON. An exception for each of them would cost more than all their parsing.
    const came = isDone(event) ? undefined : parseWritableJson(event.data)
    const data = this.unwrap(came)
    if (data === undefined) {
      this.takeText(event)
    } else if (event.event === 'error' || isError(data)) {
      this.takeError(data, event)
    } else if (isJsonObject(data)) {
      this.first ??= data
      this.answer.read(data, data === came ? event : unwrapped(event, data))
    } else {
      this.refuse('is JSON, but not an object', event)
    }
  }

  private takeText(event: SseEvent): void {
    if (isDone(event)) {
      if (this.answer.isStarted) this.answer.finish(event)
      else this.answer.fail(emptyAnswer, null)
    } else if (event.event === 'error') {
      this.takeError(event.data, event)
    } else if (event.terminated || this.isLenient) {
      this.refuse('is not JSON', event)
    }
    // An event without its closing line was cut off: the end of the stream tells what became of the answer.
  }

  private takeError(error: unknown, event: SseEvent): void {
    // An answer that has not begun fails, and whoever asked can ask again.
    const rest = this.answer.isStarted ? this.rescue(event.source, this.first ?? {}) : null
    if (rest !== null) {
      new SseReader(this, this.maxEventBytes).push(rest)
      return
    }
    const failure = failureFromError(error)
    const { redact = asItIs } = this
    const isSafe = redact(event.source) === event.source && !refusesKey(error)
    // Where faults pass, the client knows this upstream, and has words of its own for what it says.
    const mayPass = isSafe && (this.isLenient || !isReworded(error))
    this.answer.fail(withoutSecrets(failure, redact), mayPass ? event : null)
  }

  private refuse(what: string, event: SseEvent): void {
    const fault = `The data of event ${this.eventCount} ${what}`
    if (this.isLenient) this.answer.foreign(event, fault)
    else this.answer.fail(protocolError(`${fault}.`), null)
  }
}

/** An upstream may repeat the key that it was shown, in its message as well as in its code. */
function withoutSecrets(failure: Failure, redact: (text: string) => string): Failure {
  const { code, message, upstreamType } = failure
  const told = { ...failure, code: redact(code), message: redact(message) }
  return upstreamType === undefined ? told : { ...told, upstreamType: redact(upstreamType) }
}

function asItIs(text: string): string {
  return text
}

function isDone({ data }: SseEvent): boolean {
  return data.trim() === '[DONE]'
}

function unwrapped(event: SseEvent, value: JsonObject): SseEvent {
  const data = JSON.stringify(value)
  return { ...event, data, source: encodeSse({ ...event, data }), terminated: true }
}

function isError(data: unknown): boolean {
  return Array.isArray(data) ? data.length > 0 && isError(data[0]) : isJsonObject(data) && isErrorValue(data)
}
