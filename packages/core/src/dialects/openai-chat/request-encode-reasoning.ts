import type { ThinkingBlock } from '../../conversation.ts'
import { parseJson, type JsonObject } from '../json-object.ts'
import { demandsReasoning, lostReasoning } from '../reasoning-policy.ts'
import { readSignature } from '../reasoning-signature.ts'
import type { Notes } from '../request-notes.ts'
import type { ChatTarget } from '../request-target.ts'
import { writtenIn, type Written } from '../written-form.ts'
import { reasoningTextFields } from './reasoning-fields.ts'

/** The reasoning of one message, in the fields that the upstream had it in. */
export function encodeReasoning(
  thoughts: readonly (ThinkingBlock & Written)[],
  callsTools: boolean,
  target: ChatTarget,
  notes: Notes,
): JsonObject {
  const fields: Record<string, unknown> = {}
  for (const thought of thoughts) {
    const written = target.sameDialect === true ? writtenIn(thought, 'openai-chat') : undefined
    for (const [field, value] of Object.entries(written ?? nativeFields(thought))) {
      fields[field] = joined(fields[field], value)
    }
  }
  if (Object.keys(fields).length > 0 || !callsTools || !demandsReasoning(target.format)) return fields
  notes.changed('messages', 'The upstream demands reasoning beside tool calls and the client sent none.')
  return { reasoning_content: lostReasoning }
}

/** The signature comes from the client: of the fields of a message it may name none but these. */
function nativeFields({ thought, signature }: ThinkingBlock): JsonObject {
  const source = readSignature(signature)
  if (source === null || source === 'foreign') return { reasoning_content: thought }
  if (source.field === 'reasoning_details') {
    const details = source.proof === undefined ? undefined : parseJson(source.proof)
    const text = thought === '' ? [] : [{ type: 'reasoning.text', text: thought }]
    return { reasoning_details: Array.isArray(details) ? details : text }
  }
  const field = reasoningTextFields.find((name) => name === source.field) ?? 'reasoning_content'
  return { [field]: thought }
}

function joined(before: unknown, value: unknown): unknown {
  if (typeof before === 'string' && typeof value === 'string') return before + value
  return Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value
}
