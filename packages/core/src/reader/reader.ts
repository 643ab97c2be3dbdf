import { CallWriter, type CallWriterOptions } from '../engines/call-writer.ts'
import type { EndReason, Engine } from '../engines/engine.ts'
import type { ToolSet } from '../engines/tool-set.ts'
import { EventCollector, type Sink } from '../events.ts'
import type { FormatId } from '../formats/format-id.ts'
import type { Grammar } from '../formats/format.ts'
import { problemCodes, repairCodes } from '../problems.ts'
import { Input } from '../text/input.ts'
import { NONE, PARTIAL } from '../text/marker-search.ts'
import { isBlank, isLineStart, skipSpace } from '../text/space.ts'
import { type Candidate, isCertain, LONGEST_CANDIDATE, replay } from './candidate.ts'
import { findFencedOpening, readBackticks } from './code-fence.ts'
import type { Entry, Lexicon, Vocabulary } from './lexicon.ts'
import { type Opening, probe, startEngine } from './opening.ts'

export type Channel = 'content' | 'reasoning'

export interface ReaderOptions extends CallWriterOptions {
  readonly lexicon: Lexicon
  readonly tools: ToolSet
  readonly startsInReasoning: boolean
}

/** What comes before the text at hand. */
type Place =
  /** Nothing but text. */
  | { after: 'text' }
  /** A marker: white space here belongs to it. */
  | { after: 'marker' }
  /** A call, and perhaps white space. */
  | { after: 'calls' }
  /** A call and then other text, which has to be reported. */
  | { after: 'stray-text'; text: string }

/** What to do about a marker. */
type Verdict = 'taken' | 'text' | 'hold'

/** How much of a stretch of stray text its report shows. */
const SHOWN_STRAY = 256
const NEWLINE = 10

/**
 * Reads one response: finds what opens reasoning and calls, lets the engines read the calls, and
 * passes everything else on. It writes to a sink; all decisions depend on characters, never on
 * where a chunk ends.
 */
export class Reader {
  private readonly input = new Input()
  private readonly sink: Sink
  private readonly writer: CallWriter
  private readonly lexicon: Lexicon
  private readonly tools: ToolSet
  private readonly options: ReaderOptions
  private channel: Channel | undefined
  private mode: Channel
  private place: Place = { after: 'text' }
  private engine: Engine | undefined
  private candidate: Candidate | undefined
  private committed: Opening | undefined
  private reason: EndReason | undefined
  private hasReasoned: boolean
  /** The reasoning at hand has no text yet. */
  private isReasoningFresh = true
  /** Length of the backtick run of the code fence that is open, or 0. */
  private fence = 0
  /** Plain-text openers before this position of the stream were tried already. */
  private triedUpTo = 0
  private isLineStart = true
  private previousCode = NEWLINE

  constructor(sink: Sink, options: ReaderOptions) {
    this.sink = sink
    this.options = options
    this.lexicon = options.lexicon
    this.tools = options.tools
    this.writer = new CallWriter(this.input, sink, options.tools, options)
    this.mode = options.startsInReasoning ? 'reasoning' : 'content'
    this.hasReasoned = options.startsInReasoning
  }

  /** The format whose syntax the stream has shown. */
  get format(): FormatId | null {
    return this.committed?.format ?? null
  }

  push(text: string, channel: Channel): void {
    if (text === '') return
    if (channel !== this.channel && !this.turnTo(channel, text)) return
    if (this.lexicon.isEmpty) {
      this.sink[channel === 'reasoning' ? 'reasoning' : 'text'](text)
      return
    }
    this.input.append(text)
    this.run()
  }

  end(reason: EndReason | undefined): void {
    this.reason = reason
    this.finishInput()
  }

