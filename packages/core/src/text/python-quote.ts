import type { MarkerSearch } from './marker-search.ts'
import { NONE, PARTIAL } from './marker.ts'
import { isSpace } from './space.ts'

/** What the string stands in: the arguments of a call, a list, a dictionary, or in front of a colon. */
export type StringPlace = 'arguments' | 'list' | 'dictionary' | 'key' | 'parentheses'

/** Which names may follow a string, where somebody knows: of an argument that the tool has, of a tool that may be called. */
export interface NamesAhead {
  readonly isKey: (name: string) => boolean
  readonly isCall: (name: string) => boolean
}

/** Where a quote stands that may close its string. */
interface QuotePlace {
  readonly is: StringPlace
  /** Brackets were opened in the string and not closed. */
  readonly isInBrackets: boolean
  /** There are quotes in the string that nobody escaped: what stands side by side with it may be more of it. */
  readonly hasBareQuotes: boolean
  /** What ends the calls around it. */
  readonly ends: MarkerSearch<unknown>
  readonly names: NamesAhead | undefined
}

type Closing = 'yes' | 'no' | 'more'

/** What stands behind a quote is looked at this far; beyond that the quote closes its string. */
const LONGEST_LOOK = 200

const NEWLINE = 10

/**
 * Whether a quote closes its string. Models forget to escape quotes inside one: a quote closes only
 * where what may follow a string in this place does follow.
 */
export function closesString(
  text: string,
  at: number,
  quote: string,
  place: QuotePlace,
  final: boolean,
): Closing {
  return new Follower(text, at, place, final).closes(quote, place.is)
}

/** A walk over the few characters behind a quote. */
class Follower {
  private readonly text: string
  private readonly from: number
  private readonly limit: number
  private readonly place: QuotePlace
  /** Nothing more is to be seen: the stream has ended, or the look-ahead has. */
  private readonly isWhole: boolean
  private at: number
  private hasLineBreak = false

  constructor(text: string, at: number, place: QuotePlace, final: boolean) {
    this.text = text
    this.from = at
    this.at = at
    this.place = place
    this.limit = Math.min(text.length, at + LONGEST_LOOK)
    this.isWhole = final || text.length >= at + LONGEST_LOOK
  }

