import { byteLength } from './utf8.ts'

/** Text collected in pieces and joined once: adding to one string would copy it for each piece. */
export class HeldText {
  /** How many bytes of UTF-8 it takes. */
  bytes = 0
  private pieces: string[] = []
  private joined: string[] = []

  add(text: string): void {
    if (text === '') return
    this.bytes += byteLength(text)
    this.pieces.push(text)
    // A string object for each of many small pieces takes many times the memory of their text.
    if (this.pieces.length === 64) {
      this.joined.push(this.pieces.join(''))
      this.pieces = []
    }
  }

  /** What is held, left where it is. */
  peekPieces(): readonly string[] {
    return [...this.joined, ...this.pieces]
  }

  take(): string {
    return this.takePieces().join('')
  }

  /** The same without joining all of it: whoever writes it on piece by piece does not need it twice in memory. */
  takePieces(): readonly string[] {
    if (this.bytes === 0) return nothing
    const { joined, pieces } = this
    if (pieces.length > 0) joined.push(pieces.length === 1 ? (pieces[0] ?? '') : pieces.join(''))
    this.bytes = 0
    this.pieces = []
    this.joined = []
    return joined
  }
}

/** A copy of its own: text that was cut out of another keeps that one alive, and text put together keeps its pieces. */
export function flatCopy(text: string): string {
  return String(JSON.parse(JSON.stringify(text)))
}

const nothing: readonly string[] = []
