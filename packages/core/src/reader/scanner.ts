import type { ToolSet } from '../engines/tool-set.ts'
import type { Sink } from '../events.ts'
import type { FormatId } from '../formats/format-id.ts'
import type { Input } from '../text/input.ts'
import { NONE, PARTIAL } from '../text/marker.ts'
import { skipSpace } from '../text/space.ts'
import type { Fence } from './code-fence.ts'
import { Commitment } from './commitment.ts'
import { FenceJudge } from './fence-judge.ts'
import { HeaderJudge, type HeaderPlace, type HeaderVerdict } from './header-judge.ts'
import type { PromptHeader } from './heading.ts'
import { Leftovers } from './leftovers.ts'
import type { Entry, Lexicon, Vocabulary } from './lexicon.ts'
import { OpenerJudge } from './opener-judge.ts'
import { type Opening, probeFirst } from './opening.ts'
import { ReasoningJudge, type ReasoningOpener } from './reasoning-judge.ts'
import type { StrippedEntry } from './stripped-entries.ts'
import type { Channel, TextFlow } from './text-flow.ts'
import { WrapperJudge } from './wrapper-judge.ts'

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
  /** What is looked for, as long as nothing happens: to find it out for every chunk would take longer than the search. */
  private settled: Vocabulary | undefined
  /** Nothing was read yet, and what comes may be the header of a call. */
  private mayBeHeader: boolean
  private readonly fences: FenceJudge
  readonly openers: OpenerJudge
  private readonly wrapper: WrapperJudge
  private readonly input: Input
  private readonly flow: TextFlow
  private readonly lexicon: Lexicon
  /** What is looked for in the middle of an answer. */
  private usual: Pick<Lexicon, 'content' | 'reasoning'>
  private readonly tools: ToolSet
  private readonly reasoning: ReasoningJudge
  readonly headers: HeaderJudge
  private promptHeader: PromptHeader | undefined
  private readonly reasoningOpener: ReasoningOpener | undefined

  constructor(input: Input, sink: Sink, flow: TextFlow, lexicon: Lexicon, options: ScannerOptions) {
    this.input = input
    this.flow = flow
    this.lexicon = lexicon
    this.usual = lexicon
    this.tools = options.tools
    this.mayBeHeader = lexicon.headers.length > 0 && (options.startsInHeader || options.tools.isKnown)
    this.promptHeader = options.promptHeader
    this.reasoningOpener = options.reasoningOpener
    this.reasoning = new ReasoningJudge({ input, sink, flow }, options.hasReasoned, options.reasoningOpener)
    this.fences = new FenceJudge({ input, flow }, (fence, from) => this.openers.findFenced(fence, from))
    this.openers = new OpenerJudge(
      { input, sink, flow },
      {
        tools: options.tools,
        commitment: this.commitment,
        reasoning: this.reasoning,
        answer: lexicon.answer,
        expectedFormat: options.expectedFormat,
      },
    )
    this.wrapper = new WrapperJudge({ input, flow })
    this.leftovers = new Leftovers({ input, sink, flow }, this.commitment)
    this.headers = new HeaderJudge({ input, sink, flow }, options.tools, this.commitment, lexicon.readsCalls)
  }

  /** How many pieces of the text come before the first that holds a marker, or ends in what may become one. */
  countPassing(text: string, ends: readonly number[]): number {
    const { settled, flow } = this
    if (settled === undefined || !flow.isPlain) return 0
    const mayBeInWord = this.usual !== this.lexicon
    let start = 0
    let count = 0
    for (const end of ends) {
      const piece = text.slice(start, end)
      for (let at = settled.nextStart(piece, 0); at < piece.length; at = settled.nextStart(piece, at + 1)) {
        const isPossible = mayBeInWord || flow.wouldBeginWord(text, start + at)
        if (isPossible && settled.match(piece, at, false) !== NONE) return count
      }
      start = end
      count++
    }
    return count
  }

  /** Passes text on up to the next marker. `more`: nothing is left to do with the text at hand. */
  scan(): Found | 'again' | 'more' {
    const { input, flow } = this
    if (this.settled === undefined) {
      const start = this.judgeStart()
      if (start !== 'text') return start
    }
    const { text } = input
    const triedEnd = this.openers.triedUpTo - input.base
    let at = input.at
    const tried = at < triedEnd ? text.slice(0, triedEnd) : ''
    while (at < text.length) {
      let vocabulary = this.settled ?? this.vocabularyAt(at)
      const stretch = at < triedEnd ? tried : text
      at = vocabulary.nextStart(stretch, at)
      if (at === stretch.length) continue
      // What may begin an answer must not hold text in the middle of one, which a large chunk shows as well.
      if (vocabulary === this.lexicon.answer) vocabulary = this.vocabularyAt(at)
      if (this.fences.passesLone(at)) {
        at++
        continue
      }
      // No opener begins inside a word, so that half a word is never held for one; where tokens were lost, it may.
      if (!flow.beginsWord(at) && this.usual === this.lexicon) {
        at++
        continue
      }
      const length = vocabulary.match(text, at, input.final)
      if (length === NONE) {
        if (input.final && this.dropCutTag(vocabulary, at)) return 'again'
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
      at += this.widthOf(entry, length)
    }
    flow.passOn(text.length)
    return 'more'
  }

  /** What may stand where text begins, and is no text. */
  private judgeStart(): Found | 'again' | 'more' | 'text' {
    const { input, flow } = this
    if (this.promptHeader !== undefined) return this.finishPromptHeader(this.promptHeader)
    const first = this.mayBeHeader ? this.judgeFirst() : 'text'
    if (first === 'text' && flow.ownsSpace) input.at = skipSpace(input.text, input.at)
    return first
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
    this.settled = undefined
    this.hasCalls = true
    this.leftovers.expectNothing()
    this.fences.leave()
    this.flow.begin('content', true)
  }

  /** Text of this kind comes from now on: what the prompt held is of no concern to reasoning. */
  beginChannel(channel: Channel): void {
    this.settled = undefined
    this.flow.begin(channel, this.hasCalls && channel === 'content')
    if (channel === 'content') return
    this.reasoning.begin(this.reasoningOpener)
    this.promptHeader = undefined
  }

  /** Plain-text openers before this position of the stream were tried already. */
  skipTried(upTo: number): void {
    this.settled = undefined
    this.openers.triedUpTo = upTo
  }

  private vocabularyAt(at: number): Vocabulary {
    const isTried = this.input.base + at < this.openers.triedUpTo
    const vocabulary = this.chooseVocabulary(at, isTried)
    if (!isTried && !this.flow.isUntouched && !this.flow.ownsSpace) this.settled = vocabulary
    return vocabulary
  }

  private chooseVocabulary(at: number, isTried: boolean): Vocabulary {
    if (this.flow.mode === 'reasoning') {
      return isTried ? this.lexicon.triedReasoning : this.usual.reasoning
    }
    if (this.fences.isInside) return this.lexicon.fencedContent
    if (isTried) return this.lexicon.triedContent
    const isStart = this.flow.isUntouched
      ? this.flow.isFirst(at)
      : this.hasCalls && this.flow.isBehindMarker(at)
    return isStart && this.usual === this.lexicon ? this.lexicon.answer : this.usual.content
  }

  /** How much of a marker is passed over that was none. */
  private widthOf(entry: Entry | undefined, length: number): number {
    // A run of fence characters as a whole, or its second half would be judged again.
    if (entry?.is === 'fence-mark') return this.fences.width
    // The end of one arrow too many may be the whole of the next.
    return entry?.is === 'opener' ? 1 : length
  }

  private judge(entry: Entry, at: number, length: number): Verdict {
    // First, as code is full of them.
    if (entry.is === 'fence-mark') {
      const { isInside } = this.fences
      const verdict = this.fences.judge(at)
      if (this.fences.isInside !== isInside) this.settled = undefined
      return verdict
    }
    this.settled = undefined
    if ('owners' in entry && this.commitment.isForeign(entry.owners)) return 'text'
    if (entry.is === 'structure' && entry.isBodyEnd && this.leftovers.endsFlushed(entry.owners)) return 'text'
    if (entry.is === 'structure' && this.reasoning.isBesideMessages(entry.owners)) {
      return this.leftovers.dropTurnToken(true, at, length, this.hasCalls)
    }
    if (this.isForeignToReasoning(entry)) return 'text'
    switch (entry.is) {
      case 'opener':
        return this.openers.judge(entry.openings, at, length, this.hasCalls)
      case 'reasoning-begin':
        return this.openReasoning(entry, at, length)
      case 'reasoning-end':
        return this.reasoning.close(entry, at, length, this.hasCalls)
      case 'structure':
        return this.passStructure(entry, at, length)
      case 'header':
        return this.turn(this.headers.judge(entry, at, length, this.placeOf(at)))
      case 'stripped':
        return this.judgeStripped(entry, at, length)
      case 'wrapper':
        return this.wrapper.judge(entry, at, length, this.placeOf(at))
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
        return this.reasoning.isForeign(entry.owners)
      case 'header':
        return this.reasoning.isForeign(entry.headings.map(({ format }) => format))
      default:
        return false
    }
  }

  /** A token that only one format has shows that it is this one. */
  private openReasoning(
    entry: Extract<Entry, { is: 'reasoning-begin' }>,
    at: number,
    length: number,
  ): Verdict {
    if (entry.onlyFirst && !this.flow.isFirst(at)) return 'text'
    const isToken = this.input.text.startsWith('<|', at)
    const verdict = this.reasoning.open(entry, at, length, this.flow.isFirst(at))
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

  private dropCutTag(vocabulary: Vocabulary, at: number): boolean {
    const isDropped = this.leftovers.dropCutTag(vocabulary, at, this.hasCalls)
    if (isDropped) this.settled = undefined
    return isDropped
  }

  private judgeStripped(entry: StrippedEntry, at: number, length: number): Verdict {
    const { stripped } = this.headers
    const verdict = this.turn(stripped.judge(entry, at, length, this.placeOf(at)))
    if (stripped.isExpected) this.usual = this.lexicon.stripped()
    return verdict
  }

  private placeOf(at: number): HeaderPlace {
    return {
      isFirst: this.flow.isFirst(at),
      isBehindCalls: this.hasCalls && this.flow.isBehindMarker(at),
      isInCode: this.fences.isInside,
      hasCalls: this.hasCalls,
    }
  }

  /** Behind a header text of another kind may begin; a code fence does not go on there. */
  private turn(verdict: HeaderVerdict): Verdict {
    if (verdict !== 'reasoning' && verdict !== 'content') return verdict
    if (verdict === 'reasoning') this.reasoning.begin(undefined)
    this.fences.leave()
    return 'passed'
  }

  private finishPromptHeader(header: PromptHeader): Found | 'again' | 'more' {
    const verdict = this.turn(this.headers.judgePrompt(header))
    if (verdict === 'hold') return 'more'
    this.promptHeader = undefined
    return typeof verdict === 'string' ? 'again' : verdict
  }
}
