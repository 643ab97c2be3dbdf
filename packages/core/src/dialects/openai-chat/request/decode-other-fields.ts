import type { Block, Content } from '../../../conversation.ts'
import { nonEmptyText, type JsonObject } from '../../../json/objects.ts'
import { reasoningTextFields } from '../answer/reasoning-fields.ts'

/**
 * The content of a message, with what its blocks do not tell, for an upstream of the same dialect: the name of a user,
 * a vendor's own fields, and whether a content that says nothing was empty, null or absent.
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
