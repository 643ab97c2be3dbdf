import type { TextWindow } from '../../text/text-window.ts'
import type { Code, Found } from '../candidate.ts'
import {
  BACKTICK,
  closesFence,
  type Fence,
  isInlineFence,
  readFence,
  runLength,
  TILDE,
} from '../code-fence.ts'
import type { Entry } from '../lexicon/entry.ts'
import type { ModelStream, TextFlow } from '../text-flow.ts'

/** Tells fences around code from backticks in a line, and knows whether one is open. */
export class FenceJudge {
  private readonly input: TextWindow
  private readonly flow: TextFlow
  /** Whether the fence that begins here holds nothing but a call. */
  private readonly findFenced: (fence: Fence, from: number) => Found | 'text' | 'hold'
  private fence: Fence | undefined
  /** The element of HTML that is open and holds code. */
  private element: string | undefined
  /** Length of the run of fence characters that was judged last. */
  width = 0

  constructor(
    { input, flow }: Pick<ModelStream, 'input' | 'flow'>,
    findFenced: (fence: Fence, from: number) => Found | 'text' | 'hold',
  ) {
    this.input = input
    this.flow = flow
    this.findFenced = findFenced
  }

  get isInside(): boolean {
    return this.fence !== undefined
  }

  get isInElement(): boolean {
    return this.element !== undefined
  }

  /** The code that is open at `at`, for special tokens: a fence, backticks in the line, or an element of HTML. */
  codeAt(at: number): Code | undefined {
    if (this.fence !== undefined) return { is: 'fence', fence: this.fence }
    const length = this.flow.line.codeLengthAt(at)
    if (length > 0) return { is: 'inline', fence: { code: BACKTICK, length } }
    return this.isInElement ? { is: 'element' } : undefined
  }

  /** The code that no marks of Markdown stand around, for plain text: an element of HTML, or a line that is indented. */
  plainCodeAt(at: number): Code | undefined {
    if (this.isInElement) return { is: 'element' }
    return this.flow.before.isIndented(at) ? { is: 'indented' } : undefined
  }

  /** A tag of an element that holds code. What is inside of one is text to the others. */
  passTag({ element, opens }: Extract<Entry, { is: 'code-tag' }>): void {
    if (opens) this.element ??= element
    else if (this.element === element) this.element = undefined
  }

  leave(): void {
    this.fence = undefined
    this.element = undefined
  }

  /**
   * Passes over a single mark inside a line, of which code is full. That is no fence, and every other marker that
   * begins so begins with three of them: there is nothing to look up. The same goes for what follows other marks,
   * which were passed over before it had come.
   */
  passesLone(at: number): boolean {
    const { flow } = this
    const { text } = this.input
    const code = text.charCodeAt(at)
    if ((code !== BACKTICK && code !== TILDE) || flow.mode === 'reasoning') return false
    const isAlone = at + 1 < text.length && text.charCodeAt(at + 1) !== code
    return isAlone || flow.before.isBehind(code, at)
  }

  judge(at: number): Found | 'text' | 'hold' {
    const { input } = this
    if (!this.flow.before.isLineStart(at)) return this.passRun(at)
    const run = readFence(input.text, at, input.final)
    if (run === 'more') return 'hold'
    if (run.length < 3) return this.passRun(at)
    this.width = run.length
    if (this.fence !== undefined) {
      if (closesFence(this.fence, run, input.text, at)) {
        this.fence = undefined
        this.flow.line.goOnAt(at + run.length)
      }
      return 'text'
    }
    const isInline = isInlineFence(input.text, at, run, input.final)
    if (isInline === 'more') return 'hold'
    if (isInline) return this.passRun(at)
    const found = this.findFenced(run, at)
    if (found === 'text') {
      this.fence = run
      this.flow.line.begin('unread')
    }
    return found
  }

  private passRun(at: number): 'text' {
    this.width = runLength(this.input.text, at)
    return 'text'
  }
}
