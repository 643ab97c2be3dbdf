import type { ToolSet } from '../engines/tool-set.ts'
import { NONE, PARTIAL } from '../text/marker.ts'
import { skipSpace } from '../text/space.ts'
import type { TextWindow } from '../text/text-window.ts'
import type { Found, Verdict } from './candidate.ts'
import type { FenceJudge } from './judges/fence-judge.ts'
import type { MarkerJudge } from './judges/marker-judge.ts'
import type { OpenerJudge } from './judges/opener-judge.ts'
import type { Entry, Vocabulary } from './lexicon/entry.ts'
import { LONGEST_HEADING, type PromptHeader } from './lexicon/heading.ts'
import type { Lexicon } from './lexicon/lexicon.ts'
import { type HeaderOpening, probeFirst, probeForced } from './lexicon/opening.ts'
import type { Channel, ModelStream, TextFlow } from './text-flow.ts'

const NEWLINE = 10
const UNKNOWN = -1

/** In a longer text notes are not looked for: to look through its last line takes less. */
const LONG_TEXT = 512

type Starts = Pick<Vocabulary, 'nextStart'>

export interface ScannerOptions {
  readonly tools: ToolSet
  readonly startsInHeader: boolean
  /** The prompt ends inside of the header of a message. */
  readonly promptHeader: PromptHeader | undefined
  /** A call whose arguments may be the whole answer. */
  readonly forced: HeaderOpening | undefined
}

/** Looks through text and reasoning for markers. */
export class Scanner {
  /** What is looked for, as long as nothing happens: to find it out for every chunk would take longer than the search. */
  private settled: Vocabulary | undefined
  /** The same, and what is only noted. */
  private noting: Starts | undefined
  /** Where in the chunk that is at hand now a marker may start, if that is known. */
  private nextAt = UNKNOWN
  /** Nothing was read yet, and what comes may be the header of a call. */
  private mayBeHeader: boolean
  private promptHeader: PromptHeader | undefined
  private forced: HeaderOpening | undefined
  private readonly input: TextWindow
  private readonly flow: TextFlow
  private readonly lexicon: Lexicon
  /** What is looked for in the middle of an answer. */
  private usual: Pick<Lexicon, 'content' | 'reasoning'>
  private readonly tools: ToolSet
  private readonly markers: MarkerJudge
  private readonly fences: FenceJudge
  private readonly openers: OpenerJudge