  /** Returns whether `text` is to be read in the new channel. */
  private turnTo(channel: Channel, text: string): boolean {
    if (this.channel === undefined) {
      if (channel === 'reasoning') this.mode = 'reasoning'
    } else {
      // White space in the other channel says nothing about a call that waits for what follows it.
      if (this.candidate !== undefined && this.engine === undefined && isBlank(text)) return false
      if (this.candidate !== undefined) this.reject(this.candidate)
      this.finishInput()
      this.input.final = false
      this.mode = channel
      this.place = this.writer.made > 0 ? { after: 'calls' } : { after: 'text' }
    }
    if (channel === 'reasoning') {
      this.hasReasoned = true
      this.isReasoningFresh = true
    }
    this.channel = channel
    return true
  }

  /** Decides everything that is held, as if no more text were to come. */
  private finishInput(): void {
    this.input.final = true
    this.run()
    this.endStray()
  }

  private run(): void {
    while (this.engine !== undefined ? this.runEngine(this.engine) : this.runText());
  }

  private runText(): boolean {
    if (this.candidate !== undefined) return this.decide(this.candidate)
    return this.scan()
  }

  // --- calls ---

  private runEngine(engine: Engine): boolean {
    const step = engine.step()
    const { candidate } = this
    if (candidate !== undefined && this.isTooLong(candidate)) {
      this.reject(candidate)
      return true
    }
    if (this.writer.isOver()) {
      this.writer.overflow()
      this.leaveEngine()
      return true
    }
    if (step === 'again') return true
    if (step === 'more') {
      if (!this.input.final) return false
      engine.finish(this.reason)
    }
    this.leaveEngine()
    return true
  }

  private leaveEngine(): void {
    this.engine = undefined
    if (this.candidate !== undefined) return
    if (this.writer.made > 0) this.turnToContent()
    else if (this.mode === 'content') this.place = { after: 'text' }
  }

  private turnToContent(): void {
    this.mode = 'content'
    this.fence = 0
    this.afterMarker()
    this.place = { after: 'calls' }
  }

  private start(opening: Opening, at: number, length: number): void {
    this.writer.begin(at)
    this.input.at = at + length
    this.engine = startEngine(opening, { input: this.input, writer: this.writer, tools: this.tools })
  }

  private commit(opening: Opening, at: number, length: number): void {
    this.endStray()
    this.committed = opening
    this.writer.fallback = this.mode === 'reasoning' ? 'reasoning' : 'text'
    this.start(opening, at, length)
  }

  // --- candidates ---

  private propose(
    kind: Candidate['kind'],
    opening: Opening,
    from: number,
    at: number,
    length: number,
    fence: number,
  ): void {
    this.input.at = from
    const collector = new EventCollector()
    const recording = this.input.record(from)
    this.candidate = { kind, opening, recording, collector, madeBefore: this.writer.made, fence }
    this.writer.sink = collector
    this.writer.fallback = 'text'
    this.start(opening, at, length)
  }

  /** The engine has read a candidate to its end. What follows decides. */
  private decide(candidate: Candidate): boolean {
    const events = candidate.collector.peek()
    const isDeclared = (name: string): boolean =>
      this.tools.has(name) || (candidate.kind === 'reasoning' && !this.tools.isKnown)
    if (this.isTooLong(candidate) || !isCertain(candidate, events, isDeclared)) {
      this.reject(candidate)
      return true
    }
    if (candidate.kind === 'salvage') {
      this.accept(candidate)
      return true
    }
    this.input.at = skipSpace(this.input.text, this.input.at)
    const verdict = this.input.isEmpty
      ? this.input.final
        ? 'taken'
        : 'hold'
      : candidate.kind === 'fenced'
        ? this.whatFollowsInFence(candidate)
        : this.whatFollowsInReasoning()
    if (verdict === 'hold') return false
    if (verdict === 'text') this.reject(candidate)
    else if (this.engine === undefined) this.accept(candidate)
    return true
  }

