import { isJsonObject } from './json-object.ts'

/**
 * The value with U+FFFD for each half of a surrogate pair that stands alone. Such a half cannot be written as UTF-8:
 * servers answer it with an error that names no field. What holds none is returned as it is, not copied.
 */
export function wellFormed<T>(value: T): T
export function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') {
    // The first test is quick where a text has only Latin letters, as megabytes of base64 do.
    return /[\ud800-\udfff]/.test(value) ? value.replace(/\p{Surrogate}/gu, '\u{fffd}') : value
  }
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => wellFormed(item))
    return items.every((item, at) => item === value[at]) ? value : items
  }
  if (!isJsonObject(value)) return value
  const entries = Object.entries(value)
  const clean = entries.map(([key, item]) => [wellFormed(key), wellFormed(item)] as const)
  const isClean = clean.every(([key, item], at) => key === entries[at]?.[0] && item === entries[at]?.[1])
  return isClean ? value : Object.fromEntries(clean)
}
