import { nextMatch, SHORT } from './next-match.ts'
import { isSpace } from './space.ts'

/** Deeper nesting than this is refused: the stack would otherwise grow with a hostile input. */
export const DEEPEST = 1024

/** Where in JSON's grammar the scanner stands. */
export type JsonPlace =
  | 'value'
  | 'first-item'
  | 'first-key'
  | 'key'
  | 'colon'
  | 'after-value'
  | 'string'
  | 'escape'
  | 'hex'
  | 'minus'
  | 'zero'
  | 'integer'
  | 'point'
  | 'fraction'
  | 'exponent'
  | 'exponent-sign'
  | 'exponent-digits'
  | 'literal'

export type JsonStatus = 'open' | 'done' | 'broken'

/** What is not plain text in a string: its end, an escape, a control character. */
const notPlain = /[^ !#-[\]-\uffff]/g

/**
 * Finds where one JSON value ends, incrementally and strictly: everything it passes is a valid
 * prefix of JSON. The state is carried across chunks, so no character is looked at twice.
 */
export class JsonScanner {
  status: JsonStatus = 'open'
  place: JsonPlace = 'value'
  /** The containers that are open, outermost first. */
  readonly stack: ('{' | '[')[] = []
  /** Whether the string at hand is a key. */
  isKey = false
  /**
   * Where, in the text of the last `scan`, a tail begins that is valid so far but may have to be
   * taken back: a comma that could be a trailing one, a backslash that could be a bad escape.
   * -1 when that tail began in an earlier chunk; meaningless unless `isTentative`.
   */
  tentativeFrom = -1
  private pendingHex = 0
  private pendingLiteral = ''

  get isTentative(): boolean {
    return this.place === 'key' || this.place === 'escape' || this.place === 'hex' || this.isAfterComma
  }

  /** In an array the place after a comma is `value`, as it is at the very start. */
  private isAfterComma = false

  /** Reads on from `at`. Returns the end of the value, the position of the first impossible character, or the end of the text. */
  scan(text: string, at: number): number {
    this.tentativeFrom = -1
    while (at < text.length) {
      const code = text.charCodeAt(at)
      switch (this.place) {
        case 'string':
          at = this.scanString(text, at)
          if (this.status !== 'open') return at
          continue
        case 'escape':
          if (code === 117) {
            this.place = 'hex'
            this.pendingHex = 4
          } else if (isEscapable(code)) {
            this.place = 'string'
          } else return this.broken(at)
          break
        case 'hex':
          if (!isHex(code)) return this.broken(at)
          if (--this.pendingHex === 0) this.place = 'string'
          break
        case 'literal':
          if (code !== this.pendingLiteral.charCodeAt(0)) return this.broken(at)
          this.pendingLiteral = this.pendingLiteral.slice(1)
          if (this.pendingLiteral === '' && this.endValue()) return at + 1
          break
        case 'minus':
        case 'zero':
        case 'integer':
        case 'point':
        case 'fraction':
        case 'exponent':
        case 'exponent-sign':
        case 'exponent-digits': {
          const place = numberPlace(this.place, code)
          if (place === 'impossible') return this.broken(at)
          if (place === 'end') {
            if (this.endValue()) return at
            continue
          }
          this.place = place
          break
        }
        default:
          if (isSpace(code)) break
          if (!this.structural(code, at)) return this.broken(at)
          if (this.status === 'done') return at + 1
      }
      at++
    }
    return at
  }

  /** A number at the top level ends only where the text ends; without this it would stay open for ever. */
  end(): void {
    const isNumber = this.place === 'zero' || this.place === 'integer' || this.place === 'fraction'
    if (this.stack.length === 0 && (isNumber || this.place === 'exponent-digits')) this.status = 'done'
  }

  private scanString(text: string, at: number): number {
    const stop = endOfPlain(text, at)
    if (stop === text.length) return stop
    const code = text.charCodeAt(stop)
    if (code === 34) {
      if (this.isKey) this.place = 'colon'
      else this.endValue()
      return stop + 1
    }
    if (code !== 92) return this.broken(stop)
    this.place = 'escape'
    this.tentativeFrom = stop
    return stop + 1
  }

  private structural(code: number, at: number): boolean {
    switch (this.place) {
      case 'first-key':
        if (code === 125) return this.close()
        return this.beginKey(code)
      case 'key':
        return this.beginKey(code)
      case 'colon':
        if (code !== 58) return false
        this.place = 'value'
        return true
      case 'after-value':
        return this.afterValue(code, at)
      case 'first-item':
        if (code === 93) return this.close()
        return this.beginValue(code)
      default:
        return this.beginValue(code)
    }
  }

  private beginKey(code: number): boolean {
    if (code !== 34) return false
    this.place = 'string'
    this.isKey = true
    return true
  }

  private beginValue(code: number): boolean {
    this.isAfterComma = false
    this.isKey = false
    if (code === 34) this.place = 'string'
    else if (code === 123) return this.open('{', 'first-key')
    else if (code === 91) return this.open('[', 'first-item')
    else if (code === 45) this.place = 'minus'
    else if (code === 48) this.place = 'zero'
    else if (isDigit(code)) this.place = 'integer'
    else if (code === 116) this.beginLiteral('rue')
    else if (code === 102) this.beginLiteral('alse')
    else if (code === 110) this.beginLiteral('ull')
    else {
      // Nothing was consumed: a comma before this character is still one that may be taken back.
      this.isAfterComma = this.place === 'value' && this.stack.at(-1) === '['
      return false
    }
    return true
  }

  private beginLiteral(rest: string): void {
    this.place = 'literal'
    this.pendingLiteral = rest
  }

  private open(bracket: '{' | '[', place: JsonPlace): boolean {
    if (this.stack.length >= DEEPEST) return false
    this.stack.push(bracket)
    this.place = place
    return true
  }

  private afterValue(code: number, at: number): boolean {
    const inObject = this.stack.at(-1) === '{'
    if (code === 44) {
      this.tentativeFrom = at
      this.place = inObject ? 'key' : 'value'
      this.isAfterComma = !inObject
      return true
    }
    return code === (inObject ? 125 : 93) && this.close()
  }

  private close(): boolean {
    this.stack.pop()
    this.endValue()
    return true
  }

  /** Returns whether this was the outermost value. */
  private endValue(): boolean {
    this.place = 'after-value'
    if (this.stack.length > 0) return false
    this.status = 'done'
    return true
  }

  private broken(at: number): number {
    this.status = 'broken'
    return at
  }
}

function endOfPlain(text: string, at: number): number {
  if (text.length - at > SHORT) return nextMatch(notPlain, text, at)
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 34 || code === 92 || code < 32) return at
  }
  return at
}

