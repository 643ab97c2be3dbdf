import { printable } from '../../base/printable.ts'

const MOST_SHOWN = 400

/** Shows the arguments of a call as they are written, as long as they do not fill the screen. */
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

const MOST_LINES = 6
const LONGEST_LINE = 160

/** The first lines of a tool's result, for the screen. */
export function shownResult(result: string): string[] {
  const lines = printable(result.slice(0, 20_000).replaceAll(/\r\n?/g, '\n')).trimEnd().split('\n')
  const shown = lines
    .slice(0, MOST_LINES)
    .map((line) => (line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line))
  const total = result.trimEnd().split('\n').length
  return total > MOST_LINES ? [...shown, `… ${total - MOST_LINES} more lines`] : shown
}
