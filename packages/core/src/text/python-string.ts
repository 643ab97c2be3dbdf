import { nextMatch } from './next-match.ts'
import type { TextWindow } from './text-window.ts'

/** Whether a quote closes the string, by what stands at `at`, behind it. */
type QuoteTest = (text: string, at: number, quote: string, final: boolean) => 'yes' | 'no' | 'more'

/** The letters that Python allows in front of a string. */
export const stringPrefix = /^(?:[rbuf]|br|rb|fr|rf)$/i

/** How a string opens: its quote, once or three times. */
export function readOpeningQuote(text: string, at: number, final: boolean): 1 | 3 | 'more' {
  const quote = text.charAt(at)
  for (const ahead of [at + 1, at + 2]) {
    if (ahead >= text.length) return final ? 1 : 'more'
    if (text.charAt(ahead) !== quote) return 1
  }
  return 3
}

/** Reads one string from behind its opening quote, and passes its text on while it comes in. */
export class PythonString {
  private readonly quote: string
  private readonly isTriple: boolean
  private readonly isRaw: boolean
  private readonly special: RegExp
  /** It holds quotes of its own that nobody escaped. */
  hasBareQuotes = false
  /** A backslash in it begins an escape that goes no further: a path, as like as not. */
  hasBrokenEscapes = false
  /** How many brackets are open in what was read of it. */
  private openBrackets = 0

  constructor(quote: string, isTriple: boolean, prefix: string) {
    this.quote = quote
    this.isTriple = isTriple
    this.isRaw = /r/i.test(prefix)
    if (/f/i.test(prefix)) this.special = quote === '"' ? /["\\{]/g : /['\\{]/g
    else this.special = quote === '"' ? /["\\]/g : /['\\]/g
  }

  /** `broken`: Python would put a value into the text there, and nobody knows which. */
  read(input: TextWindow, closes: QuoteTest, write: (piece: string) => void): 'more' | 'done' | 'broken' {
    const { text, final } = input
    for (;;) {
      const at = nextMatch(this.special, text, input.at)
      if (at > input.at) {
        const piece = input.take(at)
        this.countBrackets(piece)
        write(piece)
      }
      if (at === text.length) return 'more'
      if (text.charAt(at) === '{') return 'broken'
      const next =
        text.charAt(at) === '\\' ? this.escape(text, at, final) : this.endsAt(text, at, closes, final)
      if (next === 'more') return 'more'
      if (next === 'yes') {
        input.at = at + (this.isTriple ? 3 : 1)
        return 'done'
      }
      if (next === 'no' && !this.isTriple) this.hasBareQuotes = true
      if (next !== 'no' && next.isBroken === true) this.hasBrokenEscapes = true
      write(next === 'no' ? this.quote : next.text)
      input.at = at + (next === 'no' ? 1 : next.length)
    }
  }

  /** Whether brackets were opened in it and not closed: then it may hold code, and what looks like the next argument may be its own. */
  get isInBrackets(): boolean {
    return this.openBrackets > 0
  }

  private countBrackets(piece: string): void {
    for (let at = 0; at < piece.length; at++) {
      const char = piece.charAt(at)
      if (char === '(' || char === '[' || char === '{') this.openBrackets++
      else if ((char === ')' || char === ']' || char === '}') && this.openBrackets > 0) this.openBrackets--
    }
  }

  private escape(text: string, at: number, final: boolean): Escape | 'more' {
    if (!this.isRaw) return readEscape(text, at, final)
    // Even in a raw string the character behind a backslash closes nothing.
    if (at + 1 === text.length && !final) return 'more'
    const pair = text.slice(at, at + 2)
    return { text: pair, length: pair.length }
  }

  private endsAt(text: string, at: number, closes: QuoteTest, final: boolean): 'yes' | 'no' | 'more' {
    if (!this.isTriple) return closes(text, at + 1, this.quote, final)
    for (const ahead of [at + 1, at + 2, at + 3]) {
      if (ahead >= text.length) return final ? (ahead === at + 3 ? 'yes' : 'no') : 'more'
      // A fourth quote: the first of them is the last character of the text.
      if ((text.charAt(ahead) === this.quote) === (ahead === at + 3)) return 'no'
    }
    return 'yes'
  }
}

/** What a backslash and the characters behind it stand for. */
interface Escape {
  readonly text: string
  /** How long it is written, the backslash included. */
  readonly length: number
  /** It lacks some of its digits, or is meant otherwise, and stays as it stands. */
  readonly isBroken?: boolean
}

/** Reads the escape at `at`, a backslash. `more`: it may go on in the next chunk. */
function readEscape(text: string, at: number, final: boolean): Escape | 'more' {
  const letter = text.charAt(at + 1)
  if (letter === '') return final ? { text: '\\', length: 1 } : 'more'
  const simple = simpleEscapes.get(letter)
  if (simple !== undefined) return { text: simple, length: 2 }
  if (letter === '\r') return readLineBreak(text, at, final)
  const digits = hexDigits.get(letter)
  if (digits !== undefined) return readCode(text, at, 2, digits, 16, final)
  if (isDigit(letter, 8)) return readOctal(text, at, final)
  // Python keeps the backslash of what it does not know: a regular expression stays one. A bell, a page break or a step back
  // nobody means: with them `\bword` and `C:\bin` would be other texts, and look whole.
  return { text: `\\${letter}`, length: 2, isBroken: 'abfv'.includes(letter) }
}

const simpleEscapes: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
  ['\n', ''],
])

const hexDigits: ReadonlyMap<string, number> = new Map([
  ['x', 2],
  ['u', 4],
  ['U', 8],
])

function readLineBreak(text: string, at: number, final: boolean): Escape | 'more' {
  if (at + 2 === text.length && !final) return 'more'
  return { text: '', length: text.charAt(at + 2) === '\n' ? 3 : 2 }
}

function readOctal(text: string, at: number, final: boolean): Escape | 'more' {
  let count = 0
  while (count < 3 && isDigit(text.charAt(at + 1 + count), 8)) count++
  if (count < 3 && at + 1 + count === text.length && !final) return 'more'
  return readCode(text, at, 1, count, 8, final)
}

function readCode(
  text: string,
  at: number,
  skip: number,
  count: number,
  base: number,
  final: boolean,
): Escape | 'more' {
  const from = at + skip
  let end = from
  while (end < from + count && isDigit(text.charAt(end), base)) end++
  if (end === text.length && end < from + count && !final) return 'more'
  const code = end < from + count ? Number.NaN : Number.parseInt(text.slice(from, end), base)
  // Too few digits, or beyond Unicode: then it is no escape, and stays as it stands.
  if (!(code <= 0x10ffff)) return { text: text.slice(at, from), length: skip, isBroken: true }
  return { text: String.fromCodePoint(code), length: skip + count }
}

function isDigit(char: string, base: number): boolean {
  return char !== '' && !Number.isNaN(Number.parseInt(char, base))
}
