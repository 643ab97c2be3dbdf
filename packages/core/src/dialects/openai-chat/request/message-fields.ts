import type { Block, Content } from '../../../conversation.ts'
import { templateOf } from '../../../formats/template.ts'
import { type JsonObject, nonEmptyText } from '../../../json/objects.ts'
import { type Notes, notUnderstood } from '../../../request/notes.ts'
import type { ChatTarget } from '../../../request/target.ts'
import { reasoningTextFields } from '../words.ts'

/**
 * A content, with the fields of the client's message that its blocks do not hold: the name of a user, a vendor's own
 * fields, and whether an empty content was an empty text, null or absent. An upstream of the same dialect gets them
 * back.
 */
export function messageContent(
  speaker: 'human' | 'ai',
  blocks: readonly Block[],
  message: JsonObject,
  hasContent: boolean,
): Content {
  const isTold = speaker === 'ai' ? isToldByModel : isToldByUser
  const untold: [field: string, value: unknown][] = []
  for (const field of Object.keys(message)) {
    const value = message[field]
    if (field === 'content' ? !hasContent : !isTold(field, value)) untold.push([field, value])
  }
  if (hasContent && untold.length === 0) return { speaker, blocks }
  return { speaker, blocks, original: { dialect: 'openai-chat', value: Object.fromEntries(untold) } }
}

function isToldByUser(field: string): boolean {
  return field === 'role'
}

function isToldByModel(field: string, value: unknown): boolean {
  switch (field) {
    case 'role':
    case 'annotations':
      return true
    case 'tool_calls':
    case 'function_call':
      return value !== null
    case 'reasoning_details':
      return Array.isArray(value) && value.length > 0
    default:
      return textFields.has(field) && nonEmptyText(value) !== null
  }
}

const textFields: ReadonlySet<string> = new Set(['refusal', ...reasoningTextFields])

/** The fields of a message, beside role and content, that the upstream may be sent. */
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

/** Fields of the dialect itself, and those in which reasoning is sent. They need no permission. */
const ownFields: ReadonlySet<string> = new Set([
  'name',
  'refusal',
  'tool_calls',
  'function_call',
  'reasoning_details',
  ...reasoningTextFields,
])
