import type { ToolSet } from '../engines/tool-set.ts'
import type { Sink } from '../events.ts'
import type { FormatId } from '../formats/format-id.ts'
import { problemCodes } from '../problems.ts'
import type { Input } from '../text/input.ts'
import { NONE, PARTIAL } from '../text/marker-search.ts'
import { isBlank, skipSpace } from '../text/space.ts'
import { type Fence, insideFence, readFence } from './code-fence.ts'
import { Commitment } from './commitment.ts'
import { FenceJudge } from './fence-judge.ts'
import { HeaderJudge, type HeaderPlace, type HeaderVerdict } from './header-judge.ts'
import type { PromptHeader } from './heading.ts'
import { Leftovers } from './leftovers.ts'
import type { Entry, Lexicon, Vocabulary } from './lexicon.ts'
import { type Opening, opensLines, opensOnlyFirst, probe, probeFirst } from './opening.ts'
import { ReasoningJudge, type ReasoningOpener } from './reasoning-judge.ts'
import type { TextFlow } from './text-flow.ts'

/** An opener, and how sure it is. */
export interface Found {
  readonly opening: Opening
  readonly at: number
  readonly length: number
  /** Anything but `certain` has to prove itself. */
  readonly as: 'certain' | 'in-reasoning' | 'salvage' | 'bare' | 'fenced'
  /** Where its markup begins: before the opener, if a fence stands around it. */
  readonly from: number
  readonly fence?: Fence
}

interface ScannerOptions {
  readonly tools: ToolSet
  readonly hasReasoned: boolean
  readonly reasoningOpener: ReasoningOpener | undefined
  readonly startsInHeader: boolean
  readonly promptHeader: PromptHeader | undefined
  /** The format that the user or the name of the model told. */
  readonly expectedFormat: FormatId | undefined
}

/** `text`: no marker after all. `hold`: more text is needed. `passed`: dealt with. */
type Verdict = Found | 'text' | 'hold' | 'passed'

/** Looks through text and reasoning for markers. */
export class Scanner {
  /** Once a call or a header was read, only its own format is. */
  readonly commitment = new Commitment()
  readonly leftovers: Leftovers
  hasCalls = false
  /** Plain-text openers before this position of the stream were tried already. */
  triedUpTo = 0
  /** Nothing was read yet, and what comes may be the header of a call. */
  private mayBeHeader: boolean
  private readonly fences: FenceJudge
  /** The answer stands between plain tags. */
  private isWrapped = false
  private readonly input: Input
  private readonly sink: Sink
  private readonly flow: TextFlow
  private readonly lexicon: Lexicon
  private readonly tools: ToolSet
  private readonly reasoning: ReasoningJudge
  private readonly headers: HeaderJudge
  private promptHeader: PromptHeader | undefined
  private readonly expectedFormat: FormatId | undefined

  constructor(input: Input, sink: Sink, flow: TextFlow, lexicon: Lexicon, options: ScannerOptions) {
    this.input = input
    this.sink = sink
    this.flow = flow
    this.lexicon = lexicon
    this.tools = options.tools
    this.mayBeHeader = lexicon.headers.length > 0 && (options.startsInHeader || options.tools.isKnown)
    this.promptHeader = options.promptHeader
    this.expectedFormat = options.expectedFormat
    this.reasoning = new ReasoningJudge({ input, sink, flow }, options.hasReasoned, options.reasoningOpener)
    this.fences = new FenceJudge({ input, flow }, (fence, from) => this.findFenced(fence, from))
    this.leftovers = new Leftovers({ input, sink, flow }, this.commitment)
    this.headers = new HeaderJudge({ input, sink, flow }, options.tools, this.commitment, lexicon.readsCalls)
  }

