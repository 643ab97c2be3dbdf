import type { Probe } from '../../engines/engine.ts'
import type { ToolSet } from '../../engines/tool-set.ts'
import type { Sink } from '../../events.ts'
import type { FormatId } from '../../formats/format-id.ts'
import { problemCodes } from '../../problems.ts'
import { NONE, PARTIAL } from '../../text/marker.ts'
import { skipSpace } from '../../text/space.ts'
import type { TextWindow } from '../../text/text-window.ts'
import type { Found, Verdict } from '../candidate.ts'
import { type Fence, insideFence } from '../code-fence.ts'
import type { Vocabulary } from '../lexicon/entry.ts'
import {
  LONGEST_OPENER,
  type Opening,
  opensLines,
  opensOnlyFirst,
  probe,
  probeTrailing,
} from '../lexicon/opening.ts'
import type { ModelStream, TextFlow } from '../text-flow.ts'
import type { Commitment } from './commitment.ts'
import type { FenceJudge } from './fence-judge.ts'
import type { ReasoningJudge } from './reasoning-judge.ts'

/** What became of an opener: as of any marker, or it is left over, as closers are. */
type OpenerVerdict = Verdict | 'left-over'

interface Surroundings {
  readonly tools: ToolSet
  readonly commitment: Commitment
  readonly reasoning: ReasoningJudge
  readonly fences: FenceJudge
  /** What an answer may begin with. */
  readonly answer: Vocabulary
  /** The format that the user named, or that the name of the model suggests. */
  readonly expectedFormat: FormatId | undefined
}

/** Decides whether an opener opens a call, by where it stands and what follows it. */
export class OpenerJudge {
  /** Plain-text openers before this position of the stream were tried already. */
  triedUpTo = 0
  private readonly input: TextWindow
  private readonly sink: Sink
  private readonly flow: TextFlow
  private readonly tools: ToolSet
  private readonly commitment: Commitment
  private readonly reasoning: ReasoningJudge
  private readonly fences: FenceJudge
  private readonly answer: Vocabulary
  private readonly expectedFormat: FormatId | undefined

  constructor(stream: ModelStream, surroundings: Surroundings) {
    this.input = stream.input
    this.sink = stream.sink
    this.flow = stream.flow
    this.tools = surroundings.tools
    this.commitment = surroundings.commitment
    this.reasoning = surroundings.reasoning
    this.fences = surroundings.fences
    this.answer = surroundings.answer
    this.expectedFormat = surroundings.expectedFormat
  }

  judge(openings: readonly Opening[], at: number, length: number, hasCalls: boolean): OpenerVerdict {
    return this.flow.mode === 'reasoning'
      ? this.judgeInReasoning(openings, at, length)
      : this.judgeInContent(openings, at, length, hasCalls)
  }

  /** It was read as a call before, and turned out to be text. */
  wasTried(at: number): boolean {
    return this.input.base + at < this.triedUpTo
  }

  /** Which of the openings it is, by what follows the marker. */
  findOpening(openings: readonly Opening[], at: number, length: number): Opening | 'hold' | undefined {
    const { input } = this
    for (const opening of openings) {
      if (!this.commitment.allows(opening)) continue
      const answer = probe(opening, this.tools, input.text, at, length, input.final)
      if (answer === 'more') return 'hold'
      if (answer === 'yes') return opening
      // The beginning of a call that was cut off: whatever else could be read into it, it is not whole.
      const isNative = opening.opens === 'bare' && !opening.isSalvage
      if (isNative && input.final && probe(opening, this.tools, input.text, at, length, false) === 'more')
        break
    }
    return undefined
  }

  /** A code fence that may hold nothing but a call. */
  findFenced(fence: Fence, from: number): Found | 'text' | 'hold' {
    const { input } = this
    if (this.wasTried(from)) return 'text'
    const at = insideFence(input.text, from + fence.length, input.final)
    if (at === 'more') return 'hold'
    if (at === undefined) return 'text'
    const { answer } = this
    const length = answer.match(input.text, at, input.final)
    if (length === PARTIAL) return 'hold'
    if (length === NONE) return 'text'
    const entry = answer.found
    if (entry.is !== 'opener') return 'text'
    const opening = this.findOpening(entry.openings, at, length)
    if (opening === 'hold') return 'hold'
    if (opening === undefined) return 'text'
    if (opening.grammar.isSpecial && opening.opens !== 'bare') {
      return { opening, at, length, as: 'in-code', from, fence, code: { is: 'empty-fence', fence } }
    }
    if (this.tools.size === 0 || opening.grammar.isSpecial) return 'text'
    return { opening, at, length: opening.opens === 'bare' ? 0 : length, as: 'fenced', from, fence }
  }

