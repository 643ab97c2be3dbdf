import { flatCopy } from './held-text.ts'
import type { SourceObserver } from './source-observer.ts'
import { byteLength } from './utf8.ts'

/** What has been read is let go of from this length on. Doing so for each of many short pieces would cost more than it saves. */
const LONG_TEXT = 4096

/**
 * The text that a parser has been given and not yet read: a window that moves. Readers look at
 * `text` from `at` on and advance `at`; what they leave is kept in front of the next chunk.
 */
export class TextWindow {
  text = ''
  at = 0
  /** Where `text` begins in the whole stream. */
  base = 0
  /** No more text will come: what is held has to be decided now. */
  final = false
  /** Told what becomes of the text, where somebody wants to know. */
  observer: SourceObserver | undefined
  /** The whole text while a part of it is hidden. It is kept as it was: joining the parts again would copy them. */
  private whole: string | undefined
  private readonly recordings: SourceRecording[] = []

  append(chunk: string): void {
    if (this.whole !== undefined) this.reveal()
    if (this.recordings.length > 0) this.collect()
    const { text, at } = this
    this.base += at
    this.text = at === text.length ? chunk : (at === 0 ? text : text.slice(at)) + chunk
    this.at = 0
    if (this.observer !== undefined) this.observer.appended(chunk)
  }

  /** `append` where all was read, nothing is recorded and nobody wants to know. */
  follow(chunk: string): void {
    this.base += this.at
    this.text = chunk
    this.at = 0
  }

  /**
   * To be called when nobody reads on. A long text that was read would live until the next one comes: with many streams that is long
   * enough for the collector to move all that they bring into the memory that it seldom looks through. True where places in
   * the text have moved.
   */
  letGo(): boolean {
    if (this.at < LONG_TEXT) return false
    this.append('')
    if (this.text !== '') this.text = flatCopy(this.text)
    return true
  }

  private collect(): void {
    for (const recording of this.recordings) recording.collect(this.text, this.at)
  }

  /** Lets nobody see what stands from `at` on, until `reveal` or the next chunk. */
  hide(at: number): void {
    this.whole = this.text
    this.text = this.text.slice(0, at)
  }

  reveal(): void {
    this.text = this.whole ?? this.text
    this.whole = undefined
  }

  /** Where the reader stands in the whole stream. */
  get position(): number {
    return this.base + this.at
  }

  /** Where in the whole stream the text at hand ends. */
  get end(): number {
    return this.base + (this.whole ?? this.text).length
  }

  /** Puts back what was read last. */
  unread(text: string): void {
    this.observer?.unread(this.position - text.length)
    // Most of the time it is still at hand: copying it would make many small returns quadratic.
    if (text.length <= this.at) {
      this.at -= text.length
      return
    }
    for (const recording of this.recordings) {
      recording.collect(this.text, this.at)
      recording.retract(text)
    }
    this.base += this.at - text.length
    if (this.whole !== undefined) this.whole = text + this.whole.slice(this.at)
    this.text = text + this.text.slice(this.at)
    this.at = 0
  }

  get isEmpty(): boolean {
    return this.at >= this.text.length
  }

  /** What is kept in memory: the text that was not read yet, and the longest copy of what was. */
  get heldBytes(): number {
    const copies = this.recordings.map((recording) => byteLength(recording.peek(this)))
    return byteLength((this.whole ?? this.text).slice(this.at)) + Math.max(0, ...copies)
  }

  /** Takes all that is left: it belongs to whoever reads now. */
  takeAll(): string {
    return this.take(this.text.length)
  }

  /** Takes everything up to `end`. */
  take(end: number): string {
    const { text, at } = this
    this.at = end
    return at === 0 && end === text.length ? text : text.slice(at, end)
  }

  /** Keeps a copy of what is read from `from` on, until `stop`. `before` is text read earlier that belongs to it. */
  record(from: number, before = ''): SourceRecording {
    const recording = new SourceRecording(from, before)
    this.recordings.push(recording)
    return recording
  }

  stop(recording: SourceRecording): string {
    recording.collect(this.text, this.at)
    this.recordings.splice(this.recordings.indexOf(recording), 1)
    return recording.end()
  }
}

/** A copy of what was read since a certain point: the source of a call, which becomes text again if it is no call. */
export class SourceRecording {
  /** What was recorded before `text`, in pieces of some kilobytes. */
  private earlier: string[] = []
  private earlierLength = 0
  private text: string
  /** How many pieces `text` was made of: each takes many times the memory of its characters until they are joined. */
  private pieces = 0
  private from: number
  private limit = Number.POSITIVE_INFINITY
  /** How many bytes were recorded, up to `counted`: counting them anew each time would be quadratic. */
  private bytes: number
  private counted: number

  constructor(from: number, before: string) {
    this.from = from
    this.counted = from
    this.text = before
    this.bytes = byteLength(before)
  }

  /** From now on only the last `limit` characters matter: enough to show, not to restore. */
  keepTail(limit: number): void {
    this.gather()
    this.limit = limit
  }

  collect(text: string, to: number): void {
    const piece = text.slice(Math.max(this.from, to - this.limit), to)
    this.text += piece
    if (this.limit === Number.POSITIVE_INFINITY) {
      this.count(text, to)
      if (++this.pieces === 64) this.join()
    }
    // Cut only now and then: cutting at every character would copy the tail each time.
    if (this.text.length > 2 * this.limit) this.text = this.text.slice(-this.limit)
    this.from = 0
    this.counted = 0
  }

  /** The reader put the end of it back, and will read and record that again. */
  retract(text: string): void {
    if (text.length > this.text.length) this.gather()
    this.text = this.text.slice(0, Math.max(0, this.text.length - text.length))
    this.bytes -= byteLength(text)
  }

  end(): string {
    this.gather()
    return this.text.length > this.limit ? this.text.slice(-this.limit) : this.text
  }

  lengthAt(input: TextWindow): number {
    return this.earlierLength + this.text.length + input.at - this.from
  }

  bytesAt(input: TextWindow): number {
    this.count(input.text, input.at)
    return this.bytes
  }

  /** Everything read so far, without ending the recording. */
  peek(input: TextWindow): string {
    this.gather()
    return this.text + input.text.slice(this.from, input.at)
  }

  private join(): void {
    this.earlierLength += this.text.length
    this.earlier.push(flatCopy(this.text))
    this.text = ''
    this.pieces = 0
  }

  private gather(): void {
    if (this.earlier.length === 0) return
    this.text = this.earlier.join('') + this.text
    this.earlier = []
    this.earlierLength = 0
  }

  /** What was read may have been put back: then `to` lies before what was counted. */
  private count(text: string, to: number): void {
    if (to >= this.counted) this.bytes += byteLength(text.slice(this.counted, to))
    else this.bytes -= byteLength(text.slice(to, this.counted))
    this.counted = to
  }
}
