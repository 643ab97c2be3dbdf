import { isHighSurrogate } from './utf8.ts'

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
    return JSON.stringify(text.slice(0, end)).slice(1, -1)
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
