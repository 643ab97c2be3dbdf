import { isBlank, isLineStart, isSpace, isWordCode, marginOf, TAB_WIDTH } from '../text/space.ts'
import type { TextWindow } from '../text/text-window.ts'

const TAB = 9
const NEWLINE = 10
const RETURN = 13
const COMMA = 44
const DOT = 46
const COLON = 58
const SINGLE_QUOTE = 39
const DOUBLE_QUOTE = 34

/** What was passed on of a longer text is looked at once: kept, it would keep the whole of it in memory. */
const LONG_TEXT = 512

/** What may stand before the quote of a string in code: white space, and ( , : = [ */
const opensString: ReadonlySet<number> = new Set([TAB, NEWLINE, RETURN, 32, 40, COMMA, COLON, 61, 91])

/**
 * What stands before a place in the text at hand, be it in that text or passed on already. The last piece that was passed on is kept,
 * and looked at when somebody asks: of most pieces nobody does.
 */
export class TextBefore {
  /** Whether nothing but white space was passed on so far, of the content or reasoning at hand. */
  isUntouched = true
  /** The last unit that was passed on. A line break, where nothing was. */
  lastCode = NEWLINE
  private readonly input: TextWindow
  /** The last piece that was passed on, until it is looked at, and the unit in front of it. */
  private piece = ''
  private codeBeforePiece = NEWLINE
  private lineStart = true
  /** How far the line at hand is indented, while nothing else stands in it. */
  private margin = 0
  /** The unit before the last one, or 0 where nothing but white space stands there. */
  private earlierCode = 0
  /** What stands before the white space that the text ends with opens a value, or goes on with one. */
  private spaceIsInValue = false

  constructor(input: TextWindow) {
    this.input = input
  }

  /** Text begins, right behind a marker. `isFirst`: what came before it was none of this kind. */
  begin(isFirst: boolean): void {
    if (isFirst) this.isUntouched = true
    this.lastCode = NEWLINE
    this.piece = ''
    this.lineStart = true
    this.margin = 0
    this.earlierCode = 0
    this.spaceIsInValue = false
  }

  /** `piece` was passed on, which ends with this unit. What stands before a letter is never asked for. */
  pass(piece: string, last: number): void {
    if (last < DOT || last === COLON) {
      this.keep(piece, last)
      return
    }
    this.lastCode = last
    this.piece = ''
    this.lineStart = false
    this.isUntouched = false
  }

  /** It ends with white space, a quote, a comma or a colon, or with the sign of a line in a patch. */
  private keep(piece: string, last: number): void {
    // Behind a piece of white space counts what stands before it.
    if (last <= 32 && isSpace(piece.charCodeAt(0))) this.look()
    this.codeBeforePiece = this.lastCode
    this.lastCode = last
    this.piece = piece
    if (!this.isUntouched && this.input.text.length <= LONG_TEXT) return
    this.look()
    if (this.isUntouched) this.isUntouched = isBlank(piece)
  }

  private look(): void {
    const { piece } = this
    if (piece === '') return
    this.piece = ''
    if (isSpace(this.lastCode)) {
      this.lookAtSpace(piece)
      return
    }
    this.lineStart = false
    this.earlierCode = this.earlierIn(piece, piece.length)
  }

  /** The piece ends with white space: a line may begin behind it, or a value go on. */
  private lookAtSpace(piece: string): void {
    let start = piece.length
    let margin = 0
    let hasBreak = false
    for (; start > 0; start--) {
      const code = piece.charCodeAt(start - 1)
      if (!isSpace(code)) break
      if (code === NEWLINE || code === RETURN) hasBreak = true
      else if (!hasBreak) margin += code === TAB ? TAB_WIDTH : 1
    }
    this.margin = hasBreak || start > 0 ? margin : this.margin + margin
    this.lineStart = hasBreak || (start === 0 && this.lineStart)
    const last = start > 0 ? piece.charCodeAt(start - 1) : this.codeBeforePiece
    if (isSpace(last)) return
    const earlier = start > 0 ? this.earlierIn(piece, start) : this.earlierCode
    this.spaceIsInValue = opensValue(last, earlier)
  }

  private earlierIn(piece: string, end: number): number {
    if (this.isUntouched && isBlank(piece.slice(0, end - 1))) return 0
    return end > 1 ? piece.charCodeAt(end - 2) : this.codeBeforePiece
  }

  /** Nothing but white space stands before it, in the content or reasoning at hand. */
  isFirst(at: number): boolean {
    const { input } = this
    return this.isUntouched && (at === input.at || isBlank(input.text.slice(input.at, at)))
  }

  isLineStart(at: number): boolean {
    this.look()
    return isLineStart(this.input.text, this.input.at, at, this.lineStart)
  }

  /** Whether nothing stands before it in its line but a tab, or as many blanks: Markdown takes the line for code. */
  isIndented(at: number): boolean {
    const { input } = this
    return this.isLineStart(at) && marginOf(input.text, input.at, at, this.margin) >= TAB_WIDTH
  }

  /** Whether quotes stand around what begins here. `more`: the character behind it is still to come. */
  isBetweenQuotes(at: number, length: number): boolean | 'more' {
    const code = this.codeBefore(at)
    if (code !== DOUBLE_QUOTE && code !== SINGLE_QUOTE && code !== 96) return false
    if (at + length === this.input.text.length && !this.input.final) return 'more'
    return this.input.text.charCodeAt(at + length) === code
  }

  /**
   * Whether code or a patch holds what begins here: right before it stands the quote that opens a string, or the sign of a
   * line in a patch. A quote behind a word closes something, and says nothing.
   */
  isQuotedCode(at: number): boolean {
    const code = this.codeBefore(at)
    const earlier = this.earlierOf(at)
    if (code === 43 || code === 45) return earlier === NEWLINE
    return (code === DOUBLE_QUOTE || code === SINGLE_QUOTE) && opensString.has(earlier)
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
    this.look()
    const { input } = this
    let end = at
    while (end > input.at && isSpace(input.text.charCodeAt(end - 1))) end--
    const last = this.codeBefore(end)
    return isSpace(last) ? this.spaceIsInValue : opensValue(last, this.earlierOf(end))
  }

  /** Not a letter or digit behind another one. */
  beginsWord(at: number): boolean {
    return !isWordCode(this.input.text.charCodeAt(at)) || !isWordCode(this.codeBefore(at))
  }

  /** `beginsWord` for text that has not been appended yet. */
  wouldBeginWord(text: string, at: number): boolean {
    const before = at > 0 ? text.charCodeAt(at - 1) : this.lastCode
    return !isWordCode(text.charCodeAt(at)) || !isWordCode(before)
  }

  /** The unit before the last one before `at`. 0: nothing but white space stands there. */
  private earlierOf(at: number): number {
    const { input } = this
    if (at === input.at) {
      this.look()
      return this.earlierCode
    }
    if (this.isFirst(at - 1)) return 0
    return at - 1 > input.at ? input.text.charCodeAt(at - 2) : this.lastCode
  }

  /** The unit right before it. A line break, where nothing stands there. */
  codeBefore(at: number): number {
    return at > this.input.at ? this.input.text.charCodeAt(at - 1) : this.lastCode
  }
}

/** Whether a value, or more of one, stands behind the unit `last`. */
function opensValue(last: number, earlier: number): boolean {
  // [ and {, by their codes: to look a sign up in a string takes longer than all the rest.
  if (last === 91 || last === 123) return true
  if (last === COLON) return earlier === DOUBLE_QUOTE || earlier === SINGLE_QUOTE
  // ] and }
  return last === COMMA && (earlier === 93 || earlier === 125)
}
