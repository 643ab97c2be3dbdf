import type { RepairCode } from '../problems.ts'
import { DEEPEST, type JsonScanner } from './json-scanner.ts'
import { isSpace } from './space.ts'

type Place =
  | 'value'
  | 'first-item'
  | 'first-key'
  | 'key'
  | 'colon'
  | 'after-value'
  | 'string'
  | 'escape'
  | 'hex'
  | 'word'
  /** Behind a backslash between two values. */
  | 'break'
  | 'done'

const pythonWords: ReadonlyMap<string, string> = new Map([
  ['True', 'true'],
  ['False', 'false'],
  ['None', 'null'],
])
const jsonWord = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/
/** Holds the place of a raw line break in a string: no repaired text holds this character otherwise. */
const RAW_BREAK = '\0'
/** No constant and no sensible number is longer; the pattern above never sees more. */
const LONGEST_WORD = 400

/**
 * Reads on where the strict scanner found an impossible character, and writes JSON. It knows only
 * the repairs that cannot change what was meant: raw control characters in strings, backslashes that begin no
 * escape, line breaks between values that are written as one, single quotes and Python constants, trailing commas, surplus
 * closers. Anything else leaves it stuck, never guessed.
 */
export class JsonRepair {
  readonly repairs = new Set<RepairCode>()
  private place: Place
  /** Where reading goes on behind a line break that is written as an escape. */
  private behindBreak: Place = 'value'
  private quote = 34
  private isKey: boolean
  private readonly stack: ('{' | '[')[]
  private word = ''
  /** The digits behind `\u`, while they come in. */
  private hex = ''
  private isStuck = false
  /** A comma and the space after it: dropped if a closer follows. */
  private comma: string
  private json = ''
  private readonly indent: string

  /**
   * `tentative` is what the scanner had passed but not released: a comma with space, or a backslash.
   * `indent`: the writer indented each line, and Python breaks lines at U+2028 too: in a string, a raw line
   * break with that much white space behind it stands for one.
   */
  constructor(scanner: JsonScanner, tentative: string, indent = '') {
    this.indent = indent
    this.stack = [...scanner.stack]
    this.isKey = scanner.isKey
    this.comma = tentative.startsWith(',') ? tentative : ''
    if (scanner.place === 'hex') this.hex = tentative.slice(2)
    const place = startingPlace(scanner)
    this.place = place ?? 'value'
    this.isStuck = place === undefined
  }

  get status(): 'open' | 'done' | 'stuck' {
    if (this.place === 'done') return 'done'
    return this.isStuck ? 'stuck' : 'open'
  }

  /** Whether closing brackets are all that is missing here. */
  get canClose(): boolean {
    return (
      this.place === 'after-value' ||
      this.place === 'first-key' ||
      this.place === 'first-item' ||
      (this.comma !== '' && (this.place === 'key' || this.place === 'value'))
    )
  }

  /** Reads on from `at`; returns the end of the value, the character at which it is stuck, or the end of the text. */
  read(text: string, at: number): number {
    while (at < text.length && this.status === 'open') {
      if (this.place === 'string') at = this.passPlain(text, at)
      if (at === text.length) break
      const code = text.charCodeAt(at)
      if (this.place === 'word' && !isWord(code)) {
        this.isStuck = !this.endWord()
      } else if (this.step(code, text.charAt(at))) {
        at++
      } else {
        this.isStuck = true
      }
    }
    return at
  }

  /** The text is over: a word that stands last is whole. */
  end(): void {
    if (this.place === 'word') this.isStuck = !this.endWord()
  }

  /** Adds the missing closing brackets. Only right where the end marker of the call stands. */
  close(): void {
    if (this.comma !== '') this.repairs.add('trailing-comma')
    this.comma = ''
    if (this.stack.length > 0) this.repairs.add('missing-closer')
    while (this.stack.length > 0) this.json += this.stack.pop() === '{' ? '}' : ']'
    this.place = 'done'
  }

  /** What was written since the last call. */
  take(): string {
    const taken = this.json
    this.json = ''
    if (this.indent === '') return taken
    return taken.replaceAll(RAW_BREAK + this.indent, '\u2028').replaceAll(RAW_BREAK, String.raw`\n`)
  }

  /** Takes what needs no thought in a string at once: letter by letter a large file takes twice as long. */
  private passPlain(text: string, from: number): number {
    let at = from
    while (at < text.length && isPlain(text.charCodeAt(at), this.quote)) at++
    this.json += text.slice(from, at)
    return at
  }

  private step(code: number, char: string): boolean {
    switch (this.place) {
      case 'string':
        return this.inString(code, char)
      case 'escape':
        return this.escaped(code, char)
      case 'hex':
        return this.inHex(char)
      case 'word':
        this.word += char
        return this.word.length <= LONGEST_WORD
      case 'break':
        this.place = this.behindBreak
        this.repairs.add('invalid-escape')
        return 'nrt'.includes(char)
      default:
        if (isSpace(code)) {
          if (this.comma === '') this.json += char
          else this.comma += char
          return true
        }
        if (code === 92) {
          this.behindBreak = this.place
          this.place = 'break'
          return true
        }
        return this.structural(code, char)
    }
  }

