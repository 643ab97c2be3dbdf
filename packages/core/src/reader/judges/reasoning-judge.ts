import type { Sink } from '../../events.ts'
import type { FormatId } from '../../formats/format-id.ts'
import { problemCodes, repairCodes } from '../../problems.ts'
import type { TextWindow } from '../../text/text-window.ts'
import type { Entry } from '../lexicon/entry.ts'
import type { ModelStream, TextFlow } from '../text-flow.ts'

/** What opened reasoning: whose marker it is, and what closes it. */
export type ReasoningOpener = Pick<Extract<Entry, { is: 'reasoning-begin' }>, 'owners' | 'ends'>

/** Opens and closes reasoning at its markers. */
export class ReasoningJudge {
  /** There was reasoning before: a marker of it is no surprise. */
  private hasReasoned: boolean
  /** The marker that opened the reasoning. If it is not known, the closing marker of any format closes the reasoning. */
  private opener: ReasoningOpener | undefined
  private readonly input: TextWindow
  private readonly sink: Sink
  private readonly flow: TextFlow

  constructor(stream: ModelStream, hasReasoned: boolean, opener: ReasoningOpener | undefined) {
    this.input = stream.input
    this.sink = stream.sink
    this.flow = stream.flow
    this.hasReasoned = hasReasoned
    this.opener = opener
  }

  /** Whether a marker of other formats opened the reasoning at hand: then the markers of these formats are text in it. */
  isForeign(formats: Iterable<FormatId>): boolean {
    const { owners } = this.opener ?? {}
    if (owners === undefined || this.flow.mode !== 'reasoning') return false
    return [...formats].every((format) => !owners.has(format))
  }

  /** Whether markers between messages mean nothing in the reasoning at hand, because plain tags opened it. */
  isBesideMessages(formats: Iterable<FormatId>): boolean {
    if (this.opener === undefined || this.flow.mode !== 'reasoning') return false
    const isToken = [...this.opener.ends].some((end) => end.startsWith('<|'))
    return !isToken || this.isForeign(formats)
  }

  /** Reasoning begins, or goes on, without a marker; what would have opened it may be known. */
  begin(opener: ReasoningOpener | undefined): void {
    this.hasReasoned = true
    this.opener = opener
  }

  open(opener: ReasoningOpener, at: number, length: number, isFirst: boolean): 'text' | 'hold' | 'passed' {
    const { flow } = this
    if (flow.mode === 'reasoning') {
      // The prompt had opened it already, and the model did so again.
      if (!isFirst || !this.isOpenedLike(opener)) return 'text'
    } else {
      // In an answer without reasoning so far, a plain tag inside a line is a word like any other. A token is not.
      const isToken = this.input.text.startsWith('<|', at)
      const mayOpen = isToken || this.hasReasoned || isFirst || flow.isLineStart(at)
      const isQuoted = flow.isQuoted(at, length)
      if (isQuoted === 'more') return 'hold'
      if (isQuoted || !mayOpen) return 'text'
    }
    flow.passMarker(at, length, false)
    flow.begin('reasoning', false)
    this.hasReasoned = true
    this.opener = opener
    return 'passed'
  }

  private isOpenedLike({ ends }: ReasoningOpener): boolean {
    const known = this.opener?.ends
    return known === undefined || [...ends].some((end) => known.has(end))
  }

  close(
    { key }: Extract<Entry, { is: 'reasoning-end' }>,
    at: number,
    length: number,
    hasCalls: boolean,
  ): 'text' | 'hold' | 'passed' {
    const { flow, sink } = this
    const wasReasoning = flow.mode === 'reasoning'
    if (wasReasoning && this.opener?.ends.has(key) === false) return 'text'
    const isQuoted = !wasReasoning && flow.isQuoted(at, length)
    if (isQuoted === 'more') return 'hold'
    if (isQuoted) return 'text'
    const marker = this.input.text.slice(at, at + length)
    flow.passMarker(at, length, hasCalls)
    flow.begin('content', hasCalls)
    if (wasReasoning) return 'passed'
    if (this.hasReasoned || hasCalls) {
      this.input.observer?.removed('residue', this.input.position - length, this.input.position)
      sink.repair('residue', repairCodes.residue)
    } else sink.problem('unopened-reasoning', problemCodes['unopened-reasoning'], marker)
    this.hasReasoned = true
    return 'passed'
  }
}