  /** Passes text on up to the next marker. `more`: nothing is left to do with the text at hand. */
  scan(): Found | 'again' | 'more' {
    const { input, flow } = this
    if (this.promptHeader !== undefined) return this.finishPromptHeader(this.promptHeader)
    if (this.mayBeHeader) {
      const first = this.judgeFirst()
      if (first !== 'text') return first
    }
    if (flow.ownsSpace) input.at = skipSpace(input.text, input.at)
    const { text } = input
    const triedEnd = this.triedUpTo - input.base
    const tried = text.slice(0, Math.max(0, triedEnd))
    let at = input.at
    while (at < text.length) {
      const vocabulary = this.vocabularyAt(at)
      const stretch = at < triedEnd ? tried : text
      at = vocabulary.nextStart(stretch, at)
      if (at === stretch.length) continue
      // No opener begins inside a word, so that half a word is never held for one.
      if (!flow.beginsWord(at)) {
        at++
        continue
      }
      const length = vocabulary.match(text, at, input.final)
      if (length === NONE) {
        if (input.final && this.leftovers.dropCutTag(vocabulary, at, this.hasCalls)) return 'again'
        at++
        continue
      }
      const entry = length === PARTIAL ? undefined : vocabulary.found
      const verdict = entry === undefined ? 'hold' : this.judge(entry, at, length)
      if (verdict === 'hold') {
        flow.passOn(at)
        return 'more'
      }
      if (verdict === 'passed') return 'again'
      if (verdict !== 'text') {
        flow.passOn(verdict.from)
        return verdict
      }
      // The end of one arrow too many may be the whole of the next.
      at += entry?.is === 'opener' ? 1 : this.widthOf(text, at, length)
    }
    flow.passOn(text.length)
    return 'more'
  }

  /** The output may begin with a header whose opener is not part of it. */
  private judgeFirst(): Found | 'again' | 'more' | 'text' {
    const { input, tools, lexicon } = this
    const { text, final, at } = input
    for (const opening of lexicon.headers) {
      const answer = probeFirst(opening, tools, text, at, final)
      if (answer === 'more') return 'more'
      if (answer === 'no') continue
      this.mayBeHeader = false
      if (answer === 'yes') {
        return { opening, at, length: 0, as: opening.isSalvage ? 'bare' : 'certain', from: at }
      }
      this.flow.passMarker(at, text.indexOf('\n', at) + 1 - at, false)
      return 'again'
    }
    this.mayBeHeader = false
    return 'text'
  }

