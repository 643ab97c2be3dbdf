import type { Sink } from '../events.ts'
import { problemCodes, repairCodes } from '../problems.ts'
import { flatCopy } from '../text/held-text.ts'
import type { TextWindow } from '../text/text-window.ts'
import { Line } from './line.ts'
import { TextBefore } from './text-before.ts'

export type Channel = 'content' | 'reasoning'

/** What the model writes, as it is read: the text at hand, and where it goes. */
export interface ModelStream {
  readonly input: TextWindow
  /** For what there is to say about the text. */
  readonly sink: Sink
  /** For the text itself. */
  readonly flow: TextFlow
}

/** What comes before the text at hand. */
type Place =
  | { after: 'nothing' }
  | { after: 'text' }
  /** White space here belongs to the marker. */
  | { after: 'marker' }
  /** White space here belongs to the calls; other text is stray. */
  | { after: 'calls' }
  | { after: 'stray-text'; text: string }

// One object each, as every piece of text comes by here.
const afterNothing: Place = { after: 'nothing' }
const afterText: Place = { after: 'text' }
const afterMarker: Place = { after: 'marker' }
const afterCalls: Place = { after: 'calls' }

/** How much of a stretch of stray text its report shows. */
const SHOWN_STRAY = 256
const NEWLINE = 10
/** A longer answer inside of reasoning stays reasoning: all of it would have to be kept. */
const LONGEST_THOUGHT = 16_384

/** Passes on what is no call, as content or as reasoning, and remembers whether it stands behind a marker or behind calls. */
export class TextFlow {
  mode: Channel
  readonly line: Line
  readonly before: TextBefore
  private readonly input: TextWindow
  private readonly sink: Sink
  private place: Place = afterNothing
  /** The reasoning that the prompt opened, as far as it may turn out to be the answer. */
  private thought: string | undefined
  private thoughtPieces = 0

  constructor(input: TextWindow, sink: Sink, mode: Channel) {
    this.input = input
    this.sink = sink
    this.mode = mode
    this.line = new Line(input)
    this.before = new TextBefore(input)
    if (mode === 'reasoning') this.line.begin('unread')
  }

  /** Nothing at all stands between it and the marker before. */
  isBehindMarker(at: number): boolean {
    return this.ownsSpace && at === this.input.at
  }

  /** In the midst of content, with no call before it. */
  get isPlain(): boolean {
    return this.mode === 'content' && this.place === afterText
  }

  /** White space behind a marker belongs to it. */
  get ownsSpace(): boolean {
    return this.place.after === 'marker' || this.place.after === 'calls'
  }

  /** Passes on the text up to `end`. Every chunk comes by here: what few of them need is done elsewhere. */
  passOn(end: number): void {
    const { input } = this
    const from = input.at
    if (end <= from) return
    const last = input.text.charCodeAt(end - 1)
    if (this.line.mayChange || last === NEWLINE) this.line.pass(end, last)
    const text = input.take(end)
    this.before.pass(text, last)
    // Asked first: nearly all text comes behind other text.
    if (this.place !== afterText) this.moveOn(text)
    if (this.mode === 'content') this.sink.text(text)
    else this.passThought(text)
    if (input.observer !== undefined) this.tellPassed(from)
  }

  private tellPassed(from: number): void {
    const { observer, base, position } = this.input
    observer?.passed(this.mode, base + from, position)
  }

  private passThought(text: string): void {
    this.sink.reasoning(text)
    if (this.thought !== undefined) this.keepThought(this.thought + text)
  }

  /** The reasoning at hand may turn out to be the answer. */
  keepThought(thought: string): void {
    this.thought = thought.length > LONGEST_THOUGHT ? undefined : thought
    // Many small pieces take many times the memory of their characters until they are joined.
    if (this.thought !== undefined && ++this.thoughtPieces % 64 === 0) this.thought = flatCopy(this.thought)
  }

  /** What the prompt had opened as reasoning, if nothing has closed it; empty if it was longer than can be kept. */
  takeThought(): string {
    const thought = this.thought ?? ''
    this.thought = undefined
    return thought
  }

  /** This text is the first behind a marker, or more of what is stray. */
  private moveOn(text: string): void {
    const isContent = this.mode === 'content'
    if (isContent && this.place.after === 'calls') this.place = { after: 'stray-text', text: '' }
    if (!isContent || this.place.after !== 'stray-text') this.place = afterText
    else if (this.place.text.length < SHOWN_STRAY) this.place.text += text
  }

  /** Passes on what stands before a marker, and drops the marker. `code`: it should not stand there. */
  passMarker(at: number, length: number, hasCalls: boolean, code?: 'residue' | 'turn-token'): void {
    this.passOn(at)
    this.endStray()
    this.input.at = at + length
    this.begin(this.mode, hasCalls)
    if (code === undefined) return
    this.input.observer?.removed(code, this.input.position - length, this.input.position)
    this.sink.repair(code, repairCodes[code])
  }

  /** Text of this kind begins, right behind a marker. `isFirst`: what came before it was none of this kind. */
  begin(mode: Channel, hasCalls: boolean, isFirst = mode !== this.mode): void {
    if (isFirst) this.thought = undefined
    this.mode = mode
    this.place = hasCalls ? afterCalls : afterMarker
    this.before.begin(isFirst)
    this.line.begin(mode === 'reasoning' ? 'unread' : this.before.isUntouched ? 'blank' : 'start')
  }

  /** Text comes in this channel from now on. No marker stands before it, so its white space is its own. */
  beginChannel(channel: Channel, hasCalls: boolean): void {
    this.begin(channel, hasCalls)
    if (!hasCalls) this.place = afterNothing
  }

  /** `text` was passed on by somebody else. */
  follow(text: string): void {
    this.before.pass(text, text.charCodeAt(text.length - 1))
    this.line.follow(text)
    this.moveOn('')
  }

  /** A stretch of text between calls is over. */
  endStray(): void {
    if (this.place.after !== 'stray-text') return
    const source = this.place.text.slice(0, SHOWN_STRAY)
    this.place = afterText
    this.sink.problem('stray-text', problemCodes['stray-text'], source)
  }

  /**
   * Whether quotes stand around the marker, as in `"<think>"`: then the text only speaks of it. `more`: the character
   * behind it is still to come.
   */
  isQuoted(at: number, length: number): boolean | 'more' {
    const isBetween = this.before.isBetweenQuotes(at, length)
    return isBetween === false ? this.line.isInCode(at) : isBetween
  }
}