  /** Another call, or nothing more: then it was meant as a call. Anything else: it was a draft. */
  private whatFollowsInReasoning(): Verdict {
    const { input } = this
    const { search } = this.lexicon.reasoning
    const length = search.match(input.text, input.at, input.final)
    if (length === PARTIAL) return 'hold'
    const entry = search.value
    if (length === NONE || entry === undefined) return 'text'
    if (entry.is === 'turn-token') {
      input.at += length
      return this.input.isEmpty && !input.final ? 'hold' : this.input.isEmpty ? 'taken' : 'text'
    }
    if (entry.is !== 'opener') return 'text'
    const found = this.findOpening(entry.openings, input.at + length)
    return found === 'hold' ? 'hold' : found === undefined ? 'text' : 'taken'
  }

  /** The end of the fence, or another call in it. */
  private whatFollowsInFence(candidate: Candidate): Verdict {
    const { input } = this
    const { search } = this.lexicon.content
    const length = search.match(input.text, input.at, input.final)
    if (length === PARTIAL) return 'hold'
    const entry = search.value
    if (length === NONE || entry === undefined) return 'text'
    if (entry.is === 'backtick') {
      const run = readBackticks(input.text, input.at, input.final)
      if (run === 'more') return 'hold'
      if (run < candidate.fence) return 'text'
      input.at += run
      return 'taken'
    }
    if (entry.is !== 'opener') return 'text'
    const opening = this.findOpening(entry.openings, input.at + length)
    if (opening === 'hold') return 'hold'
    if (opening === undefined) return 'text'
    this.start(opening, input.at, length)
    return 'taken'
  }

  private accept(candidate: Candidate): void {
    this.input.stop(candidate.recording)
    this.candidate = undefined
    this.writer.sink = this.sink
    this.committed = candidate.opening
    this.endStray()
    replay(candidate.collector.take(), this.sink)
    this.turnToContent()
  }

  private reject(candidate: Candidate): void {
    this.engine = undefined
    this.candidate = undefined
    this.writer.abandon()
    this.writer.made = candidate.madeBefore
    this.writer.sink = this.sink
    const source = this.input.stop(candidate.recording)
    this.input.unread(source)
    this.triedUpTo = this.input.base + Math.min(source.length, this.longestCandidate)
  }

  private isTooLong(candidate: Candidate): boolean {
    return candidate.recording.lengthAt(this.input) > this.longestCandidate
  }

  private get longestCandidate(): number {
    return Math.min(LONGEST_CANDIDATE, this.options.toolCallBytes)
  }

  // --- text and reasoning ---

  /** Passes text on up to the next marker. Returns whether there is more to do with the text at hand. */
  private scan(): boolean {
    const { input } = this
    if (this.place.after === 'marker' || this.place.after === 'calls') {
      input.at = skipSpace(input.text, input.at)
      if (input.isEmpty) return false
    }
    const { text } = input
    let vocabulary = this.vocabularyAt(input.at)
    for (let at = input.at; at < text.length; at++) {
      if (vocabulary.firstCodes[text.charCodeAt(at)] === 0) continue
      if (input.base + at >= this.triedUpTo) vocabulary = this.vocabularyAt(at)
      const length = vocabulary.search.match(text, at, input.final)
      const entry = vocabulary.search.value
      if (length === NONE || entry === undefined) continue
      const verdict = length === PARTIAL ? 'hold' : this.judge(entry, at, length)
      if (verdict === 'taken') return true
      if (verdict === 'hold') {
        this.passOn(at)
        return false
      }
      at += this.skipped(entry, text, at, length) - 1
    }
    this.passOn(text.length)
    return false
  }

  private vocabularyAt(at: number): Vocabulary {
    const isQuoted = this.fence > 0 || this.input.base + at < this.triedUpTo
    if (this.mode === 'reasoning') return isQuoted ? this.lexicon.quotedReasoning : this.lexicon.reasoning
    return isQuoted ? this.lexicon.quotedContent : this.lexicon.content
  }

