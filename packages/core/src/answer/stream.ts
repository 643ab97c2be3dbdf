import type { Failure } from './answer.ts'
import { isJsonObject, parseJson, type JsonObject } from '../json/objects.ts'
import type { SseEvent, SseItem } from '../sse/items.ts'
import { SseReader, type SseSink } from '../sse/reader.ts'
import { emptyAnswer, limitError, missingEnd, protocolError } from './faults.ts'
import { failureFromError, isErrorValue } from './upstream-failure.ts'

/** An answer that comes as a stream of events, in whatever dialect. */
export interface StreamedAnswer {
  readonly isStarted: boolean
  readonly isEnded: boolean
  /** Whether the upstream has said why it ended. */
  readonly hasFinishReason: boolean
  /** Takes events that need not be parsed, if they are of that kind: see `SseSink`. */
  takeEvents?(text: string, at: number, limit: number): number
  /** How many it has taken. */
  readonly taken?: number
  /** The data of an event that is no error, and the event. */
  read(data: JsonObject, event: SseEvent): void
  finish(): void
  fail(failure: Failure): void
  warn(message: string): void
}

export interface AnswerStreamOptions {
  /** What becomes of data that is not JSON: the answer fails (default), or it is left out with a warning. */
  readonly invalidData?: 'fail' | 'warn' | undefined
  /** The longest event. */
  readonly maxEventBytes?: number | undefined
}

export interface AnswerDecoder {
  /** `finishing`: the upstream has said why it ended; usage, or nothing more, may follow. */
  readonly state: 'reading' | 'finishing' | 'ended'
  push(chunk: string | Uint8Array): void
  end(): void
}

/** Reads the event stream of an answer, and tells an answer that ended from one that was cut off. */
export class AnswerStream implements AnswerDecoder, SseSink {
  private readonly answer: StreamedAnswer
  private readonly unwrap: (data: unknown) => unknown
  private readonly isLenient: boolean
  private readonly sse: SseReader
  /** Events that came one by one; those that were taken together the answer counts itself. */
  private parsedCount = 0
  private hasForeignLines = false

  /** `unwrap` takes off what some servers wrap around the data of an event. */
  constructor(answer: StreamedAnswer, options: AnswerStreamOptions, unwrap: (data: unknown) => unknown) {
    this.answer = answer
    this.unwrap = unwrap
    this.isLenient = options.invalidData === 'warn'
    this.sse = new SseReader(this, options.maxEventBytes)
  }

  get state(): AnswerDecoder['state'] {
    if (this.answer.isEnded) return 'ended'
    return this.answer.hasFinishReason ? 'finishing' : 'reading'
  }

  push(chunk: string | Uint8Array): void {
    this.sse.push(chunk)
  }

  end(): void {
    this.sse.end()
    if (this.answer.isEnded) return
    if (this.answer.hasFinishReason) this.answer.finish()
    else this.answer.fail(missingEnd(this.parsedCount > 0, this.hasForeignLines))
  }

  takeEvents(text: string, at: number, limit: number): number {
    const { answer } = this
    return answer.takeEvents === undefined || answer.isEnded ? at : answer.takeEvents(text, at, limit)
  }

  item(item: SseItem): void {
    if (this.answer.isEnded) return
    switch (item.kind) {
      case 'event':
        this.parsedCount++
        this.readEvent(item)
        break
      case 'overflow':
        this.answer.fail(limitError(item.limit))
        break
      case 'fields':
        this.hasForeignLines = true
        break
      case 'comment':
    }
  }

  private readEvent(event: SseEvent): void {
    const data = this.unwrap(parseJson(event.data))
    if (data === undefined) {
      this.takeText(event)
    } else if (event.event === 'error' || (isJsonObject(data) && isErrorValue(data))) {
      this.answer.fail(failureFromError(data))
    } else if (isJsonObject(data)) {
      this.answer.read(data, event)
    } else {
      this.refuse('is JSON, but not an object')
    }
  }

  private takeText({ event, data, terminated }: SseEvent): void {
    if (data.trim() === '[DONE]') {
      if (this.answer.isStarted) this.answer.finish()
      else this.answer.fail(emptyAnswer)
    } else if (event === 'error') {
      this.answer.fail(failureFromError(data))
    } else if (terminated) {
      this.refuse('is not JSON')
    }
    // An event without its closing line was cut off: the end of the stream tells what became of the answer.
  }

  private refuse(what: string): void {
    const eventCount = this.parsedCount + (this.answer.taken ?? 0)
    const message = `The data of event ${eventCount} ${what}`
    if (this.isLenient) this.answer.warn(`${message}; left out`)
    else this.answer.fail(protocolError(`${message}.`))
  }
}
