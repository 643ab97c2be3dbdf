import type { Sink } from '../events.ts'
import { problemCodes, repairCodes } from '../problems.ts'
import { flatCopy } from '../text/held-text.ts'
import { isBlank, isLineStart, isSpace, isWordCode, marginOf, TAB_WIDTH } from '../text/space.ts'
import type { TextWindow } from '../text/text-window.ts'
import { Line } from './line.ts'

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
const COMMA = 44
const COLON = 58
/** A longer answer inside of reasoning stays reasoning: all of it would have to be kept. */
const LONGEST_THOUGHT = 16_384

/** What may stand before the quote of a string in code: white space, and ( , : = [ */
const opensString: ReadonlySet<number> = new Set([9, 13, 32, NEWLINE, 40, 44, 58, 61, 91])

/** Passes on what is no call, as content or as reasoning, and remembers what stood there last. */
export class TextFlow {
  mode: Channel
  readonly line: Line
  private readonly input: TextWindow
  private readonly sink: Sink
  private place: Place = afterNothing
  private isFresh = true
  private lineStart = true
  /** How far the line at hand is indented, while nothing else stands in it. */
  private margin = 0
  private previousCode = NEWLINE
  /** The unit before that one if that one is a quote or a sign, or 0 where nothing but white space stands there. */
  private earlierCode = 0
  /** What stands before the white space that the text ends with opens a value, or goes on with one. */
  private spaceIsInValue = false
  /** The reasoning that the prompt opened, as far as it may turn out to be the answer. */
  private thought: string | undefined
  private thoughtPieces = 0

  constructor(input: TextWindow, sink: Sink, mode: Channel) {
    this.input = input
    this.sink = sink
    this.mode = mode
    this.line = new Line(input)
    if (mode === 'reasoning') this.line.begin('unread')
  }

  /** Whether the content or reasoning at hand has nothing but white space so far. */
  get isUntouched(): boolean {
    return this.isFresh
  }