  constructor(
    { input, flow }: Pick<ModelStream, 'input' | 'flow'>,
    lexicon: Lexicon,
    markers: MarkerJudge,
    { tools, startsInHeader, promptHeader, forced }: ScannerOptions,
  ) {
    this.input = input
    this.flow = flow
    this.lexicon = lexicon
    this.usual = lexicon
    this.tools = tools
    this.mayBeHeader = lexicon.headers.length > 0 && (startsInHeader || tools.isKnown)
    this.promptHeader = promptHeader
    this.forced = forced
    this.markers = markers
    this.fences = markers.fences
    this.openers = markers.openers
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
        const isPossible = mayBeInWord || flow.before.wouldBeginWord(text, start + at)
        if (isPossible && settled.matchInLines(piece, at, false) !== NONE) return count
      }
      start = end
      count++
    }
    return count
  }

  /**
   * Takes a chunk and passes it on, behind half a marker that turned out to be none, if it holds no marker. Nearly every chunk is
   * such a one, behind others: with all that the rest need, it would take a fifth longer. `at-hand`: it is part of the text to read.
   */
  takeAtOnce(chunk: string): 'passed' | 'at-hand' | 'not-taken' {
    const { noting, settled, input, flow } = this
    if (noting === undefined || settled === undefined) return 'not-taken'
    if (input.isEmpty && input.observer === undefined) input.follow(chunk)
    else input.append(chunk)
    const at = this.nextMarker(settled, noting, input.text, 0, flow.before.lastCode)
    if (at < input.text.length) {
      this.nextAt = at
      return 'at-hand'
    }
    flow.passOn(at)
    input.letGo()
    return 'passed'
  }

  /** Passes text on up to the next marker. `more`: nothing is left to do with the text at hand. */
  scan(): Found | 'again' | 'more' {
    const { settled, noting, input } = this
    if (settled === undefined || noting === undefined) return this.scanStart()
    const { text } = input
    let at = this.nextAt
    this.nextAt = UNKNOWN
    if (at === UNKNOWN) at = this.nextMarker(settled, noting, text, input.at, this.flow.before.lastCode)
    while (at < text.length) {
      const next = this.lookAt(settled, at)
      if (typeof next !== 'number') return next
      if (this.settled !== settled) return this.scanFrom(next)
      at = this.nextMarker(settled, noting, text, next, text.charCodeAt(next - 1))
    }
    this.flow.passOn(at)
    return 'more'
  }

  private scanStart(): Found | 'again' | 'more' {
    const start = this.judgeStart()
    return start === 'text' ? this.scanFrom(this.input.at) : start
  }

  private scanFrom(from: number): Found | 'again' | 'more' {
    const { text, base } = this.input
    const triedEnd = this.openers.triedUpTo - base
    let at = from
    const tried = at < triedEnd ? text.slice(0, triedEnd) : ''
    while (at < text.length) {
      const vocabulary = this.settled ?? this.vocabularyAt(at)
      const stretch = at < triedEnd ? tried : text
      at = this.nextStart(vocabulary, stretch, at)
      if (at === stretch.length) continue
      // A large chunk holds the start of an answer and its middle. What may begin an answer must not hold text in the middle.
      const isAnswer = vocabulary === this.lexicon.answer
      const next = this.lookAt(isAnswer ? this.vocabularyAt(at) : vocabulary, at)
      if (typeof next !== 'number') return next
      at = next
    }
    this.flow.passOn(text.length)
    return 'more'
  }

  private nextStart(vocabulary: Vocabulary, text: string, from: number): number {
    if (vocabulary === this.lexicon.answer) return this.startOfAnswer(from)
    return this.nextMarker(vocabulary, vocabulary.withNotes, text, from, this.flow.before.codeBefore(from))
  }

  /** Where the next marker may start. `noting`: the same vocabulary with what is only noted on the way. */
  private nextMarker(
    vocabulary: Starts,
    noting: Starts,
    text: string,
    from: number,
    codeBefore: number,
  ): number {
    const { line } = this.flow
    if (!line.hasNotes && text.length - from > LONG_TEXT) line.expectNotes()
    if (line.hasNotes) return vocabulary.nextStart(text, from, codeBefore)
    const at = noting.nextStart(text, from, codeBefore)
    return at < text.length && line.takesNote(text, at) ? vocabulary.nextStart(text, at) : at
  }

  /** What only an answer may begin with is not looked for behind its first character: prose is full of it. */
  private startOfAnswer(from: number): number {
    const { text } = this.input
    this.flow.line.expectNotes()
    const behind = skipSpace(text, from) + 1
    return Math.min(this.lexicon.answer.nextStart(text.slice(0, behind + 1), from), behind)
  }

  /** A marker may start at `at`. Returns where to look further, if it is text. */
  private lookAt(vocabulary: Vocabulary, at: number): number | Found | 'again' | 'more' {
    const { input, flow } = this
    const { text, final } = input
    if (this.fences.passesLone(at)) return at + 1
    // No opener begins inside a word, so that half a word is never held for one; where tokens were lost, it may.
    if (!flow.before.beginsWord(at) && this.usual === this.lexicon) return at + 1
    const isInLine = flow.before.isBehind(NEWLINE, at)
    const length = isInLine ? vocabulary.matchInLines(text, at, final) : vocabulary.match(text, at, final)
    if (length > 0) return this.judgeAt(vocabulary.found, at, length)
    if (length === NONE) return final && this.dropCutTag(vocabulary, at) ? 'again' : at + 1
    flow.passOn(at)
    return 'more'
  }

  private judgeAt(entry: Entry, at: number, length: number): number | Found | 'again' | 'more' {
    const verdict = this.judge(entry, at, length)
    if (verdict === 'passed') return 'again'
    if (verdict === 'text') return at + this.widthOf(entry, length)
    this.flow.passOn(verdict === 'hold' ? at : verdict.from)
    return verdict === 'hold' ? 'more' : verdict
  }

  /** What may stand where text begins, and is no text. */
  private judgeStart(): Found | 'again' | 'more' | 'text' {
    const { input, flow } = this
    if (this.promptHeader !== undefined) return this.finishPromptHeader(this.promptHeader)
    const forced = this.forced === undefined ? 'text' : this.judgeForced(this.forced)
    if (forced !== 'text') return forced
    const first = this.mayBeHeader ? this.judgeFirst() : 'text'
    if (first !== 'text') return first
    if (flow.ownsSpace) input.at = skipSpace(input.text, input.at)
    return this.lexicon.beginsWithHeader && flow.before.isUntouched && this.dropSpace() === 'more'
      ? 'more'
      : 'text'
  }

  /** Answers of this format begin with a header. White space in front of it is no answer: a client would show it as one. */
  private dropSpace(): 'more' | 'done' {
    const { input, lexicon, markers } = this
    const { text, final } = input
    const at = skipSpace(text, input.at)
    if (at === input.at || at - input.at > LONGEST_HEADING) return 'done'
    const length = at === text.length ? PARTIAL : lexicon.answer.match(text, at, final)
    if (length === PARTIAL) return final ? 'done' : 'more'
    const entry = length === NONE ? undefined : lexicon.answer.found
    const lead = entry?.is === 'header' ? markers.headers.read(entry.headings, '', at) : 'no'
    if (typeof lead === 'object' && !lead.header.isStripped) input.at = at
    return lead === 'more' ? 'more' : 'done'
  }

  private finishPromptHeader(header: PromptHeader): Found | 'again' | 'more' {
    const verdict = this.markers.judgePrompt(header)
    if (verdict === 'hold') return 'more'
    this.promptHeader = undefined
    return typeof verdict === 'string' ? 'again' : verdict
  }

  /** Nothing but an object may be the arguments of the tool that the client named; a thought may stand before it. */
  private judgeForced(opening: HeaderOpening): Found | 'more' | 'text' {
    const { input, flow } = this
    if (flow.mode !== 'content' || !flow.before.isUntouched) return 'text'
    const at = skipSpace(input.text, input.at)
    const answer = probeForced(input.text, at, input.final)
    if (answer === 'more') return 'more'
    if (answer === 'no') return 'text'
    this.forced = undefined
    return { opening, at, length: 0, as: 'bare', from: at }
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

  /** Calls were read. */
  afterCalls(): void {
    this.unsettle()
    this.markers.afterCalls()
  }

  /** Text of this kind comes from now on: what the prompt held is of no concern to reasoning. */
  beginChannel(channel: Channel): void {
    this.unsettle()
    this.markers.beginChannel(channel)
    if (channel === 'reasoning') this.promptHeader = undefined
  }

  /** Plain-text openers before this position of the stream were tried already. */
  skipTried(upTo: number): void {
    this.unsettle()
    this.openers.triedUpTo = upTo
  }

  private vocabularyAt(at: number): Vocabulary {
    const isTried = this.openers.wasTried(at)
    const vocabulary = this.chooseVocabulary(at, isTried)
    if (!isTried && !this.flow.before.isUntouched && !this.flow.ownsSpace) this.settle(vocabulary)
    return vocabulary
  }

  private settle(vocabulary: Vocabulary): void {
    this.settled = vocabulary
    this.noting = vocabulary.withNotes
  }

  private unsettle(): void {
    this.settled = undefined
    this.noting = undefined
  }

  private chooseVocabulary(at: number, isTried: boolean): Vocabulary {
    if (this.flow.mode === 'reasoning') {
      return isTried ? this.lexicon.triedReasoning : this.usual.reasoning
    }
    if (this.fences.isInside) return this.lexicon.fencedContent
    if (isTried) return this.lexicon.triedContent
    const isStart = this.flow.before.isUntouched
      ? this.flow.before.isFirst(at)
      : this.markers.hasCalls && this.flow.isBehindMarker(at)
    return isStart && this.usual === this.lexicon ? this.lexicon.answer : this.usual.content
  }

  /** How much text is passed over where a marker turned out to be text. */
  private widthOf(entry: Entry, length: number): number {
    // A run of fence characters as a whole, or its second half would be judged again.
    if (entry.is === 'fence-mark') return this.fences.width
    // The end of one arrow too many may be the whole of the next, and so may the end of two closing tags.
    const mayOverlap = entry.is === 'opener' || entry.is === 'reasoning-end'
    return mayOverlap ? 1 : length
  }

  private judge(entry: Entry, at: number, length: number): Verdict {
    // First, as code is full of them.
    if (entry.is === 'fence-mark') {
      const { isInside } = this.fences
      const verdict = this.fences.judge(at)
      if (this.fences.isInside !== isInside) this.unsettle()
      return verdict
    }
    if (entry.is === 'code-tag') {
      this.fences.passTag(entry)
      return 'text'
    }
    this.unsettle()
    const verdict = this.markers.judge(entry, at, length)
    if (entry.is === 'stripped' && this.markers.headers.stripped.isExpected) {
      this.usual = this.lexicon.stripped()
    }
    return verdict
  }

  private dropCutTag(vocabulary: Vocabulary, at: number): boolean {
    const isDropped = this.markers.dropCutTag(vocabulary, at)
    if (isDropped) this.unsettle()
    return isDropped
  }
}
