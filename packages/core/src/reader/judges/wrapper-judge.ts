import type { Input } from '../../text/input.ts'
import { skipSpace } from '../../text/space.ts'
import type { Entry } from '../lexicon/lexicon.ts'
import type { ModelStream } from '../model-stream.ts'
import type { TextFlow } from '../text-flow.ts'

/** Takes off the plain tags that some models put around a whole answer. */
export class WrapperJudge {
  private readonly input: Input
  private readonly flow: TextFlow
  private isWrapped = false

  constructor({ input, flow }: Pick<ModelStream, 'input' | 'flow'>) {
    this.input = input
    this.flow = flow
  }

  /** The answer may speak of such a tag: only at its beginning, at its end, or before other markup is it one. */
  judge(
    entry: Extract<Entry, { is: 'wrapper' }>,
    at: number,
    length: number,
    { isFirst, hasCalls }: { readonly isFirst: boolean; readonly hasCalls: boolean },
  ): 'text' | 'hold' | 'passed' {
    const { input, flow } = this
    if (entry.opens && isFirst) {
      flow.passMarker(at, length, hasCalls)
      this.isWrapped = true
      return 'passed'
    }
    if (!entry.closes || !this.isWrapped) return 'text'
    const next = skipSpace(input.text, at + length)
    if (next === input.text.length && !input.final) return 'hold'
    if (next < input.text.length && input.text.charAt(next) !== '<') return 'text'
    flow.passMarker(at, length, hasCalls)
    return 'passed'
  }
}
