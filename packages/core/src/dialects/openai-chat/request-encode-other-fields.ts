import type { JsonObject } from '../json-object.ts'
import type { Notes } from '../request-notes.ts'
import type { ChatTarget } from '../request-target.ts'
import { writtenIn, type Written } from '../written-form.ts'

/** What else a message said in this dialect. An upstream that has to be fitted to takes none of it. */
export function otherMessageFields(
  message: object & Written,
  { sameDialect, allowedFields }: ChatTarget,
  notes: Notes,
): JsonObject {
  const fields = writtenIn(message, 'openai-chat')
  if (fields === undefined) return {}
  const isAllowed = (field: string): boolean => field === 'name' || allowedFields?.includes(field) !== false
  const kept = Object.entries(fields).filter(([field]) => sameDialect === true && isAllowed(field))
  for (const field of Object.keys(fields)) {
    if (!kept.some(([name]) => name === field))
      notes.dropped(`messages.${field}`, 'The upstream is not known to understand it.')
  }
  return Object.fromEntries(kept)
}
