import { isJsonObject, type JsonObject } from './objects.ts'

// Clients write null for what they leave out, so null is read as absent throughout.

export function requiredObject(value: unknown, field: string): JsonObject {
  if (!isJsonObject(value)) throw new InvalidField(field, 'must be an object')
  return value
}

export function requiredText(object: JsonObject, key: string, path = ''): string {
  const value = object[key]
  if (typeof value === 'string' && value !== '') return value
  throw new InvalidField(path + key, 'must be a non-empty string')
}

export function optionalText(object: JsonObject, key: string, path = ''): string | undefined {
  const value = object[key] ?? undefined
  if (value === undefined || typeof value === 'string') return value
  throw new InvalidField(path + key, 'must be a string')
}

export function optionalNumber(object: JsonObject, key: string, path = ''): number | undefined {
  const value = object[key] ?? undefined
  if (value === undefined || typeof value === 'number') return value
  throw new InvalidField(path + key, 'must be a number')
}

export function optionalCount(object: JsonObject, key: string, path = ''): number | undefined {
  const value = optionalNumber(object, key, path)
  if (value === undefined || (Number.isInteger(value) && value > 0)) return value
  throw new InvalidField(path + key, 'must be a whole number above 0')
}

export function optionalBoolean(object: JsonObject, key: string): boolean | undefined {
  const value = object[key] ?? undefined
  if (value === undefined || typeof value === 'boolean') return value
  throw new InvalidField(key, 'must be true or false')
}

export function optionalArray(object: JsonObject, key: string, path = ''): readonly unknown[] {
  const value = object[key] ?? []
  if (Array.isArray(value)) return value
  throw new InvalidField(path + key, 'must be an array')
}

export function textArray(values: readonly unknown[], field: string): string[] {
  return values.map((value, at) => anyText(value, `${field}[${at}]`))
}

/** A text that may be empty. */
export function anyText(value: unknown, field: string): string {
  if (typeof value === 'string') return value
  throw new InvalidField(field, 'must be a string')
}

/** The fields of the object that are not among these, but for those that are null. */
export function otherFields(object: JsonObject, known: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(
    Object.entries(object).filter(([key, value]) => !known.has(key) && value !== undefined && value !== null),
  )
}

/** Whether every field of the object is among these. Fields that are null count here: the client sent them. */
export function hasOnly(object: JsonObject, known: ReadonlySet<string>): boolean {
  for (const key of Object.keys(object)) if (!known.has(key)) return false
  return true
}

/** Readers throw it to end the decoding of a request; `decoding` turns it into a result. */
export class InvalidField extends Error {
  readonly field: string
  readonly code: string | undefined

  /** `fault` completes a sentence that begins with the name of the field: `must be a string`. */
  constructor(field: string, fault: string, code?: string) {
    super(`${field}: ${fault}`)
    this.field = field
    this.code = code
  }
}
