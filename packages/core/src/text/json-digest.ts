/**
 * Tells whether two JSON texts say the same without keeping either of them: white space, the order of keys, escapes
 * and the spelling of numbers do not count. It takes valid JSON in pieces; of anything else the digest means nothing.
 */
export class JsonDigest {
  private state: State = 'between'
  private readonly frames: Frame[] = []
  private readonly result = new Hash(0)
  /** Of the string at hand. */
  private text = new Hash(0)
  private word = ''
  private hex = ''

  push(json: string): void {
    for (let at = 0; at < json.length; at++) this.take(json.charCodeAt(at), json.charAt(at))
  }

  /** Equal for texts that say the same. */
  get value(): string {
    if (this.state === 'word') this.endWord()
    return `${this.result.high}.${this.result.low}`
  }

  private take(code: number, character: string): void {
    switch (this.state) {
      case 'string':
        this.takeInString(code)
        break
      case 'escape':
        this.takeEscape(code, character)
        break
      case 'hex':
        this.hex += character
        if (this.hex.length < 4) break
        this.text.add(Number.parseInt(this.hex, 16))
        this.state = 'string'
        break
      case 'word':
        if (isWordPart(code)) {
          // No number that a program can tell from its neighbours is longer.
          if (this.word.length < longestWord) this.word += character
          break
        }
        this.endWord()
        this.takeBetween(code, character)
        break
      case 'between':
        this.takeBetween(code, character)
    }
  }

  private takeInString(code: number): void {
    if (code === QUOTE) this.endString()
    else if (code === BACKSLASH) this.state = 'escape'
    else this.text.add(code)
  }

  private takeEscape(code: number, character: string): void {
    if (character === 'u') {
      this.hex = ''
      this.state = 'hex'
      return
    }
    this.text.add(escapes.get(character) ?? code)
    this.state = 'string'
  }

  private takeBetween(code: number, character: string): void {
    if (code === QUOTE) {
      this.text = new Hash(1)
      this.state = 'string'
    } else if (character === '{' || character === '[') {
      this.frames.push({ is: character, sum: new Hash(character === '{' ? 2 : 3), key: null })
    } else if (character === '}' || character === ']') {
      const frame = this.frames.pop()
      if (frame !== undefined) this.endValue(frame.sum)
    } else if (isWordPart(code)) {
      this.word = character
      this.state = 'word'
    }
  }

  private endString(): void {
    this.state = 'between'
    const frame = this.frames.at(-1)
    if (frame?.is === '{' && frame.key === null) frame.key = this.text
    else this.endValue(this.text)
  }

  private endWord(): void {
    this.state = 'between'
    const number = Number(this.word)
    const word = Number.isNaN(number) ? this.word : String(number)
    const hash = new Hash(4)
    for (let at = 0; at < word.length; at++) hash.add(word.charCodeAt(at))
    this.endValue(hash)
  }

  private endValue(value: Hash): void {
    const frame = this.frames.at(-1)
    if (frame === undefined) {
      this.result.append(value)
    } else if (frame.is === '[') {
      frame.sum.append(value)
    } else {
      const member = new Hash(5)
      if (frame.key !== null) member.append(frame.key)
      member.append(value)
      frame.key = null
      frame.sum.addUnordered(member)
    }
  }
}

type State = 'between' | 'string' | 'escape' | 'hex' | 'word'

interface Frame {
  readonly is: '{' | '['
  readonly sum: Hash
  /** Of the member at hand; null before it has come. */
  key: Hash | null
}

/** Two hashes of 32 bits, made in different ways: one alone would take different arguments for the same too often. */
class Hash {
  high: number
  low: number

  constructor(seed: number) {
    this.high = 0x811c9dc5 ^ seed
    this.low = 0x9747b28c ^ seed
  }

  add(unit: number): void {
    this.high = Math.imul(this.high ^ unit, 0x01000193)
    const mixed = Math.imul(this.low ^ unit, 0xcc9e2d51)
    this.low = (mixed << 13) | (mixed >>> 19)
  }

  append({ high, low }: Hash): void {
    this.add(high)
    this.add(low)
  }

  /** The same in whatever order things are added. */
  addUnordered({ high, low }: Hash): void {
    this.high = (this.high + high) | 0
    this.low = (this.low + low) | 0
  }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const longestWord = 400

const escapes: ReadonlyMap<string, number> = new Map([
  ['n', 0x0a],
  ['t', 0x09],
  ['r', 0x0d],
  ['b', 0x08],
  ['f', 0x0c],
])

/** Digits, signs, points and letters: what numbers, true, false and null are made of. */
function isWordPart(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) ||
    (code >= 0x61 && code <= 0x7a) ||
    code === 0x2b ||
    code === 0x2d ||
    code === 0x2e ||
    code === 0x45
  )
}
