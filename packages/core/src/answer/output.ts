import { encodeSse, encodeSseComment } from '../sse/encoder.ts'
import type { SseComment, SseEvent, SseFields } from '../sse/items.ts'

/** The text of a stream for a client. Parts of the upstream's text that go on one behind the other stay one piece. */
export class AnswerOutput {
  /**
   * Emptied and used again. It lives as long as the stream, where the collector seldom looks for garbage; one that was
   * replaced would keep its texts, and the chunks that these were cut out of, until it does.
   */
  private readonly texts: string[] = []
  private source = ''
  private from = 0
  private to = 0
  /** Whether anything but comments was written. */
  isStarted = false
  private heldBeside = 0
  private comments: 'none' | 'written' = 'none'
  /** The last event lacks the blank line that closes it: what follows would be read as a part of it. */
  private isLastOpen = false

  push(text: string): void {
    if (text === '') return
    this.isStarted = true
    this.add(text)
  }

  /** The part of `source` between these places goes on as it came. */
  pass(source: string, from: number, to: number): void {
    this.isStarted = true
    this.comments = 'none'
    if (this.isLastOpen) this.close()
    if (this.from === this.to || from !== this.to || source !== this.source) {
      this.endRun()
      this.source = source
      this.from = from
    }
    this.to = to
  }

  /** The event as it came. A comment between its lines has been written already; its source holds it once more. */
  event(event: SseEvent): void {
    const holdsComment = this.comments === 'written' && /^:/m.test(event.source)
    this.comments = 'none'
    this.push(holdsComment ? encodeSse(event) : event.source)
    this.isLastOpen = !event.terminated && !holdsComment
  }

  /** The event with other data. */
  eventWith(event: Partial<SseEvent>, data: string): void {
    this.push(encodeSse({ ...event, data }))
  }

  /** A comment, or a block without data. */
  beside(item: SseComment | SseFields): void {
    if (!this.isStarted && !this.holds(item)) return
    if (item.kind === 'comment') {
      this.comments = 'written'
      this.add(encodeSseComment(item.text))
    } else {
      this.add(item.source)
    }
  }

  /**
   * What comes before the first event is kept until that is there. A server may send comments for hours, and nobody misses
   * those beyond the first.
   */
  private holds(item: SseComment | SseFields): boolean {
    this.heldBeside += item.kind === 'comment' ? item.text.length : item.source.length
    return this.heldBeside <= mostBeside
  }

  /** The event that tells a failure, the last one. Alone it is no answer that has begun. */
  error(source: string): void {
    this.add(source)
    if (!source.endsWith('\n\n')) this.add('\n\n')
  }

  /** With the blank line that the last event lacks, if it does. */
  close(): void {
    if (!this.isLastOpen) return
    this.isLastOpen = false
    this.add('\n\n')
  }

  /** What was written since the last call. */
  take(): string[] {
    this.endRun()
    return this.texts.splice(0)
  }

  private add(text: string): void {
    this.endRun()
    this.close()
    this.texts.push(text)
  }

  private endRun(): void {
    if (this.from < this.to) this.texts.push(this.source.slice(this.from, this.to))
    this.source = ''
    this.from = 0
    this.to = 0
  }
}

/** How many characters of comments are kept while nothing else has come. */
const mostBeside = 65_536