  private judgeInContent(
    openings: readonly Opening[],
    from: number,
    width: number,
    hasCalls: boolean,
  ): OpenerVerdict {
    const { flow } = this
    const lead = openings[0]?.lead ?? 0
    const at = from + lead
    const length = width - lead
    // A name alone opens a call only where nothing stands before it, and so does an arrow.
    const needsStart = openings[0]?.lead === 0 || openings.every(opensOnlyFirst)
    if (needsStart && !flow.before.isFirst(at) && !(hasCalls && flow.isBehindMarker(at))) return 'text'
    // Asked first: a bracket in the middle of an answer must not be held to see what follows it.
    if (openings[0]?.opens === 'bare' && !flow.before.isFirst(at)) return this.judgeLine(openings, at, length)
    const opening = this.findOpening(openings, at, length)
    if (opening === 'hold') return 'hold'
    // Tokens that others gave another syntax are proposed once: read again, they would be proposed for ever.
    if (opening === undefined || (opening.isSalvage && this.wasTried(at)))
      return this.passOpener(openings, at, length)
    if (!opening.grammar.isSpecial && this.isExample(at)) return 'text'
    // Code that reads or writes calls names each of their tokens in quotes: what stands between two of them is no header.
    const isQuoted = opening.opens === 'bare' ? false : flow.before.isBetweenQuotes(at, length)
    if (isQuoted !== false) return isQuoted === 'more' ? 'hold' : 'text'
    if (opening.opens === 'bare') {
      return { opening, at, length: 0, as: opening.isSalvage ? 'bare' : 'opens-answer', from: at }
    }
    if ('isLine' in opening.grammar && !flow.before.isLineStart(at)) return 'text'
    const code = opening.grammar.isSpecial ? this.fences.codeAt(at) : this.fences.plainCodeAt(at)
    if (code !== undefined) {
      return this.wasTried(at) ? 'text' : { opening, at, length, as: 'in-code', from: at, code }
    }
    if (!opening.isSalvage) return { opening, at, length, as: 'certain', from: at }
    const mayBegin = lead > 0 || opening.grammar.isSpecial || flow.before.standsAlone(at, '.:!?')
    return mayBegin ? { opening, at, length, as: 'salvage', from: at } : 'text'
  }

  /** Whether plain text is shown there, and not meant. */
  private isExample(at: number): boolean {
    const { flow } = this
    return flow.line.isInCode(at) || flow.before.isQuotedCode(at) || flow.line.isQuoted(at)
  }

  /** A bracket behind text opens calls only at the start of a line, and only where they are expected. */
  private judgeLine(openings: readonly Opening[], at: number, length: number): Verdict {
    const expected = openings.filter(opensLines)
    if (expected.length === 0 || !this.flow.before.isLineStart(at)) return this.judgeTrailing(openings, at)
    const opening = this.findOpening(expected, at, length)
    if (opening === 'hold') return 'hold'
    if (opening === undefined || this.wasTried(at)) return 'text'
    return { opening, at, length: 0, as: 'opens-line', from: at }
  }

  /** Anywhere else behind text it may open a call that ends the answer: what follows it has to show that. */
  private judgeTrailing(openings: readonly Opening[], at: number): Verdict {
    const { input, flow, tools } = this
    if (tools.size === 0 || this.wasTried(at) || !flow.before.standsAlone(at, '}') || flow.line.isInCode(at))
      return 'text'
    // One of several calls, or one inside of other data, was not meant by itself.
    if (flow.before.isInsideValue(at)) return 'text'
    for (const opening of openings) {
      if (!this.commitment.allows(opening)) continue
      const answer = probeTrailing(opening, tools, input.text, at, input.final)
      if (answer === 'more') return 'hold'
      if (answer === 'yes') return { opening, at, length: 0, as: 'trailing', from: at }
    }
    return 'text'
  }

