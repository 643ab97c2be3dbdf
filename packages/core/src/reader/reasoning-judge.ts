import type { Sink } from '../events.ts'
import { problemCodes, repairCodes } from '../problems.ts'
import type { Input } from '../text/input.ts'
import type { Entry } from './lexicon.ts'
import type { TextFlow } from './text-flow.ts'

/** Opens and closes reasoning at its markers. */
export class ReasoningJudge {
  /** There was reasoning before: a marker of it is no surprise. */
  private hasReasoned: boolean
  /** What closes the reasoning that a marker opened; anybody's end does where none did. */
  private ends: ReadonlySet<string> | undefined
  private readonly input: Input
  private readonly sink: Sink
  private readonly flow: TextFlow

  constructor(
    stream: { readonly input: Input; readonly sink: Sink; readonly flow: TextFlow },
    hasReasoned: boolean,
  ) {
    this.input = stream.input
    this.sink = stream.sink
    this.flow = stream.flow
    this.hasReasoned = hasReasoned
  }

  /** Reasoning begins, or goes on, without a marker. */
  begin(): void {
    this.hasReasoned = true
    this.ends = undefined
  }

  open(
    { ends }: Extract<Entry, { is: 'reasoning-begin' }>,
    at: number,
    length: number,
    isFirst: boolean,
  ): 'text' | 'hold' | 'passed' {
    const { flow } = this
    if (flow.mode === 'reasoning') {
      // The prompt had opened it already, and the model did so again.
      if (!isFirst) return 'text'
    } else {
      // In the middle of a line, in an answer that never thought before, it is a word like any other; a token is none.
      const isToken = this.input.text.startsWith('<|', at)
      const mayOpen = isToken || this.hasReasoned || isFirst || flow.isLineStart(at)
      const isQuoted = flow.isQuoted(at, length)
      if (isQuoted === 'more') return 'hold'
      if (isQuoted || !mayOpen) return 'text'
    }
    flow.passMarker(at, length, false)
    flow.begin('reasoning', false)
    this.hasReasoned = true
    this.ends = ends
    return 'passed'
  }

  close(
    { key }: Extract<Entry, { is: 'reasoning-end' }>,
    at: number,
    length: number,
    hasCalls: boolean,
  ): 'text' | 'hold' | 'passed' {
    const { flow, sink } = this
    const wasReasoning = flow.mode === 'reasoning'
    if (wasReasoning && this.ends?.has(key) === false) return 'text'
    const isQuoted = !wasReasoning && flow.isQuoted(at, length)
    if (isQuoted === 'more') return 'hold'
    if (isQuoted) return 'text'
    const marker = this.input.text.slice(at, at + length)
    flow.passMarker(at, length, hasCalls)
    flow.begin('content', hasCalls)
    if (wasReasoning) return 'passed'
    if (this.hasReasoned || hasCalls) sink.repair('residue', repairCodes.residue)
    else sink.problem('unopened-reasoning', problemCodes['unopened-reasoning'], marker)
    this.hasReasoned = true
    return 'passed'
  }
}