  /** Calls were read: reasoning is over, and so is any code fence. */
  afterCalls(): void {
    this.hasCalls = true
    this.leftovers.openGrammar = undefined
    this.fences.leave()
    this.flow.begin('content', true)
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

  /** The text comes with its kind: what the prompt held is of no concern. */
  beginReasoning(): void {
    this.reasoning.begin()
    this.promptHeader = undefined
  }

  private vocabularyAt(at: number): Vocabulary {
    const isTried = this.input.base + at < this.triedUpTo
    if (this.flow.mode === 'reasoning') {
      return isTried ? this.lexicon.triedReasoning : this.lexicon.reasoning
    }
    if (this.fences.isInside) return this.lexicon.fencedContent
    if (isTried) return this.lexicon.triedContent
    return this.flow.isUntouched || this.isBehindCalls(at) ? this.lexicon.answer : this.lexicon.content
  }

  private isBehindCalls(at: number): boolean {
    return this.hasCalls && this.flow.ownsSpace && at === this.input.at
  }

  /** A run of fence characters is passed over as a whole, or its second half would be judged again. */
  private widthOf(text: string, at: number, length: number): number {
    const run = length === 1 ? readFence(text, at, true) : 'more'
    return run === 'more' ? length : run.length
  }

  private judge(entry: Entry, at: number, length: number): Verdict {
    // First, as code is full of them.
    if (entry.is === 'fence-mark') return this.fences.judge(at)
    if ('owners' in entry && this.commitment.isForeign(entry.owners)) return 'text'
    if (this.isForeignToReasoning(entry)) return 'text'
    switch (entry.is) {
      case 'opener':
        return this.flow.mode === 'reasoning'
          ? this.judgeInReasoning(entry.openings, at, length)
          : this.judgeInContent(entry.openings, at, length)
      case 'reasoning-begin':
        return this.openReasoning(entry, at, length)
      case 'reasoning-end':
        return this.reasoning.close(entry, at, length, this.hasCalls)
      case 'structure':
        return this.passStructure(entry, at, length)
      case 'header':
        return this.turn(this.headers.judge(entry, at, length, this.placeOf(at)))
      case 'wrapper':
        return this.judgeWrapper(entry, at, length)
      case 'turn-token':
        return this.leftovers.dropTurnToken(entry.onlyAtEnd, at, length, this.hasCalls)
      case 'residue':
        return this.leftovers.dropResidue(entry.grammars, at, length, this.hasCalls)
    }
  }

  /** Reasoning that one format opened is not ended, nor opened again, by the markers of another. */
  private isForeignToReasoning(entry: Entry): boolean {
    switch (entry.is) {
      case 'reasoning-begin':
      case 'reasoning-end':
      case 'structure':
        return this.reasoning.isForeign(entry.owners)
      case 'header':
        return this.reasoning.isForeign(entry.headings.map(({ format }) => format))
      default:
        return false
    }
  }

  private judgeInContent(openings: readonly Opening[], from: number, width: number): Verdict {
    const lead = openings[0]?.lead ?? 0
    const at = from + lead
    const length = width - lead
    // A name alone opens a call only where nothing stands before it, and so does an arrow.
    const needsStart = openings[0]?.lead === 0 || openings.every(opensOnlyFirst)
    if (needsStart && !this.isFirst(at) && !this.isBehindCalls(at)) return 'text'
    // Asked first: a bracket in the middle of an answer must not be held to see what follows it.
    if (openings[0]?.opens === 'bare' && !this.isFirst(at)) return this.judgeLine(openings, at, length)
    const opening = this.findOpening(openings, at, length)
    if (opening === 'hold') return 'hold'
    if (opening === undefined) return this.passOpener(openings, at, length)
    if (!opening.grammar.isSpecial && this.flow.isInlineCode(at)) return 'text'
    if (opening.opens === 'bare') {
      return { opening, at, length: 0, as: opening.isSalvage ? 'bare' : 'certain', from: at }
    }
    if ('isLine' in opening.grammar && !this.flow.isLineStart(at)) return 'text'
    if (!opening.isSalvage) return { opening, at, length, as: 'certain', from: at }
    return lead > 0 || this.flow.standsAlone(at) ? { opening, at, length, as: 'salvage', from: at } : 'text'
  }

  /** A bracket behind text opens calls only at the start of a line, and only where they are expected. */
  private judgeLine(openings: readonly Opening[], at: number, length: number): Verdict {
    const expected = openings.filter(opensLines)
    if (expected.length === 0 || !this.flow.isLineStart(at)) return 'text'
    const opening = this.findOpening(expected, at, length)
    if (opening === 'hold') return 'hold'
    return opening === undefined ? 'text' : { opening, at, length: 0, as: 'certain', from: at }
  }

  /** An opener with no call behind it is text, and worth a report unless it was a mere guess. */
  private passOpener(openings: readonly Opening[], at: number, length: number): Verdict {
    const expected = openings.filter((opening) => !opening.isSalvage && this.commitment.allows(opening))
    if (expected.length === 0 || this.flow.isInlineCode(at)) return 'text'
    const { input } = this
    const isCut = expected.some(
      (opening) => probe(opening, this.tools, input.text, at, length, false) === 'more',
    )
    if (!isCut && !expected.some(isMarked)) return 'text'
    const end = isCut ? input.text.length : at + length
    const source = input.text.slice(at, end)
    this.flow.passOn(end)
    const code = isCut ? 'truncated-call' : 'no-call'
    this.sink.problem(code, problemCodes[code], source)
    return 'passed'
  }

  /** What is a token to one model is plain text to all others, and they may speak of it. */
  private isForeignInThought({ format }: Opening): boolean {
    const isOther = this.expectedFormat !== undefined && format !== this.expectedFormat
    return isOther || this.reasoning.isForeign([format])
  }

  /** Special tokens are never prose. Plain text may be a draft: what follows it decides. */
  private judgeInReasoning(openings: readonly Opening[], at: number, length: number): Verdict {
    const opening = this.findOpening(openings, at, length)
    if (opening === 'hold') return 'hold'
    if (opening === undefined) return 'text'
    if (opening.grammar.isSpecial && !this.isForeignInThought(opening)) {
      return { opening, at, length, as: 'certain', from: at }
    }
    if (this.input.base + at < this.triedUpTo) return 'text'
    return { opening, at, length, as: 'in-reasoning', from: at }
  }

  /** Nothing but white space stands before it, in the content or reasoning at hand. */
  private isFirst(at: number): boolean {
    return this.flow.isUntouched && isBlank(this.input.text.slice(this.input.at, at))
  }

  /** The answer may speak of such a tag: only at its beginning, at its end, or before other markup is it one. */
  private judgeWrapper(entry: Extract<Entry, { is: 'wrapper' }>, at: number, length: number): Verdict {
    const { input, flow } = this
    if (entry.opens && this.isFirst(at)) {
      flow.passMarker(at, length, this.hasCalls)
      this.isWrapped = true
      return 'passed'
    }
    if (!entry.closes || !this.isWrapped) return 'text'
    const next = skipSpace(input.text, at + length)
    if (next === input.text.length && !input.final) return 'hold'
    if (next < input.text.length && input.text.charAt(next) !== '<') return 'text'
    flow.passMarker(at, length, this.hasCalls)
    return 'passed'
  }

  /** A token that only one format has shows that it is this one. */
  private openReasoning(
    entry: Extract<Entry, { is: 'reasoning-begin' }>,
    at: number,
    length: number,
  ): Verdict {
    if (entry.onlyFirst && !this.isFirst(at)) return 'text'
    const isToken = this.input.text.startsWith('<|', at)
    const verdict = this.reasoning.open(entry, at, length, this.isFirst(at))
    const [format, ...others] = entry.owners
    if (verdict === 'passed' && isToken && format !== undefined && others.length === 0) {
      this.commitment.toFormat(format, this.lexicon.grammars.get(format) ?? [])
    }
    return verdict
  }

  private passStructure(entry: Extract<Entry, { is: 'structure' }>, at: number, length: number): Verdict {
    const isQuoted = entry.isBodyEnd && this.headers.isQuoted(at, length, this.fences.isInside)
    if (isQuoted !== false) return isQuoted === 'more' ? 'hold' : 'text'
    if (entry.isBodyEnd) this.fences.leave()
    this.flow.passMarker(at, length, this.hasCalls)
    this.flow.begin('content', this.hasCalls)
    return 'passed'
  }

  private placeOf(at: number): HeaderPlace {
    return { isFirst: this.isFirst(at), isInCode: this.fences.isInside, hasCalls: this.hasCalls }
  }

  /** Behind a header text of another kind may begin; a code fence does not go on there. */
  private turn(verdict: HeaderVerdict): Verdict {
    if (verdict !== 'reasoning' && verdict !== 'content') return verdict
    if (verdict === 'reasoning') this.reasoning.begin()
    this.fences.leave()
    return 'passed'
  }

  private finishPromptHeader(header: PromptHeader): Found | 'again' | 'more' {
    const verdict = this.turn(this.headers.judgePrompt(header))
    if (verdict === 'hold') return 'more'
    this.promptHeader = undefined
    return typeof verdict === 'string' ? 'again' : verdict
  }

  /** A code fence that may hold nothing but a call. */
  findFenced(fence: Fence, from: number): Found | 'text' | 'hold' {
    const { input } = this
    if (this.tools.size === 0 || input.base + from < this.triedUpTo) return 'text'
    const at = insideFence(input.text, from + fence.length, input.final)
    if (at === 'more') return 'hold'
    if (at === undefined) return 'text'
    const { answer } = this.lexicon
    const length = answer.match(input.text, at, input.final)
    if (length === PARTIAL) return 'hold'
    if (length === NONE) return 'text'
    const entry = answer.found
    if (entry.is !== 'opener') return 'text'
    const opening = this.findOpening(entry.openings, at, length)
    if (opening === 'hold') return 'hold'
    if (opening === undefined || opening.grammar.isSpecial) return 'text'
    return { opening, at, length: opening.opens === 'bare' ? 0 : length, as: 'fenced', from, fence }
  }
}

/** Whether the marker says that a call was meant. A bracket or an arrow in prose says nothing. */
function isMarked({ opens, isSalvage, grammar }: Opening): boolean {
  const isPlain = 'isPlain' in grammar && grammar.isPlain
  return opens !== 'bare' && !isSalvage && !isPlain
}
