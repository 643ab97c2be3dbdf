import type { Sink } from '../../events.ts'
import type { FormatId } from '../../formats/format-id.ts'
import { problemCodes } from '../../problems.ts'
import type { TextWindow } from '../../text/text-window.ts'
import { markerOf } from '../../text/marker.ts'
import { madeOnce } from '../../text/made-once.ts'
import { searchFor } from '../../text/marker-search.ts'
import type { Probe } from '../../engines/engine.ts'
import type { Entry } from '../lexicon/entry.ts'
import type { ModelStream, TextFlow } from '../text-flow.ts'

/** What opened reasoning: whose marker it is, and what closes it. */
export type ReasoningOpener = Pick<Extract<Entry, { is: 'reasoning-begin' }>, 'owners' | 'ends'>

/** What is held to see whether a tag inside a line opens reasoning; longer than this, it does. */
const LONGEST_SPAN = 4096

const searchOf = madeOnce((ends: ReadonlySet<string>) => searchFor(...Array.from(ends, markerOf)))

/** Opens and closes reasoning at its markers. */
export class ReasoningJudge {
  /** There was reasoning before: a marker of it is no surprise. */
  private hasReasoned: boolean
  /** The marker that opened the reasoning. If it is not known, the closing marker of any format closes the reasoning. */
  private opener: ReasoningOpener | undefined
  /** A marker opened the reasoning at hand, so that another may close it. What comes in a field of its own is not closed. */
  mayBeClosed: boolean
  /** How many opening tags were words in a text: as many closing tags are words too. */
  private spokenOf = 0
  /** Up to where in the stream a closing tag was looked for. */
  private searchedTo = 0
  /** The last thing that was said is reasoning, and it was closed. */
  endsAtMarker = false
  private readonly input: TextWindow
  private readonly sink: Sink
  private readonly flow: TextFlow

  constructor(stream: ModelStream, hasReasoned: boolean, opener: ReasoningOpener | undefined) {
    this.input = stream.input
    this.sink = stream.sink
    this.flow = stream.flow
    this.hasReasoned = hasReasoned
    this.mayBeClosed = hasReasoned
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
    const isToken = [...this.opener.ends].some((end) => /^<\||\|>$/.test(end))
    return !isToken || this.isForeign(formats)
  }

  /** Reasoning begins, or goes on, without a marker; what would have opened it may be known. */
  begin(opener: ReasoningOpener | undefined): void {
    this.hasReasoned = true
    this.mayBeClosed = false
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
      const mayOpen = isToken || this.hasReasoned || isFirst || flow.before.isLineStart(at)
      const isQuoted = flow.isQuoted(at, length)
      if (isQuoted === 'more') return 'hold'
      if (isQuoted) return 'text'
      const closes = mayOpen ? 'yes' : this.closesLater(opener, at + length)
      if (closes === 'more') return 'hold'
      if (closes === 'no') {
        this.spokenOf++
        return 'text'
      }
    }
    const isTouching = this.isTouching(at)
    flow.passMarker(at, length, false)
    flow.begin('reasoning', false)
    if (isTouching) this.sink.reasoning('\n')
    this.hasReasoned = true
    this.mayBeClosed = true
    this.opener = opener
    return 'passed'
  }

  /** Two spans without text between them would run into one another, were there no line break. */
  isTouching(at: number): boolean {
    return this.endsAtMarker && this.flow.mode === 'content' && this.flow.before.isFirst(at)
  }

  /**
   * Inside a line, a tag opens reasoning only if a word or a line break stands right behind it and its closing tag follows
   * later: a sentence that speaks of the tags has a blank or a comma there.
   */
  private closesLater({ ends }: ReasoningOpener, behind: number): Probe {
    const { input } = this
    if (behind === input.text.length) return input.final ? 'no' : 'more'
    if (!/[\p{L}\p{N}\r\n]/u.test(input.text.charAt(behind))) return 'no'
    const search = searchOf(ends)
    const from = Math.max(behind, this.searchedTo - input.base)
    const length = search.find(input.text, from, input.final)
    this.searchedTo = input.base + search.index
    if (search.index - behind > LONGEST_SPAN) return 'yes'
    if (length > 0) return 'yes'
    return input.final ? 'no' : 'more'
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
    if (!wasReasoning && this.spokenOf > 0) {
      this.spokenOf--
      return 'text'
    }
    const marker = this.input.text.slice(at, at + length)
    const isResidue = !wasReasoning && (this.hasReasoned || hasCalls)
    flow.passMarker(at, length, hasCalls, isResidue ? 'residue' : undefined)
    this.endsAtMarker = wasReasoning && !flow.before.isUntouched
    flow.begin('content', hasCalls, !isResidue)
    if (wasReasoning) return 'passed'
    if (!isResidue) sink.problem('unopened-reasoning', problemCodes['unopened-reasoning'], marker)
    this.hasReasoned = true
    return 'passed'
  }
}
