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
    if (this.pieces.length === 1024) {
      this.joined.push(this.pieces.join(''))
      this.pieces = []
    }
  }

  take(): string {
    if (this.bytes === 0) return ''
    this.joined.push(this.pieces.join(''))
    const text = this.joined.join('')
    this.bytes = 0
    this.pieces = []
    this.joined = []
    return text
  }
}
