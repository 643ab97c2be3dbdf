import type { ToolSet } from '../../engines/tool-set.ts'
import type { TextWindow } from '../../text/text-window.ts'
import type { Found } from '../candidate.ts'
import type { StrippedEntry } from '../lexicon/entry.ts'
import type { Lead } from '../lexicon/heading.ts'
import type { ModelStream, TextFlow } from '../text-flow.ts'
import type { Commitment } from './commitment.ts'
import type { HeaderJudge, HeaderPlace, HeaderVerdict } from './header-judge.ts'

/** Reads what a server leaves of headers when it strips their tokens. Words alone are a guess, so much else has to fit. */
export class StrippedJudge {
  /** The answer began with such a word: now those between messages are expected too. */
  isExpected = false
  private readonly input: TextWindow
  private readonly flow: TextFlow
  private readonly tools: ToolSet
  private readonly commitment: Commitment
  private readonly headers: HeaderJudge

  constructor(
    { input, flow }: Pick<ModelStream, 'input' | 'flow'>,
    tools: ToolSet,
    commitment: Commitment,
    headers: HeaderJudge,
  ) {
    this.input = input
    this.flow = flow
    this.tools = tools
    this.commitment = commitment
    this.headers = headers
  }

  judge(entry: StrippedEntry, at: number, length: number, place: HeaderPlace): HeaderVerdict {
    switch (entry.begins) {
      case 'call': {
        const mayStand = entry.isNamed || this.isExpected || entry.startsLine
        const isStart = place.isFirst || place.isBehindCalls
        return mayStand || isStart ? this.findCall(entry, at, length) : 'text'
      }
      case 'first':
        return place.isFirst && !place.hasCalls ? this.judgeFirst(entry, at, length) : 'text'
      case 'next':
        return this.isForeign(entry, at) ? 'text' : this.begin(entry, at, length, place.hasCalls)
    }
  }

  /** The header of a call that can be read, whose tool was offered. */
  findCall(entry: StrippedEntry, at: number, length: number): Found | 'text' | 'hold' {
    if (this.isForeign(entry, at)) return 'text'
    const { heading, isNamed, startsLine } = entry
    const start = startsLine && this.input.text.startsWith('\n', at) ? at + 1 : at
    const mark = at + length - (heading.channels.recipientMark?.length ?? 0)
    const header = this.headers.read([heading], '', mark)
    if (header === 'more') return 'hold'
    if (header === 'no') return 'text'
    return isNamed || this.isWhole(header, mark) ? this.callOf(header, start, mark) : 'text'
  }

  /** The call that a header without tokens leads to. `mark`: where the recipient stands. */
  callOf({ call, header }: Lead, at: number, mark: number): Found | 'text' {
    if (call === undefined || header.recipient.is !== 'tool') return 'text'
    if (!this.tools.has(header.recipient.name ?? '')) return 'text'
    // The words are a guess: if some are left over, the guess was wrong.
    if (header.extras.length > 0 || call.otherName !== undefined) return 'text'
    const opening = { ...call.opening, isSalvage: true }
    return { opening, at, length: mark - at + call.at, as: 'salvage', from: at }
  }

  /** The prefix of tools, and the type of the arguments: less could be anybody's. */
  private isWhole({ call, heading }: Lead, mark: number): boolean {
    const { recipientMark = '', toolPrefix = '', types } = heading.channels
    const header = this.input.text.slice(mark, mark + (call?.at ?? 0)).trimEnd()
    return header.startsWith(recipientMark + toolPrefix) && types.some((type) => header.endsWith(type))
  }

  /** `analysisWe need`: no word goes on with a capital. */
  private judgeFirst(entry: StrippedEntry, at: number, length: number): HeaderVerdict {
    const { input } = this
    const behind = at + length
    if (behind === input.text.length) return input.final ? 'text' : 'hold'
    if (this.isForeign(entry, at) || !/[\p{Lu}\p{Lo}]/u.test(input.text.charAt(behind))) return 'text'
    this.isExpected = true
    return entry.isNamed ? this.begin(entry, at, length, false) : 'text'
  }

  private begin({ route }: StrippedEntry, at: number, length: number, hasCalls: boolean): HeaderVerdict {
    this.flow.passMarker(at, length, hasCalls)
    this.flow.begin(route, hasCalls && route === 'content')
    return route
  }

  /** There are tokens after all, or another format, or it is code. */
  private isForeign({ heading }: StrippedEntry, at: number): boolean {
    const { format, hasHeaders } = this.commitment
    return hasHeaders || (format !== undefined && format !== heading.format) || this.flow.line.isInCode(at)
  }
}
