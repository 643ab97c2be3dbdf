import { printable } from '../../base/printable.ts'

const MOST_SHOWN = 400

/** The arguments of a call as they are written, up to where they would fill the screen. */
export class ShownCall {
  private length = 0

  push(json: string): string {
    const room = MOST_SHOWN - this.length
    this.length += json.length
    if (room <= 0) return ''
    const shown = printable(json.slice(0, room)).replaceAll('\n', ' ')
    return json.length > room ? `${shown}…` : shown
  }

  end(): string {
    return this.length > MOST_SHOWN ? ` (${this.length} characters)` : ''
  }
}
