import type { RepairCode } from '../problems.ts'
import { JsonRepair } from '../text/json-repair.ts'
import { JsonScanner } from '../text/json-scanner.ts'
import { literalJson, scalarJson } from '../text/python-literal.ts'
import { isBlank } from '../text/space.ts'
import type { JsonType } from './tool-set.ts'

/** A value that arrived as bare text, as JSON. */
export interface TypedValue {
  readonly json: string
  /** The schema wanted something else: the value is kept as a string, or as null, rather than guessed. */
  readonly mismatch?: boolean
  readonly repairs?: ReadonlySet<RepairCode>
}

/** Whether the text can be sent on as a string while it still comes in: nothing else is allowed. */
export function isPureString(types: ReadonlySet<JsonType>): boolean {
  return types.size === 0 || (types.size === 1 && types.has('string'))
}

/**
 * Gives bare text the type that the tool's schema allows, and no other: number lexemes are copied,
 * a text that fits nothing stays a string.
 */
export function typeValue(text: string, types: ReadonlySet<JsonType>): TypedValue {
  if (isPureString(types)) return asString(text)
  if (types.has('string')) {
    const type = isCanonical(text) ? jsonTypeOf(text) : undefined
    return type !== undefined && allows(types, type, text) ? { json: text } : asString(text)
  }
  const literal = text.trim()
  const type = jsonTypeOf(literal)
  if (type !== undefined && allows(types, type, literal)) return { json: literal }
  if (types.has('object') && literal === '') return { json: '{}' }
  const declared = declaredJson(literal, type, types)
  if (declared !== undefined) return declared
  // A tool that takes no text here did not get the text "null": the model left the value out.
  const otherwise = constants.get(literal.toLowerCase()) === 'null' ? { json: 'null' } : asString(text)
  return repaired(literal, types) ?? { ...otherwise, mismatch: true }
}

const constants: ReadonlyMap<string, string> = new Map([
  ['true', 'true'],
  ['false', 'false'],
  ['none', 'null'],
  ['null', 'null'],
])

/** What the tool takes, written as another type: in quotes although it is no text, or as the number of a boolean. */
function declaredJson(
  literal: string,
  type: JsonType | undefined,
  types: ReadonlySet<JsonType>,
): TypedValue | undefined {
  if (type === 'integer' && types.has('boolean')) {
    const json = ['false', 'true'][['0', '1'].indexOf(literal)]
    return json === undefined ? undefined : { json, repairs: new Set(['declared-type']) }
  }
  if (type !== 'string') return undefined
  const inside: unknown = JSON.parse(literal)
  const typed = isBlank(String(inside)) ? undefined : typeValue(String(inside), types)
  if (typed === undefined || typed.mismatch === true) return undefined
  return { json: typed.json, repairs: new Set([...(typed.repairs ?? []), 'declared-type']) }
}

/** Text that the model itself marked as JSON. Text that is not JSON stays a string. */
export function jsonOrString(text: string): TypedValue {
  const literal = text.trim()
  if (jsonTypeOf(literal) !== undefined) return { json: literal }
  return repaired(literal, undefined) ?? { ...asString(text), mismatch: true }
}

/** Text that may be an object with all the arguments. Any other text is a string. */
export function objectOrString(text: string): TypedValue {
  const literal = text.trim()
  if (jsonTypeOf(literal) === 'object') return { json: literal }
  const read = literal.startsWith('{') ? repaired(literal, new Set(['object'])) : undefined
  return read ?? asString(text)
}

/** Text that is a whole number, or else a string. */
export function wholeOrString(text: string): TypedValue {
  const isWhole = jsonTypeOf(text.trim()) === 'integer'
  return isWhole ? { json: text.trim(), repairs: new Set(['declared-type']) } : asString(text)
}

function asString(text: string): TypedValue {
  return { json: JSON.stringify(text) }
}

/** The type of a text that is exactly one JSON value, by a strict reading. */
function jsonTypeOf(text: string): JsonType | undefined {
  const scanner = new JsonScanner()
  const end = scanner.scan(text, 0)
  scanner.end()
  if (scanner.status !== 'done' || end !== text.length) return undefined
  switch (text.charAt(0)) {
    case '"':
      return 'string'
    case '{':
      return 'object'
    case '[':
      return 'array'
    case 't':
    case 'f':
      return 'boolean'
    case 'n':
      return 'null'
    default:
      return /^-?\d+(?:\.0+)?$/.test(text) ? 'integer' : 'number'
  }
}

/** Where a string is possible too, only the one spelling that a number has counts as a number: `1.50` is a text. */
function isCanonical(text: string): boolean {
  const isNumber = /^-?\d/.test(text)
  return text === text.trim() && (!isNumber || /^-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/.test(text))
}

