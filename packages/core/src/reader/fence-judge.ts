import type { Input } from '../text/input.ts'
import { BACKTICK, closesFence, type Fence, isInlineFence, readFence } from './code-fence.ts'
import type { Found } from './scanner.ts'
import type { TextFlow } from './text-flow.ts'

/** Tells fences around code from backticks in a line, and knows whether one is open. */
export class FenceJudge {
  private readonly input: Input
  private readonly flow: TextFlow
  /** Whether the fence that begins here holds nothing but a call. */
  private readonly findFenced: (fence: Fence, from: number) => Found | 'text' | 'hold'
  private fence: Fence | undefined

  constructor(
    { input, flow }: { readonly input: Input; readonly flow: TextFlow },
    findFenced: (fence: Fence, from: number) => Found | 'text' | 'hold',
  ) {
    this.input = input
    this.flow = flow
    this.findFenced = findFenced
  }

  get isInside(): boolean {
    return this.fence !== undefined
  }

  leave(): void {
    this.fence = undefined
  }

  judge(at: number): Found | 'text' | 'hold' {
    const { input } = this
    if (!this.flow.isLineStart(at)) return this.passRun(at)
    const run = readFence(input.text, at, input.final)
    if (run === 'more') return 'hold'
    if (run.length < 3) return this.passRun(at)
    if (this.fence !== undefined) {
      if (closesFence(this.fence, run, input.text, at)) this.fence = undefined
      return 'text'
    }
    const isInline = isInlineFence(input.text, at, run, input.final)
    if (isInline === 'more') return 'hold'
    if (isInline) return this.passRun(at)
    const found = this.findFenced(run, at)
    if (found === 'text') this.fence = run
    return found
  }

  private passRun(at: number): 'text' {
    const run = readFence(this.input.text, at, true)
    const isCode = this.fence === undefined && run !== 'more' && run.code === BACKTICK
    if (isCode) this.flow.passBackticks(at, run.length)
    return 'text'
  }
}