  /** A run of backticks is passed over as a whole, or its second half would be judged again. */
  private skipped(entry: Entry, text: string, at: number, length: number): number {
    if (entry.is !== 'backtick') return length
    const run = readBackticks(text, at, true)
    return run === 'more' ? length : run
  }

  private judge(entry: Entry, at: number, length: number): Verdict {
    switch (entry.is) {
      case 'opener':
        return this.mode === 'reasoning'
          ? this.judgeInReasoning(entry.openings, at, length)
          : this.judgeInContent(entry.openings, at, length)
      case 'reasoning-begin':
        return this.beginReasoning(at, length)
      case 'reasoning-end':
        return this.endReasoning(at, length)
      case 'structure':
        this.passMarker(at, length)
        this.mode = 'content'
        return 'taken'
      case 'turn-token':
        return this.dropTurnToken(entry.onlyAtEnd, at, length)
      case 'residue':
        return this.dropResidue(entry.grammar, at, length)
      case 'backtick':
        return this.judgeBacktick(at)
    }
  }

  private judgeInContent(openings: readonly Opening[], at: number, length: number): Verdict {
    const opening = this.findOpening(openings, at + length)
    if (opening === 'hold') return 'hold'
    if (opening === undefined) {
      if (openings.every((each) => each.isSalvage)) return 'text'
      this.passOn(at + length)
      this.sink.problem('no-call', problemCodes['no-call'], this.input.text.slice(at, at + length))
      return 'taken'
    }
    if (opening.isSalvage) {
      if (!this.standsAlone(at)) return 'text'
      this.passOn(at)
      this.propose('salvage', opening, at, at, length, 0)
      return 'taken'
    }
    this.passOn(at)
    this.commit(opening, at, length)
    return 'taken'
  }

  /** Special tokens are never prose. Plain text may be a draft: what follows it decides. */
  private judgeInReasoning(openings: readonly Opening[], at: number, length: number): Verdict {
    const opening = this.findOpening(openings, at + length)
    if (opening === 'hold') return 'hold'
    if (opening === undefined) return 'text'
    this.passOn(at)
    if (opening.grammar.isSpecial) this.commit(opening, at, length)
    else this.propose('reasoning', opening, at, at, length, 0)
    return 'taken'
  }

  private findOpening(openings: readonly Opening[], behind: number): Opening | 'hold' | undefined {
    const { input } = this
    for (const opening of openings) {
      if (this.committed !== undefined && opening.grammar !== this.committed.grammar) continue
      const answer = probe(opening, input.text, behind, input.final)
      if (answer === 'more') return 'hold'
      if (answer === 'yes') return opening
    }
    return undefined
  }

  private beginReasoning(at: number, length: number): Verdict {
    if (this.mode === 'reasoning') {
      // The prompt had opened it already, and the model did so again.
      if (!this.isReasoningFresh || !isBlank(this.input.text.slice(this.input.at, at))) return 'text'
      this.input.at = at + length
      this.place = { after: 'marker' }
      return 'taken'
    }
    if (this.isQuoted(at)) return 'text'
    this.passMarker(at, length)
    this.mode = 'reasoning'
    this.place = { after: 'marker' }
    this.hasReasoned = true
    this.isReasoningFresh = true
    return 'taken'
  }

  private endReasoning(at: number, length: number): Verdict {
    const wasReasoning = this.mode === 'reasoning'
    if (!wasReasoning && this.isQuoted(at)) return 'text'
    const marker = this.input.text.slice(at, at + length)
    this.passMarker(at, length)
    this.mode = 'content'
    if (wasReasoning) return 'taken'
    if (this.hasReasoned || this.writer.made > 0) this.sink.repair('residue', repairCodes.residue)
    else this.sink.problem('unopened-reasoning', problemCodes['unopened-reasoning'], marker)
    this.hasReasoned = true
    return 'taken'
  }

