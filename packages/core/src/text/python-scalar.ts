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
