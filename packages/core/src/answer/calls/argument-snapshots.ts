import type { JsonScanner } from '../../text/json-scanner.ts'
import { equalJsonTexts } from '../../json/objects.ts'

/** Some servers send the arguments so far, over and over, where a delta should be. */
export class ArgumentSnapshots {
  private mode: 'unknown' | 'deltas' | 'snapshots' = 'unknown'
  private seen = ''
  private seenLength = 0

  /** What a piece brings that has not come before. `scanner`: of the object that is open, if one is. */
  newPart(piece: string, scanner: JsonScanner | null): string {
    const isSnapshot =
      this.mode === 'snapshots' ? piece.length >= this.seenLength : this.shows(piece, scanner)
    const part = isSnapshot ? piece.slice(this.seenLength) : piece
    if (isSnapshot) this.mode = 'snapshots'
    this.seenLength += part.length
    if (this.mode === 'unknown') {
      this.seen += part
      if (this.seenLength > longestFirstSnapshot) this.mode = 'deltas'
    }
    return part
  }

  /** What came was no part of the arguments: they begin with this text. */
  restart(text: string): void {
    this.mode = 'unknown'
    this.seen = ''
    this.seenLength = 0
    this.newPart(text, null)
  }

  /** The last characters that came are no part of the arguments. */
  takeBack(length: number): void {
    if (this.mode === 'unknown') this.seen = this.seen.slice(0, this.seen.length - length)
    this.seenLength -= length
  }

  /** Whether the text says all over again what has come. */
  areRepeatedIn(text: string): boolean {
    if (this.mode === 'unknown') return equalJsonTexts(text, this.seen)
    return text.length === this.seenLength && text.startsWith(this.seen)
  }

  /** Only where the piece cannot go on from what came: an object may hold what it begins with itself. */
  private shows(piece: string, scanner: JsonScanner | null): boolean {
    if (this.mode === 'deltas' || scanner === null) return false
    if (piece.length < this.seenLength || !piece.startsWith(this.seen)) return false
    const { place } = scanner
    if (place === 'value' || place === 'first-item') return false
    // In a string the first quote of the piece would end the string.
    return place !== 'string' || !/^[^"]*"(?:[\s:,}\]]|$)/.test(piece)
  }
}

const longestFirstSnapshot = 4096
