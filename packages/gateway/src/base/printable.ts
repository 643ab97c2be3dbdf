/**
 * What a model or a tool wrote, for a terminal. Raw control characters could move the cursor, change the title or
 * answer for the user; characters that reorder what is shown could make a command look harmless.
 */
export function printable(text: string): string {
  return text.replaceAll('\r', '').replaceAll(dangerous, spelled)
}

/** Makes every character visible, for texts on which the user decides. */
export function visible(text: string): string {
  return text.replaceAll(/\r(?!\n)|[^\P{C}\n\r\t\u{d800}-\u{dfff}]/gu, spelled).replaceAll('\r', '')
}

/** Cuts a text to one line of at most `most` characters. */
export function shortened(text: string, most: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  const characters = Array.from(line.slice(0, most * 2 + 2))
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : line
}

// C0 without tab and line feed, DEL, C1, and the embeddings, overrides and isolates of bidirectional text.
const dangerous = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu

function spelled(character: string): string {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x20) return String.fromCodePoint(0x2400 + code)
  return code === 0x7f ? '␡' : `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`
}

/** Makes streamed text printable. Half of a surrogate pair at the end of a piece waits for its other half. */
export class PrintableStream {
  private held = ''

  push(text: string): string {
    const whole = this.held + text
    const cut = /[\ud800-\udbff]$/.test(whole) ? whole.length - 1 : whole.length
    this.held = whole.slice(cut)
    return printable(whole.slice(0, cut))
  }

  end(): string {
    const rest = this.held
    this.held = ''
    return printable(rest)
  }
}
