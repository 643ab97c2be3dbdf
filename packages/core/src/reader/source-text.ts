/** A long text that comes in pieces. Joined, it would be copied for every look at a part of it. */
export class SourceText {
  readonly #pieces: string[] = []
  readonly #starts: number[] = []
  #length = 0

  get length(): number {
    return this.#length
  }

  add(piece: string): void {
    this.#pieces.push(piece)
    this.#starts.push(this.#length)
    this.#length += piece.length
  }

  slice(from: number, to: number): string {
    let found = ''
    for (let at = this.#pieceAt(from); at < this.#pieces.length; at++) {
      const start = this.#starts[at] ?? 0
      if (start >= to) break
      found += (this.#pieces[at] ?? '').slice(Math.max(0, from - start), to - start)
    }
    return found
  }

  /** The last piece that does not begin behind `position`. */
  #pieceAt(position: number): number {
    let low = 0
    let high = this.#starts.length - 1
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((this.#starts[middle] ?? 0) <= position) low = middle
      else high = middle - 1
    }
    return low
  }
}
