import { JsonWriter } from './json-writer.ts'
import { type MarkerSearch, searchFor } from './marker-search.ts'
import { type Frame, LiteralFrames, type LiteralOutput } from './python-frames.ts'
import { closesString, type NamesAhead } from './python-quote.ts'
import { PythonString, readOpeningQuote, stringPrefix } from './python-string.ts'
import { skipSpace } from './space.ts'
import { TextWindow } from './text-window.ts'

interface LiteralPlace {
  /** What ends the calls around the literal. */
  readonly ends: MarkerSearch<unknown>
  /** What may follow the literal, by name. Nothing is known: any name. */
  readonly names?: NamesAhead
  /** The literal is a dictionary whose members belong to this object, which is open already. */
  readonly members?: { key(name: string): string }
}

type State =
  | { at: 'value' }
  | { at: 'scalar'; lexeme: string }
  /** In front of a quote. `goesOn`: it opens the next part of a string that was begun. */
  | { at: 'quote'; prefix: string; goesOn: boolean }
  | { at: 'string'; string: PythonString }
  | { at: 'after-string' }
  | { at: 'after-value' }
  | { at: 'broken' }
  | { at: 'done' }

/** A character that ends a word or a number. */
const endsScalar = /[\s,:;=()[\]{}"'<>#`]/

/** Reads one value as Python writes it, and writes it as JSON while it comes in. */
export class PythonLiteral {
  /** A string of it holds quotes that nobody escaped. */
  hasBareQuotes = false
  private readonly output: LiteralOutput
  private readonly place: LiteralPlace
  private readonly frames: LiteralFrames
  private readonly json = new JsonWriter()
  private state: State = { at: 'value' }

  constructor(output: LiteralOutput, place: LiteralPlace) {
    this.output = output
    this.place = place
    this.frames = new LiteralFrames(output, place.members)
  }

  /** Reads on. `done` and `broken` are final; the input then stands right behind what was used. */
  read(input: TextWindow): 'more' | 'done' | 'broken' {
    for (;;) {
      const { state } = this
      if (state.at === 'done' || state.at === 'broken') return state.at
      const next = this.output.isOver() ? 'more' : this.next(input, state)
      if (next === 'more') return 'more'
      this.state = next
    }
  }

  private next(input: TextWindow, state: State): State | 'more' {
    switch (state.at) {
      case 'value':
        return this.value(input)
      case 'scalar':
        return this.scalar(input, state)
      case 'quote':
        return this.openString(input, state)
      case 'string':
        return this.string(input, state.string)
      case 'after-string':
        return this.afterString(input)
      default:
        return this.afterValue(input)
    }
  }

  /** A value, or the end of what holds values. */
  private value(input: TextWindow): State | 'more' {
    if (!this.skipTo(input)) return 'more'
    const { frames } = this
    const char = input.text.charAt(input.at)
    if (char === frames.closer) return this.close(input, 'separator')
    const kind = opened.get(char)
    if (kind !== undefined) {
      if (!frames.open(kind)) return { at: 'broken' }
      input.at++
      return { at: 'value' }
    }
    if (!frames.beginPlain()) return { at: 'broken' }
    if (char === '"' || char === "'") return { at: 'quote', prefix: '', goesOn: false }
    if (endsScalar.test(char)) return { at: 'broken' }
    this.output.holdBack()
    return { at: 'scalar', lexeme: '' }
  }

  private scalar(input: TextWindow, state: { at: 'scalar'; lexeme: string }): State | 'more' {
    const { text } = input
    let end = input.at
    while (end < text.length && !endsScalar.test(text.charAt(end))) end++
    state.lexeme += input.take(end)
    if (end === text.length || this.output.isOver()) return 'more'
    const char = text.charAt(end)
    if ((char === '"' || char === "'") && stringPrefix.test(state.lexeme)) {
      this.frames.settle()
      return { at: 'quote', prefix: state.lexeme, goesOn: false }
    }
    const json = scalarJson(state.lexeme)
    if (json === undefined) return { at: 'broken' }
    this.frames.write(json)
    this.frames.settle()
    return { at: 'after-value' }
  }

  private openString(input: TextWindow, state: { prefix: string; goesOn: boolean }): State | 'more' {
    const quotes = readOpeningQuote(input.text, input.at, input.final)
    if (quotes === 'more') return 'more'
    const string = new PythonString(input.text.charAt(input.at), quotes === 3, state.prefix)
    input.at += quotes
    if (!state.goesOn) this.frames.write('"')
    return { at: 'string', string }
  }

  private string(input: TextWindow, string: PythonString): State | 'more' {
    const { ends, names } = this.place
    const { stringPlace } = this.frames
    const result = string.read(
      input,
      (text, at, quote, final) =>
        closesString(
          text,
          at,
          quote,
          {
            is: stringPlace,
            isInBrackets: string.isInBrackets,
            hasBareQuotes: string.hasBareQuotes,
            ends,
            names,
          },
          final,
        ),
      (piece) => this.frames.write(this.json.stringPiece(piece)),
    )
    if (result === 'more') return 'more'
    if (result === 'broken') return { at: 'broken' }
    this.hasBareQuotes ||= string.hasBareQuotes
    if (string.hasBareQuotes) this.output.repair('unescaped-quote')
    if (string.hasBrokenEscapes) this.output.repair('invalid-escape')
    return { at: 'after-string' }
  }

  /** Python joins strings that stand side by side, or with a plus between them. */
  private afterString(input: TextWindow): State | 'more' {
    const { text } = input
    let at = skipSpace(text, input.at)
    if (text.charAt(at) === '+') at = skipSpace(text, at + 1)
    const prefix = /^[rbuf]{0,2}/i.exec(text.slice(at, at + 2))?.[0] ?? ''
    const behind = at + prefix.length
    if (behind >= text.length && !input.final) return 'more'
    const quote = text.charAt(behind)
    if (quote === '"' || quote === "'") {
      input.at = behind
      return { at: 'quote', prefix, goesOn: true }
    }
    this.frames.write(this.json.endString())
    return { at: 'after-value' }
  }

  private afterValue(input: TextWindow): State | 'more' {
    const { frames } = this
    if (frames.isEmpty) return { at: 'done' }
    if (!this.skipTo(input)) return 'more'
    const char = input.text.charAt(input.at)
    if (char === frames.closer) return this.close(input, 'value')
    if (char === ':' ? !frames.endKey() : char !== ',' || !frames.separate()) return { at: 'broken' }
    input.at++
    frames.settle()
    return { at: 'value' }
  }

  private close(input: TextWindow, behind: 'value' | 'separator'): State {
    if (!this.frames.close(behind)) return { at: 'broken' }
    input.at++
    this.frames.settle()
    return { at: 'after-value' }
  }

  /** White space may have made what is held too long: that has to be seen before the hold ends. */
  private skipTo(input: TextWindow): boolean {
    input.at = skipSpace(input.text, input.at)
    return !input.isEmpty && !this.output.isOver()
  }
}

const opened: ReadonlyMap<string, Frame['is']> = new Map([
  ['[', 'array'],
  ['(', 'parenthesis'],
  ['{', 'brace'],
])

/** The JSON of a text that is one literal and nothing else. */
export function literalJson(text: string): string | undefined {
  const input = new TextWindow()
  let json = ''
  const output: LiteralOutput = {
    delta: (piece) => {
      json += piece
    },
    holdBack: () => {},
    release: () => '',
    isOver: () => false,
    repair: () => {},
  }
  // The line break ends a word or a number that stands last.
  input.append(`${text}\n`)
  input.final = true
  const isRead = new PythonLiteral(output, { ends: searchFor() }).read(input) === 'done'
  return isRead && skipSpace(input.text, input.at) === input.text.length ? json : undefined
}

/** What a word or a number of Python is as JSON; undefined for anything that is not a literal. */
export function scalarJson(lexeme: string): string | undefined {
  const constant = constants.get(lexeme.toLowerCase())
  if (constant !== undefined) return constant
  if (jsonNumber.test(lexeme)) return lexeme
  const [, sign = '', digits = ''] = /^([+-]?)(.*)$/.exec(lexeme) ?? []
  const magnitude = numberJson(digits.replaceAll(/(?<=[\da-f])_(?=[\da-f])/gi, ''))
  return magnitude === undefined ? undefined : `${sign === '-' ? '-' : ''}${magnitude}`
}

// Small models write the constants of JSON as readily as those of Python.
const constants: ReadonlyMap<string, string> = new Map([
  ['true', 'true'],
  ['false', 'false'],
  ['none', 'null'],
  ['null', 'null'],
])

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const otherBase = /^0(?:x[\da-f]+|o[0-7]+|b[01]+)$/i
const decimal = /^(\d*)(\.\d*)?(e[+-]?\d+)?$/i

/** What Python allows beyond JSON: other bases, leading zeros, a dot at either end. */
function numberJson(digits: string): string | undefined {
  // A BigInt, not a number: identifiers of 64 bits must come out with all their digits.
  if (otherBase.test(digits)) return BigInt(digits.toLowerCase()).toString()
  const [, whole = '', fraction = '', exponent = ''] = decimal.exec(digits) ?? []
  if (whole === '' && fraction.length < 2) return undefined
  const dot = fraction === '.' ? '.0' : fraction
  return `${whole.replace(/^0+(?=\d)/, '') || '0'}${dot}${exponent}`
}
