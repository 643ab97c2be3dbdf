import type { Sink } from '../events.ts'
import type { Grammar } from '../formats/format.ts'
import { problemCodes, repairCodes } from '../problems.ts'
import type { Input } from '../text/input.ts'
import { NONE, PARTIAL } from '../text/marker-search.ts'
import { isBlank, skipSpace } from '../text/space.ts'
import { BACKTICK, closesFence, type Fence, insideFence, isInlineFence, readFence } from './code-fence.ts'
import type { Entry, Lexicon, Vocabulary } from './lexicon.ts'
import { type Opening, probe } from './opening.ts'
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

/** `text`: no marker after all. `hold`: more text is needed. `passed`: dealt with. */
type Verdict = Found | 'text' | 'hold' | 'passed'

/** Looks through text and reasoning for markers. */
export class Scanner {
  /** Once a call was read, only its own format is. */
  committed: Opening | undefined
  /** A section whose closer is still to come. */
  openGrammar: Grammar | undefined
  hasCalls = false
  /** Plain-text openers before this position of the stream were tried already. */
  triedUpTo = 0
  private hasReasoned: boolean
  private fence: Fence | undefined
  private readonly input: Input
  private readonly sink: Sink
  private readonly flow: TextFlow
  private readonly lexicon: Lexicon
  private readonly knowsTools: boolean

  constructor(
    input: Input,
    sink: Sink,
    flow: TextFlow,
    lexicon: Lexicon,
    options: { knowsTools: boolean; hasReasoned: boolean },
  ) {
    this.input = input
    this.sink = sink
    this.flow = flow
    this.lexicon = lexicon
    this.knowsTools = options.knowsTools
    this.hasReasoned = options.hasReasoned
  }

