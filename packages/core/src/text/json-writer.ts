import { isHighSurrogate } from './utf8.ts'

/** What JSON escapes in strings, and every half of a surrogate pair: one that stands alone is escaped too. */
const mayNeedEscape = /[^ !#-[\]-\ud7ff\ue000-\uffff]/

/**
 * Writes one JSON object piece by piece, for arguments that arrive as tags. Each method returns the
 * text to send on; strings can be written while they are still coming in.
 */
export class JsonWriter {
  private isEmpty = true
  /** Half of a surrogate pair: escaped alone it would spell the character differently than whole. */
  private half = ''

  /** Everything up to the value: `{"city":` or `,"city":`. */
  key(name: string): string {
    const text = `${this.isEmpty ? '{' : ','}${JSON.stringify(name)}:`
    this.isEmpty = false
    return text
  }

  stringPiece(piece: string): string {
    const text = this.half + piece
    const end = isHighSurrogate(text.charCodeAt(text.length - 1)) ? text.length - 1 : text.length
    this.half = text.slice(end)
    const whole = text.slice(0, end)
    return mayNeedEscape.test(whole) ? JSON.stringify(whole).slice(1, -1) : whole
  }

  /** The rest of a string: what `stringPiece` kept back, and the closing quote. */
  endString(): string {
    const text = `${JSON.stringify(this.half).slice(1, -1)}"`
    this.half = ''
    return text
  }

  end(): string {
    return this.isEmpty ? '{}' : '}'
  }
}
