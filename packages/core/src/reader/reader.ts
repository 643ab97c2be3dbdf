import { CallWriter, type CallWriterOptions } from '../engines/call-writer.ts'
import type { EndReason, Engine } from '../engines/engine.ts'
import { replay, type Sink } from '../events.ts'
import type { FormatId } from '../formats/format-id.ts'
import { isBlank } from '../text/space.ts'
import type { HeldReason, SourceObserver } from '../text/source-observer.ts'
import { TextWindow } from '../text/text-window.ts'
import {
  type Candidate,
  Evidence,
  type Found,
  isExpected,
  isOnlyShown,
  LONGEST_CANDIDATE,
  LONGEST_EXAMPLE,
  SHORT_CANDIDATE,
} from './candidate.ts'
import { CandidateJudge } from './judges/candidate-judge.ts'
import { MarkerJudge, type MarkerJudgeOptions } from './judges/marker-judge.ts'
import type { Lexicon } from './lexicon/lexicon.ts'
import { type Opening, startEngine } from './lexicon/opening.ts'
import { Scanner, type ScannerOptions } from './scanner.ts'
import { StopSearch } from './stop-search.ts'
import { type Channel, TextFlow } from './text-flow.ts'

export interface ReaderOptions extends CallWriterOptions, MarkerJudgeOptions, ScannerOptions {
  readonly lexicon: Lexicon
  /** Told what becomes of each character. */
  readonly observer?: SourceObserver | undefined
}

/**
 * Reads one response. The scanner finds openers, engines read the calls, and what is uncertain is
 * held as a candidate. All decisions depend on characters, never on where a chunk ends.
 */
export class Reader {
  private readonly input = new TextWindow()
  private readonly sink: Sink
  private readonly options: ReaderOptions
  private readonly writer: CallWriter
  private readonly flow: TextFlow
  private readonly markers: MarkerJudge
  private readonly scanner: Scanner
  private readonly candidates: CandidateJudge
  private readonly stops: StopSearch
  private channel: Channel | undefined
  /** White space that came in the other channel while a call, or what may be one, is being read. */
  private spaceBeside = ''
  private engine: Engine | undefined
  /** What the engine was started for. */
  private opening: Opening | undefined
  /** How many calls there were before the engine was started. */
  private madeBefore = 0
  private candidate: Candidate | undefined
  /** Whether what the candidate may see ends at something that it cannot go on across. */
  private stop: 'unknown' | 'none' | 'found' = 'unknown'
  private reason: EndReason | undefined

  constructor(sink: Sink, options: ReaderOptions) {
    this.sink = sink
    this.options = options
    const { lexicon, tools, startsInReasoning, observer } = options
    if (observer !== undefined) {
      this.input.observer = observer
      observer.watch(this.input)
    }
    this.writer = new CallWriter(this.input, sink, tools, options)
    this.writer.onStart = this.commitToOpening.bind(this)
    this.flow = new TextFlow(this.input, sink, startsInReasoning ? 'reasoning' : 'content')
    if (startsInReasoning && lexicon.endsAnswers) this.flow.keepThought('')
    this.stops = new StopSearch(this.input, lexicon)
    const stream = { input: this.input, sink, flow: this.flow }
    this.markers = new MarkerJudge(stream, lexicon, options)
    this.candidates = new CandidateJudge(this.input, lexicon, this.markers)
    this.scanner = new Scanner(stream, lexicon, this.markers, options)
  }

  /** The format whose syntax the stream has shown. */
  get format(): FormatId | null {
    return this.markers.commitment.format ?? null
  }

  get heldBytes(): number {
    return this.input.heldBytes
  }

  /** Where in the stream begins what is held, and why; undefined where nothing is. */
  get held(): { readonly from: number; readonly why: HeldReason } | undefined {
    const { candidate, input, writer } = this
    if (candidate !== undefined) {
      const from = input.position - candidate.recording.lengthAt(input)
      return { from, why: candidate.found.as === 'in-reasoning' ? 'draft' : 'candidate' }
    }
    if (this.engine !== undefined && writer.held !== undefined) return writer.held
    if (input.isEmpty) return undefined
    return { from: input.position, why: this.engine === undefined ? 'marker' : 'markup' }
  }

