/** What a backslash and the characters behind it stand for. */
export interface Escape {
  readonly text: string
  /** How long it is written, the backslash included. */
  readonly length: number
}

/** Reads the escape at `at`, a backslash. `more`: it may go on in the next chunk. */
export function readEscape(text: string, at: number, final: boolean): Escape | 'more' {
  const letter = text.charAt(at + 1)
  if (letter === '') return final ? { text: '\\', length: 1 } : 'more'
  const simple = simpleEscapes.get(letter)
  if (simple !== undefined) return { text: simple, length: 2 }
  if (letter === '\r') return readLineBreak(text, at, final)
  const digits = hexDigits.get(letter)
  if (digits !== undefined) return readCode(text, at, 2, digits, 16, final)
  if (isDigit(letter, 8)) return readOctal(text, at, final)
  // Python keeps the backslash of what it does not know: a regular expression stays one.
  return { text: `\\${letter}`, length: 2 }
}

const simpleEscapes: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['b', '\b'],
  ['f', '\f'],
  ['v', '\v'],
  ['a', '\u0007'],
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
  if (!(code <= 0x10ffff)) return { text: text.slice(at, from), length: skip }
  return { text: String.fromCodePoint(code), length: skip + count }
}

function isDigit(char: string, base: number): boolean {
  return char !== '' && !Number.isNaN(Number.parseInt(char, base))
}
