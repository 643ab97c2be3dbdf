import { skipSpace } from '../text/space.ts'
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

/** So much text is kept until it is looked through: to look through each piece of a few characters would take longer. */
const LOOK_AFTER = 256

/** A piece of the text that was not looked through yet. Only those behind the last line break are asked for: the way goes back. */
interface Kept {
  readonly piece: string
  readonly before: Kept | undefined
}

/** What changes a line of plain text: code between backticks, and the beginning of a quote or of the row of a table. */
export const codeNotes: readonly string[] = ['`']
export const lineNotes: readonly string[] = [...codeNotes, '\n>', '\n|']

/**
 * The line at hand: whether it is quoted or a row of a table, and whether code between backticks is open in it, which does not go
 * on in the next line. Most text holds none of the notes, and is not looked at. From a note on, text is kept, and looked through
 * when somebody asks or when there is much of it.
 */
export class Line {
  /** The text at hand may change the line: it holds a note, or the line is not one of plain text. */
  mayChange = true
  /** The text at hand holds a note, or stands behind one: then nobody has to look for more of them. */
  hasNotes = false
  private state: LineState = 'blank'
  private readonly input: TextWindow
  /** What was passed on since the line was looked through, and how much that is. */
  private kept: Kept | undefined
  private keptLength = 0
  /** Up to where in the stream text was kept or looked through: what is asked about is passed on later. */
  private keptTo = 0
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
    this.kept = undefined
    this.keptLength = 0
    this.codeLength = 0
    this.runEnd = -1
  }

  /** `text` was passed on by somebody else. */
  follow(text: string): void {
    this.look()
    if (text.includes('\n')) this.begin('start')
    if (this.state !== 'unread' && !text.endsWith('\n') && this.state !== 'quoted') this.state = 'plain'
  }

  /** Behind a fence that was closed the line goes on, and holds no code so far. */
  goOnAt(at: number): void {
    this.begin('plain')
    this.keptTo = this.input.base + at
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

  /** Whether a note may stand there, the first of the text at hand. Those behind it need not be looked for. */
  takesNote(text: string, at: number): boolean {
    const code = text.charCodeAt(at)
    if (code !== BACKTICK && code !== NEWLINE) return false
    this.expectNotes()
    return true
  }

  /** To be called before the text up to `end` is passed on, which ends with the unit `last`. */
  pass(end: number, last: number): void {
    if (last === NEWLINE && this.state !== 'unread' && this.state !== 'blank') {
      this.begin('start')
      return
    }
    if (this.state === 'start' && !this.hasNotes && this.passStart(end)) return
    this.keepTo(end)
    if (!this.hasNotes || this.keptLength >= LOOK_AFTER) this.look()
  }

  /** Whether a plain line begins there: in a text without notes that is told by its first character. */
  private passStart(end: number): boolean {
    const { text, at, base } = this.input
    const from = Math.max(at, this.keptTo - base)
    const code = from < end ? text.charCodeAt(from) : QUOTE
    if (code === QUOTE || code === BAR) return false
    this.state = 'plain'
    this.mayChange = false
    return true
  }

  private lookTo(end: number): void {
    this.keepTo(end)
    this.look()
  }

  private keepTo(end: number): void {
    const { text, at, base } = this.input
    const from = Math.max(at, this.keptTo - base)
    if (from >= end || this.state === 'unread') return
    const piece = from === 0 && end === text.length ? text : text.slice(from, end)
    this.kept = { piece, before: this.kept }
    this.keptLength += piece.length
    this.keptTo = base + end
  }

  private look(): void {
    if (this.kept === undefined) return
    const text = this.takeKept()
    const first = this.state === 'blank' ? this.beginAt(text, skipSpace(text, 0)) : 0
    const lineBreak = lastBreak(text)
    if (lineBreak < first) {
      if (this.state === 'start') this.beginAt(text, first)
      this.readBackticks(text, first)
    } else {
      this.begin('start')
      this.readBackticks(text, this.beginAt(text, lineBreak + 1))
    }
    this.hasNotes = this.codeLength > 0 || this.state === 'quoted'
    this.mayChange = this.state !== 'plain' || this.codeLength > 0
  }

  /** What was kept, from a place before its last line break on: what stands before that says nothing of the line at hand. */
  private takeKept(): string {
    let text = ''
    for (let { kept } = this; kept !== undefined; kept = kept.before) {
      text = kept.piece + text
      if (this.state !== 'blank' && kept.piece.includes('\n')) break
    }
    this.kept = undefined
    this.keptLength = 0
    return text
  }

  /** A line begins there, if anything stands there. */
  private beginAt(text: string, at: number): number {
    if (at === text.length) return at
    const code = text.charCodeAt(at)
    this.state = code === QUOTE || code === BAR ? 'quoted' : 'plain'
    this.quotedFrom = this.positionIn(text, at)
    return at
  }

  /** Where in the stream that place in the kept text stands. */
  private positionIn(text: string, at: number): number {
    return this.keptTo - text.length + at
  }

  private readBackticks(text: string, from: number): void {
    for (let at = text.indexOf('`', from); at >= 0; at = text.indexOf('`', at)) {
      const start = at
      while (text.charCodeAt(at) === BACKTICK) at++
      this.passRun(this.positionIn(text, start), at - start)
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

/** Where the last line break stands, or -1. Looking from the end is slow where there is none. */
function lastBreak(text: string): number {
  return text.includes('\n') ? text.lastIndexOf('\n') : -1
}