  /** Content in pieces that end there: how many of them, from the first on, would now go on as they are. */
  countPassing(text: string, ends: readonly number[]): number {
    if (this.engine !== undefined || this.candidate !== undefined || this.channel !== 'content') return 0
    if (this.options.lexicon.isEmpty) return ends.length
    return this.input.isEmpty ? this.scanner.countPassing(text, ends) : 0
  }

  push(text: string, channel: Channel): void {
    if (text === '') return
    const isBeside = channel !== this.channel || this.spaceBeside !== ''
    if (isBeside && this.staysBeside(text, channel)) return
    if (this.options.lexicon.isEmpty) {
      this.passUnread(text, channel)
      return
    }
    const taken = isBeside || this.isReading ? 'not-taken' : this.scanner.takeAtOnce(text)
    if (taken === 'passed') return
    if (taken === 'not-taken') this.input.append(text)
    this.stop = 'unknown'
    this.run()
    if (this.input.letGo()) this.stop = 'unknown'
  }

  /** Turns to the channel, and passes on the white space of the other one. Returns whether the text itself is such white space. */
  private staysBeside(text: string, channel: Channel): boolean {
    if (channel === this.channel) {
      this.passSpaceBeside()
      return false
    }
    // White space in the other channel says nothing about a call that is being read.
    if (this.isReading && isBlank(text)) {
      this.spaceBeside += text
      return true
    }
    const space = this.spaceBeside
    this.spaceBeside = ''
    this.turnTo(channel)
    if (space !== '') this.push(space, channel)
    return false
  }

  private passUnread(text: string, channel: Channel): void {
    if (channel === 'reasoning') this.sink.reasoning(text)
    else this.sink.text(text)
    this.input.observer?.beside(channel, text, this.input.end)
  }

  /** Something else than text comes next: half a marker that is held is the text that it is. A call goes on behind it. */
  settle(): void {
    const { candidate } = this
    // A candidate that is still being read is none: nothing that makes it a call can follow any more. What is expected is one.
    if (candidate !== undefined && this.engine !== undefined) {
      if (isExpected(candidate.found.as)) this.accept(candidate)
      else this.reject(candidate)
    }
    if (this.engine !== undefined || this.candidate !== undefined || this.input.isEmpty) return
    this.finishInput()
    this.input.final = false
  }

  end(reason: EndReason | undefined): void {
    this.reason = reason
    this.finishInput()
    if (this.spaceBeside !== '') this.passSpaceBeside()
    this.markers.finish(reason)
  }

  /** Whether a call, or what may be one, is being read. */
  private get isReading(): boolean {
    return this.candidate !== undefined || this.engine !== undefined
  }

  /** A candidate goes on behind white space of the other channel. White space inside a call belongs to its markup. */
  private passSpaceBeside(): void {
    const space = this.spaceBeside
    this.spaceBeside = ''
    const { observer } = this.input
    if (this.engine !== undefined && this.candidate === undefined) {
      observer?.beside(undefined, space, this.input.end)
      return
    }
    if (this.channel === 'reasoning') this.sink.text(space)
    else this.sink.reasoning(space)
    observer?.beside(this.channel === 'reasoning' ? 'content' : 'reasoning', space, this.input.end)
  }

  private turnTo(channel: Channel): void {
    if (this.channel !== undefined) {
      if (this.candidate !== undefined && !isExpected(this.candidate.found.as)) this.reject(this.candidate)
      this.finishInput()
      this.input.final = false
    }
    if (this.channel !== undefined || channel === 'reasoning') this.scanner.beginChannel(channel)
    this.channel = channel
  }

