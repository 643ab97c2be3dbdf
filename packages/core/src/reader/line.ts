import { hasLineBreak, skipSpace } from '../text/space.ts'
import type { TextWindow } from '../text/text-window.ts'

/**
 * What is known of the line at hand. `unread`: it is in a fence or in a thought, where nobody asks. `blank`: nothing but white
 * space came yet, in this line or before it. `start`: the next character is its first one.
 */
type LineState = 'unread' | 'blank' | 'start' | 'plain' | 'quoted'

const NEWLINE = 10
const BACKTICK = 96
/** The signs > and |. */
const QUOTE = 62
const BAR = 124

/** Up to this length it takes less to look through a piece of a text than to make a string of it. */
const SHORT_PIECE = 48

/** What changes a line of plain text: code between backticks, and the beginning of a quote or of the row of a table. */
export const codeNotes: readonly string[] = ['`']
export const lineNotes: readonly string[] = [...codeNotes, '\n>', '\n|']

/**
 * The line at hand: whether it is quoted or a row of a table, and whether code between backticks is open in it, which does not go
 * on in the next line. It is looked through when somebody asks, or when its text is passed on. Most text holds none of the
 * notes, and is not looked through at all.
 */
export class Line {
  /** The text at hand may change the line: it holds a note, or the line is not one of plain text. */
  mayChange = true
  hasNotes = false
  private state: LineState = 'blank'
  private readonly input: TextWindow
  /** Up to where in the stream the line was looked through: from its start each time would be quadratic. */
  private seenTo = 0
  private quotedFrom = 0
  /** Length of the run of backticks that opened code, or 0. */
  private codeLength = 0
  /** The last run of backticks: what `codeLength` was before it, its own length, and where in the stream it ends. */
  private beforeRun = 0
  private runLength = 0
  private runEnd = -1

  constructor(input: TextWindow) {
    this.input = input
  }

  /** A line begins with what follows. */
  begin(state: Exclude<LineState, 'quoted'>): void {
    this.state = state
    this.mayChange = state !== 'unread'
    this.hasNotes = false
    this.codeLength = 0
    this.runEnd = -1
  }

  /** `text` was passed on by somebody else. */
  follow(text: string): void {
    if (text.includes('\n')) this.begin('start')
    if (this.state !== 'unread' && !text.endsWith('\n') && this.state !== 'quoted') this.state = 'plain'
  }

  /** Behind a fence that was closed the line goes on, and holds no code so far. */
  goOnAt(at: number): void {
    this.begin('plain')
    this.seenTo = this.input.base + at
  }

  /** Length of the run of backticks that opened the code at `at`, or 0. */
  codeLengthAt(at: number): number {
    if (this.mayChange) this.lookTo(at)
    return this.codeLength
  }

  isInCode(at: number): boolean {
    return this.codeLengthAt(at) > 0
  }

  /** What begins with the sign of a quote itself is not quoted: some calls do. */
  isQuoted(at: number): boolean {
    if (this.mayChange) this.lookTo(at)
    return this.state === 'quoted' && this.input.base + at !== this.quotedFrom
  }

  /** The text at hand may hold notes. */
  expectNotes(): void {
    if (this.state === 'unread') return
    this.hasNotes = true
    this.mayChange = true
  }

  /**
   * Whether a note and nothing else stands at `at`. In a short text each is taken as it is found; in a long one the search
   * passes them over, and the line is looked through where it is passed on.
   */
  takesNote(text: string, at: number): boolean {
    const code = text.charCodeAt(at)
    if ((code !== BACKTICK && code !== NEWLINE) || this.hasNotes || this.state === 'unread') return false
    const next = text.charCodeAt(at + 1)
    const isOnlyNote =
      code === NEWLINE ? next === QUOTE || next === BAR : at + 1 < text.length && next !== BACKTICK
    if (!isOnlyNote || text.length - at > SHORT_PIECE) {
      this.expectNotes()
      return false
    }
    this.mayChange = true
    const isPlain = this.state === 'plain' && this.codeLength === 0
    if (!isPlain) this.lookTo(at)
    const { base } = this.input
    if (code === BACKTICK) {
      this.passRun(base + at, 1)
    } else {
      this.begin('start')
      this.readSign(at + 1, text.length)
    }
    this.seenTo = base + at + 1
    return true
  }

