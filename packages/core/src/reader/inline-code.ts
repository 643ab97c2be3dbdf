import { hasLineBreak } from '../text/space.ts'
import type { TextWindow } from '../text/text-window.ts'

/** Code between backticks inside a line. It does not go on in the next line. */
export class InlineCode {
  /** Length of the backtick run that opened it, or 0. */
  length = 0
  private readonly input: TextWindow
  /** The last run of backticks: what `length` was before it, its own length, and where in the stream it ends. */
  private beforeRun = 0
  private runLength = 0
  private runEnd = -1
  /** Up to where in the stream the line goes on: looking from its start again each time would be quadratic. */
  private seenTo = 0

  constructor(input: TextWindow) {
    this.input = input
  }

  /** A run of backticks inside a line opens inline code, or closes it. */
  pass(at: number, length: number): void {
    const start = this.input.base + at
    const isOpen = this.isOpenAt(at)
    // The run may have begun in the chunk before: then it is judged anew, as a whole.
    const goesOn = start === this.runEnd
    if (!goesOn) this.beforeRun = isOpen ? this.length : 0
    this.runLength = goesOn ? this.runLength + length : length
    this.runEnd = start + length
    const { beforeRun, runLength } = this
    this.length = beforeRun === 0 ? runLength : beforeRun === runLength ? 0 : beforeRun
    this.seenTo = this.runEnd
  }

  isOpenAt(at: number): boolean {
    if (this.length === 0) return false
    const { input } = this
    const from = Math.max(input.at, this.seenTo - input.base)
    if (hasLineBreak(input.text, from, at)) this.length = 0
    this.seenTo = Math.max(this.seenTo, input.base + at)
    return this.length > 0
  }

  /** Length of the backtick run that opened the code at `at`, or 0. */
  lengthAt(at: number): number {
    return this.isOpenAt(at) ? this.length : 0
  }
}
