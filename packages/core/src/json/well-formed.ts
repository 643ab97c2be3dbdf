import { isJsonObject } from './objects.ts'

/**
 * The value with U+FFFD for each half of a surrogate pair that stands alone. Such a half cannot be written as UTF-8,
 * and servers answer it with an error that names no field. A value without any is returned itself, not copied.
 */
export function wellFormed<T>(value: T): T
export function wellFormed(value: unknown): unknown {
  return isWellFormed(value) ? value : repaired(value)
}

/** Asked before anything is copied: nearly every request is sound, and the largest are megabytes. */
function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  if (Array.isArray(value)) return value.every(isWellFormed)
  if (!isJsonObject(value)) return true
  for (const key of Object.keys(value)) {
    if (!key.isWellFormed() || !isWellFormed(value[key])) return false
  }
  return true
}

function repaired(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (Array.isArray(value)) return value.map(wellFormed)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key.toWellFormed(), wellFormed(item)]),
  )
}