  /** To be called before the text up to `end` is passed on. */
  pass(end: number): void {
    if (this.hasNotes) this.lookTo(end)
    else this.lookForBreak(end)
    this.hasNotes = false
    this.mayChange = this.codeLength > 0 || (this.state !== 'plain' && this.state !== 'unread')
  }

  /** In text without notes a line can only end: the next one is plain. */
  private lookForBreak(end: number): void {
    const { text, base, at } = this.input
    const from = Math.max(at, this.seenTo - base)
    if (this.state === 'blank') this.readSign(skipSpace(text, from), end)
    else if (this.state === 'start') this.readSign(from, end)
    const isPlain = this.codeLength === 0 && this.state !== 'quoted'
    if (!isPlain && hasLineBreak(text, from, end)) this.begin('plain')
  }

  /** What was passed on last ended with a line break. */
  endWithBreak(): void {
    if (this.state !== 'unread' && this.state !== 'blank') this.begin('start')
  }

  private lookTo(end: number): void {
    const { input } = this
    const from = Math.max(input.at, this.seenTo - input.base)
    if (from >= end || this.state === 'unread') return
    this.seenTo = input.base + end
    const first = this.state === 'blank' ? this.readSign(skipSpace(input.text, from), end) : from
    const lineBreak = lastBreak(input.text, first, end)
    if (lineBreak < first) {
      if (this.state === 'start') this.readSign(first, end)
      this.readBackticks(first, end)
      return
    }
    this.begin('start')
    this.readBackticks(this.readSign(lineBreak + 1, end), end)
  }

  /** Returns where the line begins. */
  private readSign(at: number, end: number): number {
    if (at >= end) return end
    const code = this.input.text.charCodeAt(at)
    this.state = code === QUOTE || code === BAR ? 'quoted' : 'plain'
    this.quotedFrom = this.input.base + at
    return at
  }

  private readBackticks(from: number, end: number): void {
    const { text, base } = this.input
    const isShort = end - from <= SHORT_PIECE
    const piece = isShort ? text : text.slice(from, end)
    const shift = isShort ? 0 : from
    const to = end - shift
    for (let at = nextBacktick(piece, from - shift, to); at < to; at = nextBacktick(piece, at, to)) {
      const start = at
      while (at < to && piece.charCodeAt(at) === BACKTICK) at++
      this.passRun(base + shift + start, at - start)
    }
  }

  /** A run of backticks opens code, or closes it. It may have begun in the chunk before: then it is judged anew, as a whole. */
  private passRun(start: number, length: number): void {
    const goesOn = start === this.runEnd
    if (!goesOn) this.beforeRun = this.codeLength
    this.runLength = goesOn ? this.runLength + length : length
    this.runEnd = start + length
    const { beforeRun, runLength } = this
    this.codeLength = beforeRun === 0 ? runLength : beforeRun === runLength ? 0 : beforeRun
  }
}

/** The last line break from `from` up to `end`, or less than `from`. */
function lastBreak(text: string, from: number, end: number): number {
  // Looking from the end is slow where there is none.
  if (end - from > SHORT_PIECE) {
    const piece = text.slice(from, end)
    return piece.includes('\n') ? from + piece.lastIndexOf('\n') : from - 1
  }
  let at = end - 1
  while (at >= from && text.charCodeAt(at) !== NEWLINE) at--
  return at
}

function nextBacktick(text: string, from: number, end: number): number {
  if (end - from > SHORT_PIECE) {
    const at = text.indexOf('`', from)
    return at < 0 ? end : at
  }
  let at = from
  while (at < end && text.charCodeAt(at) !== BACKTICK) at++
  return at
}
