import { templateOf } from '../../../formats/template.ts'
import type { JsonObject } from '../../../json/objects.ts'
import { notUnderstood, type Notes } from '../../../request/notes.ts'
import type { ChatTarget } from '../../../request/target.ts'
import { reasoningTextFields } from '../answer/reasoning-fields.ts'

/** The fields of a message beside role and content that go on: all but those that are not allowed. */
export function otherMessageFields(
  fields: JsonObject,
  { allowedFields, format }: ChatTarget,
  notes: Notes,
): JsonObject {
  const { nullFields } = templateOf(format)
  const kept: [field: string, value: unknown][] = []
  for (const [field, value] of Object.entries(fields)) {
    if (field === 'role' || field === 'content') continue
    if (value === null && nullFields === 'drop') continue
    if (ownFields.has(field) || allowedFields?.includes(field) !== false) kept.push([field, value])
    else if (value !== null) notes.dropped(`messages.${field}`, notUnderstood)
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
