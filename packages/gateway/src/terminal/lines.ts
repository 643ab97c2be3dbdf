const LINE_FEED = 0x0a

/** The longest line that is read. Longer ones are reported and skipped, so that memory stays bounded. */
export const longestLineBytes = 64 * 1024 * 1024

export interface Line {
  /** Counted from 1. */
  readonly number: number
  /** The line without its line end, or null where it is longer than `longestLineBytes`. */
  readonly text: string | null
}

/** Cuts bytes into lines as they come; no more than one line is held. The last one needs no line end. */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  const line = new LineBytes()
  let number = 0
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      line.add(chunk.subarray(start, end))
      yield { number: ++number, text: withoutMarks(line.take(), number) }
      start = end + 1
    }
    line.add(chunk.subarray(start))
  }
  if (!line.isEmpty) yield { number: ++number, text: withoutMarks(line.take(), number) }
}

class LineBytes {
  private pieces: Buffer[] = []
  private length = 0

  get isEmpty(): boolean {
    return this.length === 0
  }

  add(piece: Buffer): void {
    if (piece.length === 0) return
    this.length += piece.length
    if (this.length > longestLineBytes) this.pieces = []
    else this.pieces.push(piece)
  }

  take(): string | null {
    const text = this.length > longestLineBytes ? null : Buffer.concat(this.pieces).toString('utf8')
    this.pieces = []
    this.length = 0
    return text
  }
}

// A carriage return before the line feed belongs to the line end, and a byte order mark to the file. Either of them
// would make valid JSON invalid.
function withoutMarks(line: string | null, number: number): string | null {
  if (line === null) return null
  const start = number === 1 && line.startsWith('\uFEFF') ? 1 : 0
  return line.slice(start, line.endsWith('\r') ? -1 : undefined)
}
