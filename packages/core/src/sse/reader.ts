import { DragomanError } from '../errors.ts'
import { flatCopy, HeldText } from '../text/held-text.ts'
import { SseBlock, valueStart } from './block.ts'
import type { SseItem } from './items.ts'

const LF = 0x0a
const CR = 0x0d
const COLON = 0x3a
const BYTE_ORDER_MARK = 0xfeff
/** The most bytes that one unit of a text takes: what is short enough by this measure need not be counted. */
const UNIT_BYTES = 3

export interface SseSink {
  item(item: SseItem): void
  /**
   * Asked where an event begins: may take whole events of `text` by itself, any number of them. The answer is where
   * the last ends, or `at` where the reader is to read the first. An event of more than `limit` units is the
   * reader's: it may be too long.
   */
  takeEvents?(text: string, at: number, limit: number): number
}

/** Reads an event stream in pieces of any size, cut anywhere, and tells the sink what it holds. */
export class SseReader {
  /** `start`: nothing has come yet, so a byte order mark may. */
  private state: 'start' | 'reading' | 'failed' | 'ended' = 'start'
  private readonly sink: SseSink
  private readonly limit: number
  private readonly utf8 = new Utf8Pieces()
  private heldCr: '' | '\r' = ''
  /** The line whose end has not come. */
  private readonly line = new HeldText()
  private readonly block = new SseBlock()
  /** The complete lines of the open block that came in earlier chunks. */
  private readonly blockSource = new HeldText()

  constructor(sink: SseSink, limit = 8_388_608) {
    if (!Number.isSafeInteger(limit) || limit < 1) {
      throw new DragomanError(
        'invalid-option',
        `limits.maxEventBytes must be a positive integer, not ${limit}`,
      )
    }
    this.sink = sink
    this.limit = limit
  }

  push(chunk: string | Uint8Array): void {
    if (this.state === 'ended') throw new DragomanError('ended', 'push() after end()')
    if (this.state !== 'failed') this.read(this.holdTrailingCr(this.decode(chunk)))
  }

  end(): void {
    if (this.state === 'ended') throw new DragomanError('ended', 'end() after end()')
    if (this.state !== 'failed') this.read(this.heldCr + this.utf8.flush())
    if (this.state !== 'failed') this.readUnterminated()
    this.state = 'ended'
  }

  private decode(chunk: string | Uint8Array): string {
    const text = typeof chunk === 'string' ? this.utf8.flush() + chunk : this.utf8.decode(chunk)
    if (this.state !== 'start' || text === '') return text
    this.state = 'reading'
    return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text
  }

  /**
   * A CR at the end of a chunk may be half of a CRLF; taken for a whole line end, it would leave the LF out
   * of the event's source. After another CR it is a blank line on its own and need not wait (see afterLineEnd).
   */
  private holdTrailingCr(chunk: string): string {
    if (chunk === '') return ''
    const text = this.heldCr + chunk
    const last = text.length - 1
    const isHeld = text.charCodeAt(last) === CR && text.charCodeAt(last - 1) !== CR
    this.heldCr = isHeld ? '\r' : ''
    return isHeld ? text.slice(0, last) : text
  }

  private read(chunk: string): void {
    if (this.line.bytes === 0) {
      this.readLines(chunk, 0)
      return
    }
    // Joined to the line that waits, a whole chunk would be copied: up to the end of the event is enough.
    const blank = chunk.indexOf('\n\n')
    const end = blank === -1 ? chunk.length : blank + 2
    this.line.add(partOf(chunk, 0, end))
    if (!/[\n\r]/.test(chunk)) this.failIfTooLong()
    else this.readLines(this.line.take(), 0)
    if (end < chunk.length && this.state !== 'failed') this.readLines(chunk, end)
  }

