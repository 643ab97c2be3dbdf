import { isLineStart } from '../../text/space.ts'
import type { TextWindow } from '../../text/text-window.ts'
import type { MarkedCode } from '../candidate.ts'
import { closesFence, type Fence, readFence } from '../code-fence.ts'

/** Code that goes on for longer than this behind a call was not ended by it. */
const LONGEST_CODE = 2048

/**
 * Finds whether the code around a call is closed behind it. Closed code shows a call. A fence that nothing closes was
 * forgotten, and a backtick that nothing closes is a character like any other: behind those a call is meant.
 */
export class CodeEnd {
  private readonly input: TextWindow
  /** Up to where in the stream it was looked for. Many calls may stand in one fence. */
  private searchedTo = 0
  /** Where in the stream code was found to end. */
  private end = -1

  constructor(input: TextWindow) {
    this.input = input
  }

  /** Judges a call that ends at `from`. */
  judge({ is, fence }: MarkedCode, from: number): 'proven' | 'disproven' | 'open' {
    const { input } = this
    if (is === 'inline') return this.judgeLine(fence, from)
    if (input.base + from <= this.end) return 'disproven'
    const { text } = input
    let at = Math.max(from, this.searchedTo - input.base)
    for (; at < text.length && at - from < LONGEST_CODE; at++) {
      if (text.charCodeAt(at) !== fence.code || !isLineStart(text, from, at, false)) continue
      const run = readFence(text, at, input.final)
      if (run === 'more') break
      if (closesFence(fence, run, text, at)) {
        this.end = input.base + at
        return 'disproven'
      }
      at += run.length
    }
    this.searchedTo = input.base + at
    if (at - from >= LONGEST_CODE) return 'disproven'
    return input.final ? 'proven' : 'open'
  }

  /** Inline code ends with as many backticks as it begins with, in the same line. */
  private judgeLine({ length }: Fence, from: number): 'proven' | 'disproven' | 'open' {
    const { text, final } = this.input
    for (let at = from; at < text.length && at - from < LONGEST_CODE; at++) {
      const character = text.charAt(at)
      if (character === '\n') return 'proven'
      if (character !== '`') continue
      const run = readFence(text, at, final)
      if (run === 'more') return 'open'
      if (run.length === length) return 'disproven'
      at += run.length
    }
    return final || text.length - from >= LONGEST_CODE ? 'proven' : 'open'
  }
}
