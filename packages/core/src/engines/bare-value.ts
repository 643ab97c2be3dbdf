import { literalJson } from '../text/python-literal.ts'
import { scalarJson } from '../text/python-scalar.ts'
import type { JsonType } from './tool-set.ts'
import { isPureString, type TypedValue, typeValue } from './untyped-value.ts'

/** A value that was written without marks, where texts have them: a number, a constant, or a text all the same. */
export function bareJson(text: string, types: ReadonlySet<JsonType> | undefined): TypedValue {
  const literal = scalarJson(text)
  if (literal === 'null') return { json: literal }
  if (text === '') return { json: types?.has('string') === true ? '""' : 'null' }
  if (types === undefined || types.size === 0) return { json: literal ?? JSON.stringify(text) }
  if (isPureString(types)) return { json: JSON.stringify(text) }
  const typed = typeValue(literal ?? text, types)
  if (typed.mismatch !== true) return typed
  // The model wrote a number or a constant, whatever the tool wants.
  return literal === undefined ? typed : { json: literal }
}

/** A value where everything is written without marks. Some templates print lists and dictionaries as Python does. */
export function plainJson(text: string, types: ReadonlySet<JsonType>): TypedValue {
  const typed = typeValue(text, types)
  const isContainer = /^\s*[[{(]/.test(text)
  return typed.mismatch === true && isContainer ? pythonJson(text, types, typed) : typed
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
