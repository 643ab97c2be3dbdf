import type { JsonObject } from '../json/objects.ts'

/** The first of these fields that holds a number of tokens. */
export function countOf(object: JsonObject, ...fields: readonly string[]): number | null {
  for (const field of fields) {
    const value = object[field]
    if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value
  }
  return null
}