function allows(types: ReadonlySet<JsonType>, type: JsonType, literal: string): boolean {
  // A quoted text is a JSON string, but where strings are allowed the bare text is the value.
  if (type === 'string') return false
  if (type === 'integer') return types.has('integer') || types.has('number')
  return types.has(type) || (type === 'number' && types.has('integer') && isWholeNumber(literal))
}

/** `1e3` and `1.5e1` are integers too. Told by the digits: as a double, a long fraction looks whole. */
function isWholeNumber(literal: string): boolean {
  const [, fraction = '', exponent = '0'] = /^-?\d+(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal) ?? []
  return fraction.replace(/0+$/, '').length <= Number(exponent)
}

/** Last resort: `True`, `NONE`, dictionaries in single quotes, a bracket too many or too few. */
function repaired(literal: string, types: ReadonlySet<JsonType> | undefined): TypedValue | undefined {
  if (isBlank(literal)) return undefined
  const word = constants.get(literal.toLowerCase())
  const text = word ?? literal
  const scanner = new JsonScanner()
  // The space ends a number or a word that stands last.
  const at = Math.min(scanner.scan(`${text} `, 0), text.length)
  const tail = scanner.isTentative && scanner.tentativeFrom >= 0 ? scanner.tentativeFrom : at
  const repair = new JsonRepair(scanner, text.slice(tail, at))
  let end = at
  if (scanner.status !== 'done') {
    end = repair.read(text, at)
    repair.end()
    if (repair.status === 'open' && repair.canClose) repair.close()
    if (repair.status !== 'done') return undefined
  }
  const surplus = text.slice(end).trim()
  if (/[^\]}]/.test(surplus)) return undefined
  if (surplus !== '') repair.repairs.add('surplus-closer')
  if (word !== undefined) repair.repairs.add('python-literal')
  // Python has escapes that JSON has not: a text that is all Python means what it means there.
  const python = repair.repairs.has('invalid-escape') ? literalJson(text) : undefined
  if (python !== undefined) return jsonOf(python, types, new Set(['python-literal']))
  const json = scanner.status === 'done' ? text.slice(0, at) : text.slice(0, tail) + repair.take()
  return jsonOf(json, types, repair.repairs)
}

function jsonOf(
  json: string,
  types: ReadonlySet<JsonType> | undefined,
  repairs: ReadonlySet<RepairCode>,
): TypedValue | undefined {
  const type = jsonTypeOf(json)
  if (type === undefined || type === 'string' || (types !== undefined && !allows(types, type, json))) {
    return undefined
  }
  return { json, repairs }
}

/** A value without the marks that this syntax puts around texts: a number, a constant, or a text that lacks its marks. */
export function bareJson(text: string, types: ReadonlySet<JsonType> | undefined): TypedValue {
  const literal = scalarJson(text)
  if (literal === 'null') return { json: literal }
  if (text === '') return { json: types?.has('string') === true ? '""' : 'null' }
  if (types === undefined || types.size === 0) return { json: literal ?? JSON.stringify(text) }
  if (isPureString(types)) return { json: JSON.stringify(text) }
  const typed = typeValue(literal ?? text, types)
  const isOther = typed.mismatch === true || typed.repairs?.has('declared-type') === true
  // The model wrote a number or a constant, whatever the tool wants.
  return literal !== undefined && isOther ? { json: literal } : typed
}

/** A value where everything is written without marks. Some templates print lists and dictionaries as Python does. */
export function plainJson(text: string, types: ReadonlySet<JsonType>): TypedValue {
  const typed = typeValue(text, types)
  if (typed.mismatch !== true || !/^\s*[[{(]/.test(text)) return typed
  return unescapedJson(text.trim(), types) ?? pythonJson(text, types, typed)
}

/** A list or an object that is escaped once more, as if it stood in a string: `[{\"a\": 1}]`. No JSON begins so. */
function unescapedJson(literal: string, types: ReadonlySet<JsonType>): TypedValue | undefined {
  if (!/^[[{]\s*[[{\s]*\\"/.test(literal)) return undefined
  const scanner = new JsonScanner()
  const string = `"${literal.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t')}"`
  if (scanner.scan(string, 0) !== string.length || scanner.status !== 'done') return undefined
  const inside: unknown = JSON.parse(string)
  return jsonOf(String(inside).trim(), types, new Set(['unwrapped-arguments']))
}

/** A value that was written as a text although the tool wants something else. */
export function textJson(text: string, types: ReadonlySet<JsonType>): TypedValue {
  const typed = typeValue(text, types)
  if (typed.mismatch !== true) return typed
  if (scalarJson(text.trim()) === 'null') return { json: 'null' }
  return pythonJson(text, types, typed)
}

function pythonJson(text: string, types: ReadonlySet<JsonType>, otherwise: TypedValue): TypedValue {
  const json = literalJson(text)
  const read = json === undefined ? otherwise : typeValue(json, types)
  return read.mismatch === true ? otherwise : { json: read.json, repairs: new Set(['python-literal']) }
}