  /** Decides everything that is held, as if no more text were to come. */
  private finishInput(): void {
    this.input.final = true
    // What half a marker hid at the end of the text may be seen now.
    this.input.reveal()
    this.stop = 'unknown'
    this.run()
    this.flow.endStray()
  }

  private run(): void {
    while (this.step());
  }

  private step(): boolean {
    if (this.engine !== undefined) return this.runEngine(this.engine)
    if (this.candidate !== undefined) return this.decide(this.candidate)
    const found = this.scanner.scan()
    if (found === 'more') return false
    if (found === 'again') return true
    if (found.as === 'certain') this.commit(found)
    else this.propose(found)
    return true
  }

  private runEngine(engine: Engine): boolean {
    const { candidate } = this
    if (candidate !== undefined) return this.runTentatively(engine, candidate)
    const step = engine.step()
    if (step === 'more' && !this.writer.isOver()) {
      if (!this.input.final) return false
      engine.finish(this.reason)
    }
    if (this.writer.isOver()) {
      this.overflow()
    } else if (step !== 'again') {
      this.leaveEngine()
      if (engine.leavesOpen) this.expectRest('open')
      else if (this.writer.made === this.madeBefore) this.expectRest('flushed')
    }
    return true
  }

  private runTentatively(engine: Engine, candidate: Candidate): boolean {
    const isShown = isOnlyShown(candidate.found)
    if (isShown && this.isTooLong(candidate)) {
      this.accept(candidate)
      return true
    }
    if (this.stop === 'unknown' && !isShown) {
      this.stop = this.stops.hide(candidate.found, this.input.at) ? 'found' : 'none'
    }
    const step = engine.step()
    // An engine stands still where more is held than the limit allows, which counts bytes.
    const isTooLong = this.isTooLong(candidate) || (isShown && this.writer.isOver())
    const mayGoOn = this.mayStay(candidate)
    if (candidate.evidence.disprovenAt >= 0 || (isTooLong && !mayGoOn)) {
      this.reject(candidate)
      return true
    }
    if (isTooLong) {
      this.accept(candidate)
      // The engine writes nothing more of what is over the limit.
      if (this.writer.isOver()) this.overflow()
      else if (step === 'done') this.leaveEngine()
      return true
    }
    if (step === 'again') return true
    if (step === 'more') {
      if (this.stop !== 'found' && !this.input.final) return false
      // At a stop nothing says that the model had finished: only what is whole already counts.
      engine.finish(this.stop === 'found' ? undefined : this.reason)
    }
    this.input.reveal()
    this.engine = undefined
    return true
  }

  /** A call has begun, so the stream is written in the format that the engine was started for. */
  private commitToOpening(): void {
    if (this.candidate === undefined && this.opening !== undefined)
      this.markers.commitment.toOpening(this.opening)
  }

  private leaveEngine(): void {
    this.engine = undefined
    const { scanner, flow, writer } = this
    // Reasoning goes on behind what was no call, whatever calls there were before it.
    const isReasoning = flow.mode === 'reasoning' && writer.made === this.madeBefore
    if (writer.made > 0 && !isReasoning) scanner.afterCalls()
  }

  private expectRest(of: 'open' | 'flushed'): void {
    if (this.opening !== undefined) this.markers.leftovers.expectRest(of, this.opening)
  }

  /** What goes out as text is text like any other to what follows it. */
  private overflow(): void {
    const flushed = this.writer.overflow()
    this.leaveEngine()
    if (flushed === '') return
    this.flow.follow(flushed)
    this.expectRest('flushed')
  }

  private start(opening: Opening, at: number, length: number): void {
    const { tools, limitOf, toolCallBytes } = this.options
    this.writer.limit = limitOf.get(opening.format) ?? toolCallBytes
    this.writer.begin(at)
    this.input.at = at + length
    this.opening = opening
    this.engine = startEngine(opening, this.input.text.slice(at, at + length), {
      input: this.input,
      writer: this.writer,
      tools,
      isTentative: this.candidate !== undefined && !isOnlyShown(this.candidate.found),
      addressee: this.markers.commitment.takeAddressee() ?? opening.header?.name ?? undefined,
    })
  }