  private inString(code: number, char: string): boolean {
    if (code === this.quote) {
      this.json += '"'
      if (this.isKey) this.place = 'colon'
      else this.endValue()
    } else if (code === 92) {
      this.place = 'escape'
    } else if (code < 32) {
      this.repairs.add('control-character')
      this.json += code === 10 && this.indent !== '' ? RAW_BREAK : JSON.stringify(char).slice(1, -1)
    } else {
      // In a string between single quotes a double quote needs no escape; in JSON it does.
      this.json += code === 34 ? '\\"' : char
    }
    return true
  }

  private escaped(code: number, char: string): boolean {
    this.place = 'string'
    if (code === 39) {
      this.repairs.add('python-literal')
      this.json += "'"
      return true
    }
    if (code === 117) {
      this.place = 'hex'
      this.hex = ''
    } else if ('"\\/bfnrt'.includes(char)) {
      this.json += `\\${char}`
    } else {
      this.doubleBackslash()
      return this.inString(code, char)
    }
    return true
  }

  /** What stands behind `\u`. Fewer than four digits are no escape. */
  private inHex(char: string): boolean {
    if (!/[0-9a-fA-F]/.test(char)) {
      this.endHex()
      return this.step(char.charCodeAt(0), char)
    }
    this.hex += char
    if (this.hex.length === 4) {
      this.json += `\\u${this.hex}`
      this.place = 'string'
    }
    return true
  }

  private endHex(): void {
    this.doubleBackslash()
    this.json += `u${this.hex}`
    this.place = 'string'
  }

  /** `\$HOME` is no escape: the model meant a backslash, since it would have left it out otherwise. */
  private doubleBackslash(): void {
    this.repairs.add('invalid-escape')
    this.json += '\\\\'
  }

  private structural(code: number, char: string): boolean {
    const top = this.stack.at(-1)
    if (code === 125 || code === 93) return this.closer(code, char, top)
    switch (this.place) {
      case 'first-key':
      case 'key':
        this.isKey = true
        return this.beginString(code)
      case 'colon':
        if (code !== 58) return false
        this.json += char
        this.place = 'value'
        return true
      case 'after-value':
        if (code !== 44) return false
        this.comma = char
        this.place = top === '{' ? 'key' : 'value'
        return true
      default:
        return this.beginValue(code, char)
    }
  }

  private closer(code: number, char: string, top: '{' | '[' | undefined): boolean {
    if (!this.canClose) return false
    if (code === (top === '{' ? 125 : 93)) {
      if (this.comma !== '') this.repairs.add('trailing-comma')
      this.comma = ''
      this.json += char
      this.stack.pop()
      this.endValue()
      return true
    }
    // `]` too many inside an object is surplus; `}` inside an array could as well be a missing `]`.
    if (top !== '{') return false
    this.repairs.add('surplus-closer')
    return true
  }

  private beginValue(code: number, char: string): boolean {
    this.isKey = false
    if (code === 123 || code === 91) {
      this.releaseComma()
      this.json += char
      this.stack.push(code === 123 ? '{' : '[')
      this.place = code === 123 ? 'first-key' : 'first-item'
      return this.stack.length <= DEEPEST
    }
    if (isWord(code)) {
      this.releaseComma()
      this.place = 'word'
      this.word = char
      return true
    }
    return this.beginString(code)
  }

  private beginString(code: number): boolean {
    if (code !== 34 && code !== 39) return false
    if (code === 39) this.repairs.add('python-literal')
    this.releaseComma()
    this.json += '"'
    this.quote = code
    this.place = 'string'
    return true
  }

  private endWord(): boolean {
    const constant = pythonWords.get(this.word)
    if (constant === undefined && !jsonWord.test(this.word)) return false
    if (constant !== undefined) this.repairs.add('python-literal')
    this.json += constant ?? this.word
    this.endValue()
    return true
  }

  private endValue(): void {
    this.place = this.stack.length === 0 ? 'done' : 'after-value'
  }

  private releaseComma(): void {
    this.json += this.comma
    this.comma = ''
  }
}

/** Where reading goes on, or undefined where nothing can be saved: half a number, half a literal. */
function startingPlace(scanner: JsonScanner): Place | undefined {
  switch (scanner.place) {
    case 'value':
    case 'first-item':
    case 'first-key':
    case 'key':
    case 'colon':
    case 'after-value':
    case 'string':
    case 'escape':
    case 'hex':
      return scanner.place
    default:
      return undefined
  }
}

function isPlain(code: number, quote: number): boolean {
  return code >= 32 && code !== 34 && code !== 92 && code !== quote
}

function isWord(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 45 ||
    code === 43 ||
    code === 46
  )
}
