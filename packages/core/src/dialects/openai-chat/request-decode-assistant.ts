import type { Block, ThinkingBlock, ToolCallBlock } from '../../conversation.ts'
import { optionalText, requiredObject } from '../field-readers.ts'
import { InvalidField } from '../invalid-field.ts'
import { isJsonObject, nonEmptyText, parseJson, type JsonObject } from '../json-object.ts'
import type { Notes } from '../request-notes.ts'
import { wellFormed } from '../well-formed.ts'
import { withWritten } from '../written-form.ts'
import { reasoningTextFields } from './reasoning-fields.ts'
import { decodeParts } from './request-decode-parts.ts'

export function decodeAssistant(message: JsonObject, path: string, notes: Notes): Block[] {
  const refusal = nonEmptyText(message['refusal'])
  return [
    ...thoughtsIn(message),
    ...decodeParts(message['content'], `${path}.content`),
    ...(refusal === null ? [] : [{ type: 'text', text: refusal } as const]),
    ...callsIn(message, path, notes),
  ]
}

/** Chat has no signatures: what a client sends back is taken for the upstream's own, in the fields it came in. */
function thoughtsIn(message: JsonObject): ThinkingBlock[] {
  const { reasoning_details: details } = message
  const fields: Record<string, unknown> = {}
  for (const field of reasoningTextFields) {
    if (nonEmptyText(message[field]) !== null) fields[field] = message[field]
  }
  if (Array.isArray(details) && details.length > 0) fields['reasoning_details'] = details
  if (Object.keys(fields).length === 0) return []

  const textField = reasoningTextFields.find((field) => field in fields)
  const text = textField === undefined ? null : nonEmptyText(fields[textField])
  const block: ThinkingBlock = { type: 'thinking', thought: text ?? textOfDetails(details) }
  return [withWritten(block, 'openai-chat', fields)]
}

function textOfDetails(details: unknown): string {
  if (!Array.isArray(details)) return ''
  return details
    .map((detail: unknown) => (isJsonObject(detail) ? (detail['text'] ?? detail['summary']) : null))
    .filter((text) => typeof text === 'string')
    .join('')
}

function callsIn(message: JsonObject, path: string, notes: Notes): ToolCallBlock[] {
  const calls = message['tool_calls'] ?? []
  if (!Array.isArray(calls))
    throw new InvalidField(`${path}.tool_calls`, `${path}.tool_calls: must be an array`)
  const decoded = calls.map((value: unknown, at) => {
    const place = `${path}.tool_calls[${at}]`
    const call = requiredObject(value, place)
    const block = callOf(call['function'], nonEmptyText(call['id']) ?? '', `${place}.function`, notes)
    return withWritten(block, 'openai-chat', call)
  })
  const old = message['function_call'] ?? undefined
  return old === undefined ? decoded : [...decoded, callOf(old, '', `${path}.function_call`, notes)]
}

function callOf(value: unknown, id: string, path: string, notes: Notes): ToolCallBlock {
  const called = requiredObject(value, path)
  const name = optionalText(called, 'name', `${path}.`) ?? ''
  const given = called['arguments']
  const parameters = parametersOf(given)
  if (parameters === null)
    notes.changed(`${path}.arguments`, 'They are not a JSON object; {} stands for them.')
  else if (given !== parameters && Object.keys(parameters).length === 0 && isEmptyText(given))
    notes.changed(`${path}.arguments`, 'They are empty; {} stands for them.')
  return { type: 'tool_call', id, name, parameters: parameters ?? {} }
}

function isEmptyText(given: unknown): boolean {
  return given === undefined || given === null || (typeof given === 'string' && given.trim() === '')
}

function parametersOf(written: unknown): JsonObject | null {
  if (isJsonObject(written)) return written
  if (written === undefined || written === null) return {}
  if (typeof written !== 'string') return null
  if (written.trim() === '') return {}
  const once = parseJson(written)
  // Some clients encode twice.
  const parsed = typeof once === 'string' ? parseJson(once) : once
  return isJsonObject(parsed) ? wellFormed(parsed) : null
}