  private commit({ opening, at, length }: Found): void {
    this.flow.endStray()
    this.writer.fallback = this.flow.mode === 'reasoning' ? 'reasoning' : 'text'
    this.madeBefore = this.writer.made
    this.start(opening, at, length)
  }

  private propose(found: Found): void {
    const { tools } = this.options
    // Code that only shows a call has a placeholder for the name, as often as not.
    const mayBeUnknown = found.as === 'in-reasoning' || found.as === 'in-code'
    const isDeclared = (name: string): boolean =>
      found.as === 'in-thought' || isExpected(found.as) || tools.has(name) || (mayBeUnknown && !tools.isKnown)
    const evidence = new Evidence(this.input, isDeclared, found.as)
    const recording = this.input.record(found.from)
    this.stop = 'unknown'
    this.madeBefore = this.writer.made
    this.candidate = { found, recording, evidence, madeBefore: this.madeBefore, fence: found.fence }
    this.writer.sink = evidence
    this.writer.fallback = 'text'
    this.start(found.opening, found.at, found.length)
  }

  /** The engine has read a candidate to its end. What follows decides. */
  private decide(candidate: Candidate): boolean {
    const proof = this.candidates.judge(candidate, this.options.tools)
    if (typeof proof === 'object') {
      this.start(proof.opening, this.input.at, proof.length)
      this.stop = 'unknown'
    }
    const isTooLong = this.isTooLong(candidate)
    // A thought that goes on for so long behind a call, or in it, is none, and neither is code.
    const isProven =
      isTooLong && (isOnlyShown(candidate.found) || this.mayStay(candidate)) ? true : proof === 'proven'
    if (isProven) this.accept(candidate)
    else if (proof === 'disproven' || isTooLong) this.reject(candidate)
    return proof !== 'open'
  }

  private accept(candidate: Candidate): void {
    this.input.stop(candidate.recording)
    this.candidate = undefined
    this.writer.sink = this.sink
    const hasCalls = this.writer.made > candidate.madeBefore
    if (hasCalls) this.markers.commitment.toOpening(candidate.found.opening)
    this.flow.endStray()
    replay(candidate.evidence.take(), this.sink)
    if (hasCalls) this.scanner.afterCalls()
  }

  /** It is text after all: it is read again, and plain-text openers in it are not tried twice. */
  private reject(candidate: Candidate): void {
    const { input, scanner } = this
    this.engine = undefined
    this.candidate = undefined
    this.markers.leftovers.hasOpeners = true
    this.writer.abandon()
    this.writer.made = candidate.madeBefore
    this.writer.sink = this.sink
    const { disprovenAt } = candidate.evidence
    const readTo = disprovenAt < 0 ? input.base + input.at : disprovenAt
    input.unread(input.stop(candidate.recording))
    input.reveal()
    const start = input.base + input.at
    // A large chunk is read beyond the limit before anybody looks.
    const isTooLong = readTo - start > this.longestCandidate
    const end = isTooLong ? start + this.longestCandidate : readTo
    const isShort = !isTooLong && end - start <= SHORT_CANDIDATE && !isOnlyShown(candidate.found)
    scanner.skipTried(isShort ? start + 1 : end)
  }

  /** Whether a candidate that is too long counts all the same: it is expected, or began with a whole call in a thought. */
  private mayStay({ found, recording, evidence }: Candidate): boolean {
    const start = this.input.position - recording.lengthAt(this.input)
    return isExpected(found.as) || evidence.wholeAt - start <= this.longestCandidate
  }

  private isTooLong({ found, recording }: Candidate): boolean {
    const most = isExpected(found.as) ? LONGEST_EXAMPLE : LONGEST_CANDIDATE
    return recording.lengthAt(this.input) > Math.min(most, this.writer.limit)
  }

  private get longestCandidate(): number {
    return Math.min(LONGEST_CANDIDATE, this.writer.limit)
  }
}
