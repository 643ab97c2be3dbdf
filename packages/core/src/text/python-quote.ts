import type { MarkerSearch } from './marker-search.ts'
import { NONE, PARTIAL } from './marker.ts'
import { isSpace } from './space.ts'

/** What the string stands in: the arguments of a call, a list, a dictionary, or in front of a colon. */
export type StringPlace = 'arguments' | 'list' | 'dictionary' | 'key' | 'parentheses'

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
  place: StringPlace,
  ends: MarkerSearch<unknown>,
  final: boolean,
): Closing {
  return new Follower(text, at, ends, final).closes(quote, place)
}

/** A walk over the few characters behind a quote. */
class Follower {
  private readonly text: string
  private readonly from: number
  private readonly limit: number
  private readonly ends: MarkerSearch<unknown>
  /** Nothing more is to be seen: the stream has ended, or the look-ahead has. */
  private readonly isWhole: boolean
  private at: number
  private hasLineBreak = false

  constructor(text: string, at: number, ends: MarkerSearch<unknown>, final: boolean) {
    this.text = text
    this.from = at
    this.at = at
    this.ends = ends
    this.limit = Math.min(text.length, at + LONGEST_LOOK)
    this.isWhole = final || text.length >= at + LONGEST_LOOK
  }

  closes(quote: string, place: StringPlace): Closing {
    // Two quotes in a row: the first ends a quotation at the end of the text, the second ends the text.
    if (this.text.charAt(this.at) === quote && this.at < this.limit) return 'no'
    const char = this.next()
    if (char === '') return this.isWhole ? 'yes' : 'more'
    if (char === '"' || char === "'") return 'yes'
    const isAdjacent = this.at === this.from
    this.at++
    switch (char) {
      case ',':
        return this.startsNext(place)
      case ')':
        return place === 'arguments' ? this.endsCall() : place === 'parentheses' ? 'yes' : 'no'
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
        return /["']/.test(this.next()) ? 'yes' : this.isPrefixedString()
      case '.':
        return isAdjacent ? this.isMethod() : 'no'
      case '%':
        return isAdjacent ? 'no' : 'yes'
      default:
        this.at--
        return /[rbuf]/i.test(char) ? this.isPrefixedString() : this.isEnd()
    }
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

  /** Behind the last parenthesis comes another call, or the end of the list; on its own line, anything. */
  private endsCall(): Closing {
    this.hasLineBreak = false
    const closing = this.isFollowedBy(',)];}<`')
    return closing === 'no' && this.hasLineBreak ? 'yes' : closing
  }

  private startsNext(place: StringPlace): Closing {
    const char = this.next()
    if (char === '') return this.isWhole ? 'yes' : 'more'
    if (/["'[{(\-*\d)\]}]/.test(char)) return 'yes'
    const start = this.at
    while (this.at < this.limit && /[^"'()[\]{},:=<\n]/.test(this.text.charAt(this.at))) this.at++
    const words = this.text.slice(start, this.at).trim()
    const behind = this.next()
    if (behind === '') return this.isWhole ? 'no' : 'more'
    if (isConstant(words)) return 'yes'
    if (place === 'arguments') return this.isKey(words, behind)
    return /["']/.test(behind) && /^[rbuf]{1,2}$/i.test(words) ? 'yes' : 'no'
  }

  /** One word and an equals sign are a key. Several words, or a word and a colon, are a key only if a value follows. */
  private isKey(words: string, sign: string): Closing {
    if (words === '' || (sign !== '=' && sign !== ':')) return 'no'
    if (sign === '=' && !/\s/.test(words)) return 'yes'
    this.at++
    const char = this.next()
    if (char === '') return this.isWhole ? 'no' : 'more'
    return /["'[{(+\-.\dTFNtfnrbu]/.test(char) ? 'yes' : 'no'
  }

  private isMethod(): Closing {
    let end = this.at
    while (end < this.limit && /\w/.test(this.text.charAt(end))) end++
    if (end === this.limit) return this.isWhole ? 'no' : 'more'
    return end > this.at && this.text.charAt(end) === '(' ? 'yes' : 'no'
  }

  /** Python joins strings that stand side by side. Here white space must divide them: `"it"r"` is a quotation. */
  private isPrefixedString(): Closing {
    if (this.at === this.from) return 'no'
    const match = /^[rbuf]{1,2}/i.exec(this.text.slice(this.at, Math.min(this.at + 2, this.limit)))?.[0] ?? ''
    const behind = this.at + match.length
    if (behind >= this.limit) return this.isWhole ? 'no' : 'more'
    return /["']/.test(this.text.charAt(behind)) ? 'yes' : 'no'
  }

  /** The end marker of the calls: the closing brackets are missing. */
  private isEnd(): Closing {
    const length = this.ends.match(this.text, this.at, this.isWhole)
    return length === PARTIAL ? 'more' : length === NONE ? 'no' : 'yes'
  }
}

function isConstant(word: string): boolean {
  return /^(?:true|false|none|null)$/i.test(word)
}