  /** An opener with no call behind it is text, and worth a report unless it was a mere guess. */
  private passOpener(openings: readonly Opening[], at: number, length: number): OpenerVerdict {
    const expected = openings.filter((opening) => !opening.isSalvage && this.commitment.allows(opening))
    if (expected.length === 0 || this.flow.line.isInCode(at)) return 'text'
    const { input } = this
    const isMeant = expected.some(isMarked)
    const again = isMeant ? this.findAgain(openings, at, length) : undefined
    if (again !== undefined) return again === 'hold' ? 'hold' : 'left-over'
    const isShown = this.fences.codeAt(at) !== undefined || this.flow.before.isQuotedCode(at)
    const isEmpty = isShown ? 'no' : this.isEmptyPair(expected, at, length)
    if (isEmpty !== 'no') return isEmpty === 'more' ? 'hold' : 'left-over'
    const isCut = expected.some((opening) => this.isCut(opening, at, length))
    if (!isCut && !isMeant) return 'text'
    const end = isCut ? input.text.length : at + length
    const source = input.text.slice(at, end)
    this.flow.passOn(end)
    const code = isCut ? 'truncated-call' : 'no-call'
    this.sink.problem(code, problemCodes[code], source)
    return 'passed'
  }

  /** Whether the text ends before one can tell that a call follows the opener. */
  isCut(opening: Opening, at: number, length: number): boolean {
    const answer = probe(opening, this.tools, this.input.text, at, length, false)
    return answer === 'more' && !this.isProse(opening, at + length)
  }

  /** The call behind an opener that is written twice. */
  private findAgain(openings: readonly Opening[], at: number, length: number): Opening | 'hold' | undefined {
    const { text, final } = this.input
    const marker = text.slice(at, at + length)
    const next = skipSpace(text, at + length)
    const again = text.slice(next, next + length)
    if (next - at > LONGEST_OPENER) return undefined
    if (again !== marker) return marker.startsWith(again) && !final ? 'hold' : undefined
    return this.findOpening(openings, next, length)
  }

  /** Whether its own closer follows the opener, and both are tokens: nothing was called, and both are left over. */
  private isEmptyPair(openings: readonly Opening[], at: number, length: number): Probe {
    const { input, answer } = this
    const next = skipSpace(input.text, at + length)
    if (next - at > LONGEST_OPENER) return 'no'
    const width = next === input.text.length ? PARTIAL : answer.match(input.text, next, input.final)
    if (width === PARTIAL) return input.final ? 'no' : 'more'
    const entry = width === NONE ? undefined : answer.found
    const isOwn = openings.some(({ grammar, format }) => {
      if (entry?.is === 'structure') return entry.isBodyEnd && grammar.isSpecial && entry.owners.has(format)
      return entry?.is === 'residue' && grammar.isSpecial && entry.grammars.includes(grammar)
    })
    return isOwn ? 'yes' : 'no'
  }

  /** Whether words stand right behind the opener of a section, where no call begins so. */
  private isProse({ opens }: Opening, behind: number): boolean {
    return opens === 'section' && /^\s*[\p{L}\p{N}]/u.test(this.input.text.slice(behind, behind + 64))
  }

  /** What is a token to one model is plain text to all others, and they may speak of it. */
  private isForeignInThought({ format }: Opening): boolean {
    const isOther = this.expectedFormat !== undefined && format !== this.expectedFormat
    return isOther || this.reasoning.isForeign([format])
  }

  /**
   * Special tokens are never prose, but in a thought that is closed behind them they are a draft. Plain text may be a draft
   * anywhere. What follows decides.
   */
  private judgeInReasoning(openings: readonly Opening[], at: number, length: number): Verdict {
    const opening = this.findOpening(openings, at, length)
    if (opening === 'hold') return 'hold'
    if (opening === undefined) return 'text'
    const isNative = opening.grammar.isSpecial && !opening.isSalvage
    const isToken = isNative && !this.isForeignInThought(opening)
    if (isToken && !this.reasoning.mayBeClosed) return { opening, at, length, as: 'certain', from: at }
    if (this.wasTried(at)) return 'text'
    if (isToken) return { opening, at, length, as: 'in-thought', from: at }
    return { opening, at, length, as: 'in-reasoning', from: at }
  }
}

/** Whether the marker says that a call was meant. A bracket or an arrow in prose says nothing. */
function isMarked({ opens, isSalvage, grammar }: Opening): boolean {
  const isPlain = 'isPlain' in grammar && grammar.isPlain
  return opens !== 'bare' && !isSalvage && !isPlain
}
