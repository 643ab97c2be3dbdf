import type { JsonObject } from '../json-object.ts'
import type { Notes } from '../request-notes.ts'
import type { ChatTarget } from '../request-target.ts'
import { writtenIn, type Written } from '../written-form.ts'
import { reasoningTextFields } from './reasoning-fields.ts'

/** What a message of this dialect said that its blocks do not tell; undefined where the client spoke another one. */
export function writtenFields(
  message: object & Written,
  { sameDialect }: ChatTarget,
): JsonObject | undefined {
  return sameDialect === true ? writtenIn(message, 'openai-chat') : undefined
}

/** The fields beside role and content that go on: all but those that are not allowed. */
export function otherMessageFields(
  fields: JsonObject,
  { allowedFields, format }: ChatTarget,
  notes: Notes,
): JsonObject {
  const kept: [field: string, value: unknown][] = []
  for (const [field, value] of Object.entries(fields)) {
    if (field === 'role' || field === 'content') continue
    // It says nothing, and a server that checks its fields refuses those it does not know.
    if (value === null && format !== 'standard') continue
    if (ownFields.has(field) || allowedFields?.includes(field) !== false) kept.push([field, value])
    else if (value !== null) notes.dropped(`messages.${field}`, 'The upstream is not known to understand it.')
  }
  return Object.fromEntries(kept)
}

/** Of the dialect itself, or of all who write reasoning into it: no list has to allow them. */
const ownFields: ReadonlySet<string> = new Set([
  'name',
  'refusal',
  'tool_calls',
  'function_call',
  'reasoning_details',
  ...reasoningTextFields,
])
