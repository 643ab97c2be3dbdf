interface Piece {
  readonly lines: number
  bytes: number
}

/**
 * The lines that were handed over and are not written yet. It counts the lines that are lost, and not the attempts to
 * write them.
 */
export class WaitingLines {
  private readonly pieces: Piece[] = []
  private lines = 0
  /** How many of the waiting lines, from the first one, were counted as lost. */
  private counted = 0

  add(text: string): void {
    const lines = linesIn(text)
    this.pieces.push({ lines, bytes: Buffer.byteLength(text) })
    this.lines += lines
  }

  /** The destination did not take the last piece. Returns the number of its lines. */
  takeBack(): number {
    const lines = this.pieces.pop()?.lines ?? 0
    this.lines -= lines
    return lines
  }

  written(bytes: number): void {
    let left = bytes
    let whole = 0
    for (const piece of this.pieces) {
      const taken = Math.min(left, piece.bytes)
      piece.bytes -= taken
      left -= taken
      if (piece.bytes > 0) break
      whole++
      this.lines -= piece.lines
      this.counted = Math.max(0, this.counted - piece.lines)
    }
    this.pieces.splice(0, whole)
  }

  /** Returns how many waiting lines were not counted as lost before. */
  fail(): number {
    const news = this.lines - this.counted
    this.counted = this.lines
    return news
  }
}

function linesIn(text: string): number {
  let lines = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines++
  return lines
}