  closes(quote: string, place: StringPlace): Closing {
    // Two quotes in a row: the first ends a quotation at the end of the text, the second ends the text.
    if (this.text.charAt(this.at) === quote && this.at < this.limit) return 'no'
    const char = this.next()
    if (char === '') return this.isWhole ? 'yes' : 'more'
    if (char === '"' || char === "'") return this.joins()
    const isAdjacent = this.at === this.from
    this.at++
    switch (char) {
      case ',':
        return this.startsNext(place, quote)
      case ')':
        return place === 'arguments' ? this.endsCall(quote) : place === 'parentheses' ? 'yes' : 'no'
      case ']':
        return place === 'list'
          ? this.isFollowedBy(',)]}:;<')
          : place === 'arguments'
            ? this.isFollowedBy('<')
            : 'no'
      case '}':
        return place === 'dictionary' || place === 'key' ? this.isFollowedBy(',)]}:;<') : 'no'
      case ':':
        return place === 'key' ? 'yes' : 'no'
      case '+':
        return /["']/.test(this.next()) ? this.joins() : this.isPrefixedString()
      case '.':
        return isAdjacent ? this.isMethod() : 'no'
      case '%':
        return isAdjacent ? 'no' : 'yes'
      default:
        this.at--
        return /[rbuf]/i.test(char) ? this.isPrefixedString() : this.isEnd()
    }
  }

  /** Another string follows, if nothing in this one speaks for a command with quotes of its own: `grep 'a' 'b'`. */
  private joins(): Closing {
    return this.place.hasBareQuotes ? 'no' : 'yes'
  }

  /** The next character that is no white space, not passed yet; empty at the end of what can be seen. */
  private next(): string {
    while (this.at < this.limit && isSpace(this.text.charCodeAt(this.at))) {
      if (this.text.charCodeAt(this.at) === NEWLINE) this.hasLineBreak = true
      this.at++
    }
    return this.at < this.limit ? this.text.charAt(this.at) : ''
  }

  private isFollowedBy(allowed: string): Closing {
    const char = this.next()
    if (char === '') return this.isWhole ? 'yes' : 'more'
    return allowed.includes(char) ? 'yes' : 'no'
  }

  /**
   * Behind the last parenthesis comes another call, or the end of the list; on its own line, or where no later quote closes
   * the string, anything. A quote behind brackets is the end of the text that they are a part of.
   */
  private endsCall(quote: string): Closing {
    this.hasLineBreak = false
    for (;;) {
      const char = this.next()
      if (char === '') return this.isWhole ? 'yes' : 'more'
      if (char === '"' || char === "'") return this.hasLineBreak ? 'yes' : 'no'
      if (char === ',') return this.isCallNext()
      if (';<`['.includes(char) || this.hasLineBreak) return 'yes'
      if (!')]}'.includes(char)) return this.isLastQuote(quote)
      this.at++
    }
  }

  /** Prose follows the brackets. Unless a later quote stands where a string ends, it is behind the call and not in it. */
  private isLastQuote(quote: string): Closing {
    const rest = this.text.slice(this.at, this.limit)
    for (let at = rest.indexOf(quote); at >= 0; at = rest.indexOf(quote, at + 1)) {
      if (this.beginsCall(rest.slice(0, at))) return 'yes'
      const behind = rest.slice(at + 1).trimStart()
      if (behind === '' && !this.isWhole) return 'more'
      if (/^[,)\]}]/.test(behind)) return 'no'
    }
    return this.isWhole ? 'yes' : 'more'
  }

  /** The quote behind this text opens the first value of another call. */
  private beginsCall(text: string): boolean {
    const name = /\[\s*([^\s"'()[\]{},;=<]+)\(\s*\w+\s*=\s*$/.exec(text)?.[1]
    return name !== undefined && this.place.names?.isCall(name) !== false
  }

  /** Behind the comma stands another call. */
  private isCallNext(): Closing {
    this.at++
    const first = this.next()
    if (first === '') return this.isWhole ? 'yes' : 'more'
    if (')]}<'.includes(first)) return 'yes'
    const start = this.at
    while (this.at < this.limit && /[^\s"'()[\]{},;=<]/.test(this.text.charAt(this.at))) this.at++
    const name = this.text.slice(start, this.at)
    const behind = this.next()
    if (behind === '') return this.isWhole ? 'yes' : 'more'
    if (behind !== '(' || name === '') return 'no'
    return this.place.names?.isCall(name) === false ? 'no' : 'yes'
  }

  private startsNext(place: StringPlace, quote: string): Closing {
    const char = this.next()
    if (char === '') return this.isWhole ? 'yes' : 'more'
    if (/["']/.test(char)) return place === 'arguments' ? this.joins() : 'yes'
    if (/[[{(\-*\d)\]}]/.test(char)) return 'yes'
    const start = this.at
    while (this.at < this.limit && /[^"'()[\]{},:=<\n]/.test(this.text.charAt(this.at))) this.at++
    const words = this.text.slice(start, this.at).trim()
    const behind = this.next()
    if (behind === '') return this.isWhole ? 'no' : 'more'
    if (isConstant(words)) return 'yes'
    if (place === 'arguments') return this.isKey(words, behind, quote)
    return /["']/.test(behind) && /^[rbuf]{1,2}$/i.test(words) ? 'yes' : 'no'
  }

  /** One word and an equals sign are a key. Several words, or a word and a colon, are a key only if a value follows. */
  private isKey(words: string, sign: string, quote: string): Closing {
    if (words === '' || (sign !== '=' && sign !== ':')) return 'no'
    const isCode = this.place.names?.isKey(words) === false ? this.isInCode(quote) : 'no'
    if (isCode !== 'no') return isCode === 'yes' ? 'no' : 'more'
    if (sign === '=' && !/\s/.test(words)) return 'yes'
    this.at++
    const char = this.next()
    if (char === '') return this.isWhole ? 'no' : 'more'
    return /["'[{(+\-.\dTFNtfnrbu]/.test(char) ? 'yes' : 'no'
  }

  /** Whether the string holds code: a bracket that was opened in it is closed in front of a later quote. */
  private isInCode(quote: string): Closing {
    if (!this.place.isInBrackets) return 'no'
    const rest = this.text.slice(this.at, this.limit)
    for (let at = rest.indexOf(quote); at >= 0; at = rest.indexOf(quote, at + 1)) {
      if (/[)\]}]\s*$/.test(rest.slice(0, at))) return 'yes'
    }
    return this.isWhole ? 'no' : 'more'
  }

  private isMethod(): Closing {
    let end = this.at
    while (end < this.limit && /\w/.test(this.text.charAt(end))) end++
    if (end === this.limit) return this.isWhole ? 'no' : 'more'
    return end > this.at && this.text.charAt(end) === '(' ? 'yes' : 'no'
  }

  /** Python joins strings that stand side by side. Here white space must divide them: `"it"r"` is a quotation. */
  private isPrefixedString(): Closing {
    if (this.at === this.from || this.place.hasBareQuotes) return 'no'
    const match = /^[rbuf]{1,2}/i.exec(this.text.slice(this.at, Math.min(this.at + 2, this.limit)))?.[0] ?? ''
    const behind = this.at + match.length
    if (behind >= this.limit) return this.isWhole ? 'no' : 'more'
    return /["']/.test(this.text.charAt(behind)) ? 'yes' : 'no'
  }

  /** The end marker of the calls: the closing brackets are missing. */
  private isEnd(): Closing {
    const length = this.place.ends.match(this.text, this.at, this.isWhole)
    return length === PARTIAL ? 'more' : length === NONE ? 'no' : 'yes'
  }
}

function isConstant(word: string): boolean {
  return /^(?:true|false|none|null)$/i.test(word)
}