  /** Passes text on up to the next marker. `more`: nothing is left to do with the text at hand. */
  scan(): Found | 'again' | 'more' {
    const { input, flow } = this
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
      const length = vocabulary.match(text, at, input.final)
      if (length === NONE) {
        if (input.final && this.dropCutTag(vocabulary, at)) return 'again'
        at++
        continue
      }
      const verdict = length === PARTIAL ? 'hold' : this.judge(vocabulary.found, at, length)
      if (verdict === 'hold') {
        flow.passOn(at)
        return 'more'
      }
      if (verdict === 'passed') return 'again'
      if (verdict !== 'text') {
        flow.passOn(verdict.from)
        return verdict
      }
      at += this.widthOf(text, at, length)
    }
    flow.passOn(text.length)
    return 'more'
  }

  /** Calls were read: reasoning is over, and so is any code fence. */
  afterCalls(): void {
    this.hasCalls = true
    this.openGrammar = undefined
    this.fence = undefined
    this.flow.begin('content', true)
  }

  /** Which of the openings it is, by what follows the marker. */
  findOpening(openings: readonly Opening[], at: number, length: number): Opening | 'hold' | undefined {
    const { input } = this
    for (const opening of openings) {
      if (!this.isAllowed(opening)) continue
      const answer = probe(opening, input.text, at, length, input.final)
      if (answer === 'more') return 'hold'
      if (answer === 'yes') return opening
    }
    return undefined
  }

  beginReasoning(): void {
    this.hasReasoned = true
  }

  private isAllowed(opening: Opening): boolean {
    return this.committed === undefined || opening.format === this.committed.format
  }

  private vocabularyAt(at: number): Vocabulary {
    const isTried = this.input.base + at < this.triedUpTo
    if (this.flow.mode === 'reasoning') {
      return isTried ? this.lexicon.triedReasoning : this.lexicon.reasoning
    }
    if (this.fence !== undefined) return this.lexicon.fencedContent
    if (isTried) return this.lexicon.triedContent
    return this.flow.isUntouched ? this.lexicon.answer : this.lexicon.content
  }

  /** A run of fence characters is passed over as a whole, or its second half would be judged again. */
  private widthOf(text: string, at: number, length: number): number {
    const run = length === 1 ? readFence(text, at, true) : 'more'
    return run === 'more' ? length : run.length
  }

  private judge(entry: Entry, at: number, length: number): Verdict {
    switch (entry.is) {
      case 'opener':
        return this.flow.mode === 'reasoning'
          ? this.judgeInReasoning(entry.openings, at, length)
          : this.judgeInContent(entry.openings, at, length)
      case 'reasoning-begin':
        return this.openReasoning(at, length)
      case 'reasoning-end':
        return this.closeReasoning(at, length)
      case 'structure':
        this.flow.passMarker(at, length, this.hasCalls)
        this.flow.begin('content', this.hasCalls)
        return 'passed'
      case 'turn-token':
        return this.dropTurnToken(entry.onlyAtEnd, at, length)
      case 'residue':
        return this.dropResidue(entry.grammars, at, length)
      case 'fence-mark':
        return this.judgeFence(at)
    }
  }

  private judgeInContent(openings: readonly Opening[], at: number, length: number): Verdict {
    // Asked first: a bracket in the middle of an answer must not be held to see what follows it.
    if (openings[0]?.opens === 'bare' && !this.isFirst(at)) return 'text'
    const opening = this.findOpening(openings, at, length)
    if (opening === 'hold') return 'hold'
    if (opening === undefined) return this.passOpener(openings, at, length)
    if (!opening.grammar.isSpecial && this.flow.isInlineCode(at)) return 'text'
    if (opening.opens === 'bare') return { opening, at, length: 0, as: 'bare', from: at }
    if (!opening.isSalvage) return { opening, at, length, as: 'certain', from: at }
    return this.flow.standsAlone(at) ? { opening, at, length, as: 'salvage', from: at } : 'text'
  }

  /** An opener with no call behind it is text, and worth a report unless it was a mere guess. */
  private passOpener(openings: readonly Opening[], at: number, length: number): Verdict {
    const expected = openings.filter((opening) => !opening.isSalvage && this.isAllowed(opening))
    if (expected.length === 0 || this.flow.isInlineCode(at)) return 'text'
    const { input } = this
    const isCut = expected.some((opening) => probe(opening, input.text, at, length, false) === 'more')
    const end = isCut ? input.text.length : at + length
    const source = input.text.slice(at, end)
    this.flow.passOn(end)
    const code = isCut ? 'truncated-call' : 'no-call'
    this.sink.problem(code, problemCodes[code], source)
    return 'passed'
  }

  /** Special tokens are never prose. Plain text may be a draft: what follows it decides. */
  private judgeInReasoning(openings: readonly Opening[], at: number, length: number): Verdict {
    const opening = this.findOpening(openings, at, length)
    if (opening === 'hold') return 'hold'
    if (opening === undefined) return 'text'
    return { opening, at, length, as: opening.grammar.isSpecial ? 'certain' : 'in-reasoning', from: at }
  }

  /** Nothing but white space stands before it, in the content or reasoning at hand. */
  private isFirst(at: number): boolean {
    return this.flow.isUntouched && isBlank(this.input.text.slice(this.input.at, at))
  }

  private openReasoning(at: number, length: number): Verdict {
    const { flow } = this
    if (flow.mode === 'reasoning') {
      // The prompt had opened it already, and the model did so again.
      if (!this.isFirst(at)) return 'text'
    } else {
      // In the middle of a line, in an answer that never thought before, it is a word like any other.
      const mayOpen = this.hasReasoned || this.isFirst(at) || flow.isLineStart(at)
      const isQuoted = flow.isQuoted(at, length)
      if (isQuoted === 'more') return 'hold'
      if (isQuoted || !mayOpen) return 'text'
    }
    flow.passMarker(at, length, false)
    flow.begin('reasoning', false)
    this.hasReasoned = true
    return 'passed'
  }

  private closeReasoning(at: number, length: number): Verdict {
    const { flow, sink } = this
    const wasReasoning = flow.mode === 'reasoning'
    const isQuoted = !wasReasoning && flow.isQuoted(at, length)
    if (isQuoted === 'more') return 'hold'
    if (isQuoted) return 'text'
    const marker = this.input.text.slice(at, at + length)
    flow.passMarker(at, length, this.hasCalls)
    flow.begin('content', this.hasCalls)
    if (wasReasoning) return 'passed'
    if (this.hasReasoned || this.hasCalls) sink.repair('residue', repairCodes.residue)
    else sink.problem('unopened-reasoning', problemCodes['unopened-reasoning'], marker)
    this.hasReasoned = true
    return 'passed'
  }

  private dropTurnToken(onlyAtEnd: boolean, at: number, length: number): Verdict {
    const { flow, input } = this
    const isLast = skipSpace(input.text, at + length) === input.text.length
    const isQuoted = flow.isQuoted(at, length)
    if ((onlyAtEnd || isQuoted !== false) && isLast && !input.final) return 'hold'
    if (!isLast && (onlyAtEnd || isQuoted !== false)) return 'text'
    flow.passMarker(at, length, this.hasCalls)
    this.sink.repair('turn-token', repairCodes['turn-token'])
    return 'passed'
  }

  /** A closer right behind calls is theirs; a lone special token is noise; anything else is text. */
  private dropResidue(grammars: readonly Grammar[], at: number, length: number): Verdict {
    const { flow, openGrammar } = this
    const isExpected = openGrammar !== undefined && grammars.includes(openGrammar)
    const isBehindCalls = this.hasCalls && flow.ownsSpace && at === this.input.at
    if (!isExpected && !isBehindCalls) {
      const isOwn = this.committed === undefined || grammars.includes(this.committed.grammar)
      if (!isOwn || !grammars.some((grammar) => grammar.isSpecial)) return 'text'
      const isQuoted = flow.isQuoted(at, length)
      if (isQuoted === 'more') return 'hold'
      if (isQuoted) return 'text'
    }
    flow.passMarker(at, length, this.hasCalls)
    if (!isExpected) this.sink.repair('residue', repairCodes.residue)
    return 'passed'
  }

  /** A tag of several tokens that was cut off behind the first: no prose looks like that. */
  private dropCutTag(vocabulary: Vocabulary, at: number): boolean {
    const { input } = this
    if (!vocabulary.isCutBehindPiece(input.text, at)) return false
    this.flow.passMarker(at, input.text.length - at, this.hasCalls)
    this.sink.repair('residue', repairCodes.residue)
    return true
  }

  private judgeFence(at: number): Verdict {
    const { input } = this
    if (!this.flow.isLineStart(at)) return this.passRun(at)
    const run = readFence(input.text, at, input.final)
    if (run === 'more') return 'hold'
    if (run.length < 3) return this.passRun(at)
    if (this.fence !== undefined) {
      if (closesFence(this.fence, run, input.text, at)) this.fence = undefined
      return 'text'
    }
    const isInline = isInlineFence(input.text, at, run, input.final)
    if (isInline === 'more') return 'hold'
    if (isInline) return this.passRun(at)
    const found = this.findFenced(run, at)
    if (found === 'text') this.fence = run
    return found
  }

  private passRun(at: number): Verdict {
    const run = readFence(this.input.text, at, true)
    const isCode = this.fence === undefined && run !== 'more' && run.code === BACKTICK
    if (isCode) this.flow.passBackticks(at, run.length)
    return 'text'
  }

  /** A code fence that may hold nothing but a call. */
  findFenced(fence: Fence, from: number): Found | 'text' | 'hold' {
    const { input } = this
    if (!this.knowsTools || input.base + from < this.triedUpTo) return 'text'
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