  private dropTurnToken(onlyAtEnd: boolean, at: number, length: number): Verdict {
    if (this.isQuoted(at)) return 'text'
    if (onlyAtEnd) {
      const { text, final } = this.input
      if (skipSpace(text, at + length) < text.length) return 'text'
      if (!final) return 'hold'
    }
    this.passMarker(at, length)
    this.sink.repair('turn-token', repairCodes['turn-token'])
    return 'taken'
  }

  /** A closer of calls that were read is expected; a lone special token is noise; other text is text. */
  private dropResidue(grammar: Grammar, at: number, length: number): Verdict {
    const isExpected = this.place.after === 'calls' && at === this.input.at
    const isNoise = grammar.isSpecial && (this.committed?.grammar ?? grammar) === grammar && !this.isQuoted(at)
    if (!isExpected && !isNoise) return 'text'
    this.passMarker(at, length)
    if (!isExpected) this.sink.repair('residue', repairCodes.residue)
    return 'taken'
  }

  private judgeBacktick(at: number): Verdict {
    const { input } = this
    if (!isLineStart(input.text, input.at, at, this.isLineStart)) return 'text'
    const run = readBackticks(input.text, at, input.final)
    if (run === 'more') return 'hold'
    if (run < 3) return 'text'
    if (this.fence > 0) {
      if (run >= this.fence && !/\w/.test(input.text.charAt(at + run))) this.fence = 0
      return 'text'
    }
    if (this.tools.size > 0 && input.base + at >= this.triedUpTo) {
      const found = findFencedOpening(input.text, at + run, this.lexicon.content.search, input.final)
      if (found === 'more') return 'hold'
      if (found !== undefined) {
        const opening = this.findOpening(found.openings, found.at + found.length)
        if (opening === 'hold') return 'hold'
        if (opening !== undefined && !opening.grammar.isSpecial) {
          this.passOn(at)
          this.propose('fenced', opening, at, found.at, found.length, run)
          return 'taken'
        }
      }
    }
    this.fence = run
    return 'text'
  }

  /** Passes on what stands before a marker and drops the marker. */
  private passMarker(at: number, length: number): void {
    this.passOn(at)
    this.endStray()
    this.input.at = at + length
    this.afterMarker()
    this.place = this.writer.made > 0 ? { after: 'calls' } : { after: 'marker' }
  }

  private afterMarker(): void {
    this.isLineStart = true
    this.previousCode = NEWLINE
  }

  /** Passes on the text up to `end` as what it is: content or reasoning. */
  private passOn(end: number): void {
    const { input } = this
    const from = input.at
    if (end <= from) return
    this.isLineStart = isLineStart(input.text, from, end, this.isLineStart)
    this.previousCode = input.text.charCodeAt(end - 1)
    const text = input.take(end)
    if (this.mode === 'reasoning') {
      if (this.isReasoningFresh) this.isReasoningFresh = isBlank(text)
      this.place = { after: 'text' }
      this.sink.reasoning(text)
      return
    }
    if (this.place.after === 'calls') this.place = { after: 'stray-text', text: '' }
    if (this.place.after === 'stray-text') {
      if (this.place.text.length < SHOWN_STRAY) this.place.text += text
    } else if (this.place.after === 'marker') {
      this.place = { after: 'text' }
    }
    this.sink.text(text)
  }

  private endStray(): void {
    if (this.place.after !== 'stray-text') return
    const source = this.place.text.slice(0, SHOWN_STRAY)
    this.place = { after: 'text' }
    this.sink.problem('stray-text', problemCodes['stray-text'], source)
  }

  /** `"<think>"` and `` `<think>` `` speak of a marker; they are none. */
  private isQuoted(at: number): boolean {
    const code = at > this.input.at ? this.input.text.charCodeAt(at - 1) : this.previousCode
    return code === 96 || code === 34 || code === 39
  }

  /** At the start of a line or behind white space. */
  private standsAlone(at: number): boolean {
    const code = at > this.input.at ? this.input.text.charCodeAt(at - 1) : this.previousCode
    return code === NEWLINE || code === 13 || code === 32 || code === 9
  }
}
