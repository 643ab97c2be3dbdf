import type { FormatId } from '../formats/format-id.ts'

/** Whose templates raise an error unless the user begins and the roles alternate. */
export function alternatesTurns(format: FormatId): boolean {
  return format === 'mistral' || format === 'gemma'
}