  private readLines(text: string, from: number): void {
    let lf = text.indexOf('\n', from)
    let cr = text.indexOf('\r', from)
    let lineStart = from
    let blockStart = from
    for (;;) {
      if (!this.block.isOpen) blockStart = lineStart = this.skipTaken(text, lineStart)
      // Each search goes on from its last hit, and none is repeated that has found nothing. Searching for
      // both line ends in each line would cost the square of a chunk that holds only one of them.
      if (lf !== -1 && lf < lineStart) lf = text.indexOf('\n', lineStart)
      if (cr !== -1 && cr < lineStart) cr = text.indexOf('\r', lineStart)
      const lineEnd = cr === -1 || (lf !== -1 && lf < cr) ? lf : cr
      if (lineEnd === -1) break
      const nextLine = afterLineEnd(text, lineStart, lineEnd)
      if (this.blockSource.bytes + (nextLine - blockStart) * UNIT_BYTES > this.limit) {
        // Held, it is counted once. A block of many lines would be counted anew with each of them.
        this.blockSource.add(text.slice(blockStart, nextLine))
        blockStart = nextLine
        if (this.failIfTooLong()) return
      }

      if (lineEnd > lineStart) this.readLine(text, lineStart, lineEnd)
      else if (this.block.isOpen) {
        this.sink.item(this.block.close(this.takeBlockSource(text.slice(blockStart, nextLine)), true))
      }
      if (!this.block.isOpen) {
        blockStart = nextLine
        // A long comment was held to be counted; it is no part of what follows.
        this.blockSource.take()
      }
      lineStart = nextLine
    }
    this.blockSource.add(partOf(text, blockStart, lineStart))
    this.line.add(partOf(text, lineStart, text.length))
    this.failIfTooLong()
  }

  /** Lets the sink take the events that it knows how to. */
  private skipTaken(text: string, from: number): number {
    const { sink } = this
    if (sink.takeEvents === undefined) return from
    const limit = this.limit / UNIT_BYTES
    let at = from
    for (;;) {
      const next = sink.takeEvents(text, at, limit)
      if (next === at) return at
      at = next
    }
  }

  private readLine(text: string, start: number, end: number): void {
    if (text.charCodeAt(start) !== COLON) this.block.readLine(text, start, end)
    else this.sink.item({ kind: 'comment', text: text.slice(valueStart(text, start), end) })
  }

  /**
   * The HTML standard drops an event whose closing blank line is missing. Servers and proxies cut that line
   * off the last event; dropping it would lose the finish reason and the usage of a whole answer.
   */
  private readUnterminated(): void {
    const line = this.line.take()
    if (line !== '') this.readLine(line, 0, line.length)
    if (!this.block.isOpen) return
    const block = this.block.close(this.takeBlockSource(line), false)
    if (block.kind === 'event') this.sink.item(block)
  }

  private takeBlockSource(rest: string): string {
    if (this.blockSource.bytes === 0) return rest
    this.blockSource.add(rest)
    return this.blockSource.take()
  }

  private failIfTooLong(): boolean {
    if (this.blockSource.bytes + this.line.bytes <= this.limit) return false
    this.sink.item({ kind: 'overflow', limit: this.limit })
    this.state = 'failed'
    this.line.take()
    this.blockSource.take()
    this.block.clear()
    return true
  }
}

/**
 * A part of a chunk that is held. Cut out of the chunk it would keep all of it alive: with a hundred streams that is long enough for
 * the collector to move every chunk into the memory that it seldom looks through.
 */
function partOf(text: string, start: number, end: number): string {
  const part = text.slice(start, end)
  return part.length * 2 < text.length ? flatCopy(part) : part
}

/**
 * A CR that closes a block right after another lone CR is given without waiting for an LF: a stream that
 * ends its lines with CR alone would else get each event one event late. Should an LF follow after all, it
 * reads as one more blank line, which means nothing.
 */
function afterLineEnd(text: string, lineStart: number, lineEnd: number): number {
  const next = lineEnd + 1
  if (text.charCodeAt(lineEnd) !== CR || text.charCodeAt(next) !== LF) return next
  const followsLoneCr = lineEnd === lineStart && text.charCodeAt(lineStart - 1) === CR
  return followsLoneCr ? next : next + 1
}

/** Bytes to text, where a character may be cut between two chunks. */
class Utf8Pieces {
  /** Holds the bytes of a character whose end has not come; null where none may be held. */
  private cut: TextDecoder | null = null

  decode(bytes: Uint8Array): string {
    const last = bytes.at(-1)
    if (last === undefined) return ''
    // Nothing can be cut after an ASCII byte, and decoding without `stream` is several times faster on Node.
    if (last >= 0x80) {
      this.cut ??= newDecoder()
      return this.cut.decode(bytes, { stream: true })
    }
    const decoder = this.cut ?? wholePieces
    this.cut = null
    return decoder.decode(bytes)
  }

  flush(): string {
    const text = this.cut?.decode() ?? ''
    this.cut = null
    return text
  }
}

// The decoder's own removal of a byte order mark begins anew after each flush and would eat a U+FEFF that belongs
// to the text.
function newDecoder(): TextDecoder {
  return new TextDecoder('utf-8', { ignoreBOM: true })
}

/** Shared by all streams: it holds nothing between two pieces. */
const wholePieces = newDecoder()