  /** Nothing but white space stands before it, in the content or reasoning at hand. */
  isFirst(at: number): boolean {
    const { input } = this
    return this.isFresh && (at === input.at || isBlank(input.text.slice(input.at, at)))
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
    if (this.line.mayChange) this.line.pass(end)
    const last = input.text.charCodeAt(end - 1)
    // What stands before a letter is never asked for.
    if (last < 46 || last === COLON) this.noteEnd(last, from, end)
    else this.lineStart = false
    this.previousCode = last
    const text = input.take(end)
    // Asked first: nearly all text comes behind other text.
    if (this.place !== afterText || this.isFresh) this.noteStart(text)
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

  /** It ends with this unit, which may be white space, a quote, a comma or a colon, or the sign of a line in a patch. */
  private noteEnd(last: number, from: number, end: number): void {
    if (isSpace(last)) {
      this.noteSpace(from, end)
      return
    }
    this.lineStart = false
    this.earlierCode = this.earlierOf(end)
  }

  /** It ends with white space: a line may begin behind it, or a value go on. */
  private noteSpace(from: number, end: number): void {
    const { text } = this.input
    let start = end
    let width = 0
    let hasBreak = false
    for (; start > from; start--) {
      const code = text.charCodeAt(start - 1)
      if (code === NEWLINE || code === 13) hasBreak = true
      else if (code !== 32 && code !== 9) break
      else if (!hasBreak) width += code === 9 ? TAB_WIDTH : 1
    }
    if (text.charCodeAt(end - 1) === NEWLINE) this.line.endWithBreak()
    this.spaceIsInValue =
      start > from ? this.opensValue(text.charCodeAt(start - 1), start) : this.isInsideValue(start)
    this.lineStart = hasBreak || (start === from && this.lineStart)
    if (this.lineStart) this.margin = hasBreak ? width : this.margin + width
  }

  /** It is the first behind a marker, or of the answer. */
  private noteStart(text: string): void {
    if (this.isFresh) this.isFresh = isBlank(text)
    if (this.place !== afterText) this.moveOn(text)
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
    if (isFirst) {
      this.isFresh = true
      this.thought = undefined
    }
    this.mode = mode
    this.place = hasCalls ? afterCalls : afterMarker
    this.lineStart = true
    this.margin = 0
    this.previousCode = NEWLINE
    this.earlierCode = 0
    this.spaceIsInValue = false
    this.line.begin(mode === 'reasoning' ? 'unread' : this.isFresh ? 'blank' : 'start')
  }

  /** Text comes in this channel from now on. No marker stands before it, so its white space is its own. */
  beginChannel(channel: Channel, hasCalls: boolean): void {
    this.begin(channel, hasCalls)
    if (!hasCalls) this.place = afterNothing
  }

  /** `text` was passed on by somebody else. */
  follow(text: string): void {
    this.isFresh = false
    this.lineStart = isLineStart(text, 0, text.length, this.lineStart)
    this.earlierCode = text.length > 1 ? text.charCodeAt(text.length - 2) : this.previousCode
    this.previousCode = text.charCodeAt(text.length - 1)
    this.spaceIsInValue = false
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

  isLineStart(at: number): boolean {
    return isLineStart(this.input.text, this.input.at, at, this.lineStart)
  }

  /** Whether nothing stands before it in its line but a tab, or as many blanks: Markdown takes the line for code. */
  isIndented(at: number): boolean {
    const { input } = this
    return this.isLineStart(at) && marginOf(input.text, input.at, at, this.margin) >= TAB_WIDTH
  }

  /**
   * Whether quotes stand around the marker, as in `"<think>"`: then the text only speaks of it. `more`: the character
   * behind it is still to come.
   */
  isQuoted(at: number, length: number): boolean | 'more' {
    const code = this.codeBefore(at)
    if (code !== 34 && code !== 39 && code !== 96) return this.line.isInCode(at)
    if (at + length === this.input.text.length && !this.input.final) return 'more'
    return this.input.text.charCodeAt(at + length) === code || this.line.isInCode(at)
  }

  /** The same, if inline code around it counts for nothing: what is a token to a model is one in code too. */
  isBetweenQuotes(at: number, length: number): boolean | 'more' {
    const code = this.codeBefore(at)
    if (code !== 34 && code !== 39 && code !== 96) return false
    if (at + length === this.input.text.length && !this.input.final) return 'more'
    return this.input.text.charCodeAt(at + length) === code
  }

  /**
   * Whether code or a patch holds what begins here: right before it stands the quote that opens a string, or the sign of a
   * line in a patch. A quote behind a word closes something, and says nothing.
   */
  isQuotedCode(at: number): boolean {
    const code = this.codeBefore(at)
    const earlier = at > this.input.at ? this.earlierOf(at) : this.earlierCode
    if (code === 43 || code === 45) return earlier === NEWLINE
    return (code === 34 || code === 39) && opensString.has(earlier)
  }

  /** Right behind this UTF-16 unit. */
  isBehind(code: number, at: number): boolean {
    return this.codeBefore(at) === code
  }

  /** At the start of a line, behind white space, or behind one of these marks. */
  standsAlone(at: number, marks = ''): boolean {
    const code = this.codeBefore(at)
    return isSpace(code) || marks.includes(String.fromCharCode(code))
  }

  /**
   * Whether a value goes on there that began before: what begins behind a bracket, behind a key, or behind another value
   * and a comma, is a part of it.
   */
  isInsideValue(at: number): boolean {
    const { input } = this
    let end = at
    while (end > input.at && isSpace(input.text.charCodeAt(end - 1))) end--
    const last = this.codeBefore(end)
    return isSpace(last) ? this.spaceIsInValue : this.opensValue(last, end)
  }

  /** Whether a value, or more of one, stands behind this unit, which is the last before `end`. */
  private opensValue(last: number, end: number): boolean {
    // [ and {, by their codes: to look a sign up in a string takes longer than all the rest.
    if (last === 91 || last === 123) return true
    if (last !== COLON && last !== COMMA) return false
    const earlier = end > this.input.at ? this.earlierOf(end) : this.earlierCode
    // Quotes, or ] and }.
    return last === COLON ? earlier === 34 || earlier === 39 : earlier === 93 || earlier === 125
  }

  /** Not a letter or digit behind another one. */
  beginsWord(at: number): boolean {
    return !isWordCode(this.input.text.charCodeAt(at)) || !isWordCode(this.codeBefore(at))
  }

  /** `beginsWord` for text that has not been appended yet. */
  wouldBeginWord(text: string, at: number): boolean {
    const before = at > 0 ? text.charCodeAt(at - 1) : this.previousCode
    return !isWordCode(text.charCodeAt(at)) || !isWordCode(before)
  }

  /** The unit before the last one before `at`, which is at hand. 0: nothing but white space stands there. */
  private earlierOf(at: number): number {
    const { input } = this
    if (this.isFirst(at - 1)) return 0
    return at - 1 > input.at ? input.text.charCodeAt(at - 2) : this.previousCode
  }

  private codeBefore(at: number): number {
    return at > this.input.at ? this.input.text.charCodeAt(at - 1) : this.previousCode
  }
}