type NumberPlace =
  | 'minus'
  | 'zero'
  | 'integer'
  | 'point'
  | 'fraction'
  | 'exponent'
  | 'exponent-sign'
  | 'exponent-digits'

function numberPlace(place: NumberPlace, code: number): NumberPlace | 'end' | 'impossible' {
  const digit = isDigit(code)
  switch (place) {
    case 'minus':
      return code === 48 ? 'zero' : digit ? 'integer' : 'impossible'
    case 'zero':
    case 'integer':
      if (digit) return place === 'zero' ? 'impossible' : 'integer'
      return code === 46 ? 'point' : code === 101 || code === 69 ? 'exponent' : 'end'
    case 'point':
      return digit ? 'fraction' : 'impossible'
    case 'fraction':
      return digit ? 'fraction' : code === 101 || code === 69 ? 'exponent' : 'end'
    case 'exponent':
      if (code === 43 || code === 45) return 'exponent-sign'
      return digit ? 'exponent-digits' : 'impossible'
    case 'exponent-sign':
      return digit ? 'exponent-digits' : 'impossible'
    case 'exponent-digits':
      return digit ? 'exponent-digits' : 'end'
  }
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

function isHex(code: number): boolean {
  return isDigit(code) || (code >= 97 && code <= 102) || (code >= 65 && code <= 70)
}

function isEscapable(code: number): boolean {
  return (
    code === 34 ||
    code === 92 ||
    code === 47 ||
    code === 98 ||
    code === 102 ||
    code === 110 ||
    code === 114 ||
    code === 116
  )
}
