import type { TextRoute } from '../../engines/messages/grammar.ts'
import type { ToolSet } from '../../engines/tool-set.ts'
import type { Sink } from '../../events.ts'
import { problemCodes } from '../../problems.ts'
import type { TextWindow } from '../../text/text-window.ts'
import type { Verdict } from '../candidate.ts'
import type { Entry } from '../lexicon/entry.ts'
import { findLead, type Heading, type Lead, LONGEST_HEADING, type PromptHeader } from '../lexicon/heading.ts'
import type { ModelStream, TextFlow } from '../text-flow.ts'
import type { Commitment } from './commitment.ts'
import { StrippedJudge } from './stripped-judge.ts'

/** What became of a header: as for any marker, or text of another kind begins behind it. */
export type HeaderVerdict = Verdict | TextRoute

export interface HeaderPlace {
  readonly isFirst: boolean
  readonly isBehindCalls: boolean
  readonly isInCode: boolean
  readonly hasCalls: boolean
}

/** Reads the headers of messages, and turns the flow of text to where they lead. */
export class HeaderJudge {
  private readonly input: TextWindow
  private readonly sink: Sink
  private readonly flow: TextFlow
  private readonly tools: ToolSet
  private readonly commitment: Commitment
  private readonly readsCalls: boolean
  readonly stripped: StrippedJudge

  constructor(stream: ModelStream, tools: ToolSet, commitment: Commitment, readsCalls: boolean) {
    this.input = stream.input
    this.sink = stream.sink
    this.flow = stream.flow
    this.tools = tools
    this.commitment = commitment
    this.readsCalls = readsCalls
    this.stripped = new StrippedJudge(stream, tools, commitment, this)
  }

  judge(
    entry: Extract<Entry, { is: 'header' }>,
    at: number,
    length: number,
    place: HeaderPlace,
  ): HeaderVerdict {
    const { format } = this.commitment
    const headings = entry.headings.filter((heading) => format === undefined || heading.format === format)
    if (headings.length === 0 || (entry.as === 'first' && !place.isFirst)) return 'text'
    const isQuoted = this.isQuoted(at, length, place.isInCode)
    if (isQuoted !== false) return isQuoted === 'more' ? 'hold' : 'text'
    const lead = this.read(headings, '', at)
    if (lead === 'more') return 'hold'
    if (lead !== 'no' && lead.header.isStripped) return this.stripped.callOf(lead, at, at)
    if (lead !== 'no') return this.follow(lead, at, 0, place.hasCalls)
    if (entry.as === 'first') return 'text'
    return this.giveUp(headings, '', at, length)
  }

  /** In code, and between quotes, a marker of messages counts only if there were some before. */
  isQuoted(at: number, length: number, isInCode: boolean): boolean | 'more' {
    if (this.commitment.format !== undefined) return false
    return isInCode || this.flow.isQuoted(at, length)
  }

  /** The prompt ends inside of a header: the output goes on with it, unless it begins with text at once. */
  judgePrompt({ text, headings }: PromptHeader): HeaderVerdict {
    const { input, flow } = this
    const lead = this.read(headings, text, input.at)
    if (lead === 'more' || input.isEmpty) return 'hold'
    if (lead !== 'no') return this.follow(lead, input.at, text.length, false)
    flow.begin(flow.mode, false)
    return this.giveUp(headings, text, input.at, 0)
  }

  /** `shift`: how much of the header stands in the prompt. */
  private follow(lead: Lead, at: number, shift: number, hasCalls: boolean): HeaderVerdict {
    const { flow, input, sink } = this
    const { heading, header, call } = lead
    const { recipient, extras } = header
    const isNamed = header.isOpen && extras.length === 1 && this.tools.has(extras[0] ?? '')
    this.commitment.address(isNamed ? extras[0] : undefined)
    if (lead.isSure) this.commitment.toHeading(heading)
    const isUnaddressed = recipient.is === 'nobody' || lead.mayHoldCall === true
    this.commitment.unaddressed = isUnaddressed ? heading.channels.calls : []
    flow.passOn(at)
    if (call !== undefined && this.readsCalls) {
      this.reportExtras(call.otherName === undefined ? extras : [...extras, call.otherName])
      if (recipient.is === 'tool') this.tellName(recipient.name, at, at + call.at - shift)
      return { opening: call.opening, at, length: call.at - shift, as: 'certain', from: at }
    }
    const end = Math.max(at, at + header.end - shift)
    if (recipient.is === 'tool' && !this.readsCalls) {
      if (flow.mode === 'reasoning') flow.begin('content', hasCalls)
      flow.passOn(end)
      return 'content'
    }
    const source = input.text.slice(at, end)
    flow.passMarker(at, end - at, hasCalls)
    const mode = header.route ?? flow.mode
    flow.begin(mode, hasCalls && mode === 'content')
    this.reportExtras(extras)
    if (recipient.is === 'tool') {
      sink.problem('no-call', 'A message to a tool holds no arguments; it comes out as text.', source)
    } else if (recipient.is === 'builtin') {
      const { name } = recipient
      sink.problem('unknown-tool', `The model wrote to "${name}", which was not offered.`, name)
    }
    return header.route ?? 'passed'
  }

  /** The recipient of a message is the name of its call. */
  private tellName(name: string | null, from: number, to: number): void {
    const { observer, text, base } = this.input
    const at = name === null ? -1 : text.lastIndexOf(name, to - name.length)
    if (observer === undefined || name === null || at < from) return
    observer.headed(base + at, base + at + name.length)
  }

  /** It is no header, or the output ends in the middle of one: then it is text. */
  private giveUp(headings: readonly Heading[], before: string, at: number, length: number): HeaderVerdict {
    const { input, flow, sink } = this
    const { window, isCut } = this.windowAt(before, at)
    const endsInside = !isCut && findLead(headings, this.tools, window, false) === 'more'
    const end = endsInside ? input.text.length : at + length
    const source = input.text.slice(at, end)
    flow.passOn(end)
    const code = endsInside ? 'truncated-call' : 'no-call'
    if (source !== '') sink.problem(code, problemCodes[code], source)
    return 'passed'
  }

  /** The header at `at`. `before`: how it begins, in the prompt. */
  read(headings: readonly Heading[], before: string, at: number): Lead | 'more' | 'no' {
    const { window, isFinal } = this.windowAt(before, at)
    return findLead(headings, this.tools, window, isFinal)
  }

  /** The look-ahead ends at a fixed place: in a longer chunk one must not see farther than in a short one. */
  private windowAt(before: string, at: number): { window: string; isFinal: boolean; isCut: boolean } {
    const { input } = this
    const isCut = input.text.length - at >= LONGEST_HEADING
    const window = before + input.text.slice(at, at + LONGEST_HEADING)
    return { window, isFinal: isCut || input.final, isCut }
  }

  /** Words in a header that mean nothing are not dropped in silence. */
  private reportExtras(extras: readonly string[]): void {
    for (const extra of extras) this.sink.problem('extra-field', problemCodes['extra-field'], extra)
  }
}
