import type { Block, Content, TextBlock, ThinkingBlock, ToolCallBlock } from '../../../conversation.ts'
import { optionalArray, optionalText, requiredObject } from '../../../json/fields.ts'
import { isJsonObject, nonEmptyText, parseJson, type JsonObject } from '../../../json/objects.ts'
import type { Notes } from '../../../request/notes.ts'
import { wellFormed } from '../../../json/well-formed.ts'
import { withOriginal } from '../../../request/original.ts'
import { reasoningTextFields } from '../answer/reasoning-fields.ts'
import { messageContent } from './decode-other-fields.ts'
import { decodeParts } from './decode-parts.ts'

export function decodeAssistant(message: JsonObject, path: string, notes: Notes): Content {
  const blocks: Block[] = thoughtsIn(message)
  const parts = decodeParts(message['content'], `${path}.content`)
  for (const part of parts) blocks.push(part)
  const refusal = nonEmptyText(message['refusal'])
  if (refusal !== null) blocks.push(refusalBlock(refusal))
  for (const call of callsIn(message, path, notes)) blocks.push(call)
  if ('annotations' in message) notes.dropped('messages.annotations', 'Upstreams give it out and refuse it.')
  return messageContent('ai', blocks, message, parts.length > 0)
}

/** Text to every other dialect. A part of the content that refuses has a type; what stood in the field has none. */
function refusalBlock(refusal: string): TextBlock {
  return { type: 'text', text: refusal, original: { dialect: 'openai-chat', value: { refusal } } }
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
  return [withOriginal(block, 'openai-chat', fields)]
}

function textOfDetails(details: unknown): string {
  if (!Array.isArray(details)) return ''
  return details
    .map((detail: unknown) => (isJsonObject(detail) ? (detail['text'] ?? detail['summary']) : null))
    .filter((text) => typeof text === 'string')
    .join('')
}

function callsIn(message: JsonObject, path: string, notes: Notes): ToolCallBlock[] {
  const calls = optionalArray(message, 'tool_calls', `${path}.`)
  const decoded = calls.map((value, at) => decodeCall(value, `${path}.tool_calls[${at}]`, notes))
  const old = message['function_call'] ?? undefined
  if (old !== undefined) decoded.push(functionCall(old, '', `${path}.function_call`, notes).block)
  return decoded
}

function decodeCall(value: unknown, path: string, notes: Notes): ToolCallBlock {
  const call = requiredObject(value, path)
  if (isJsonObject(call['custom'])) return withOriginal(customCall(call, call['custom']), 'openai-chat', call)
  const { block, called, isSound } = functionCall(
    call['function'],
    nonEmptyText(call['id']) ?? '',
    `${path}.function`,
    notes,
  )
  // The client's own spelling where it can be sent: written anew, long numbers lose digits and caches miss.
  const spelled = isSound
    ? call
    : { ...call, function: { ...called, arguments: JSON.stringify(block.parameters) } }
  return withOriginal(block, 'openai-chat', spelled)
}

/** A call of a tool that takes a text, which other dialects have to be told as an argument. */
function customCall({ id }: JsonObject, { name, input }: JsonObject): ToolCallBlock {
  return {
    type: 'tool_call',
    id: nonEmptyText(id) ?? '',
    name: nonEmptyText(name) ?? '',
    parameters: { input: input ?? '' },
  }
}

interface FunctionCall {
  readonly block: ToolCallBlock
  readonly called: JsonObject
  /** The arguments are the text of a JSON object that every server can read. */
  readonly isSound: boolean
}

function functionCall(value: unknown, id: string, path: string, notes: Notes): FunctionCall {
  const called = requiredObject(value, path)
  const name = optionalText(called, 'name', `${path}.`) ?? ''
  const given = called['arguments']
  const { parameters, isSound } = readArguments(given)
  if (parameters === null)
    notes.changed(`${path}.arguments`, 'They are not a JSON object; {} stands for them.')
  else if (isEmptyText(given)) notes.changed(`${path}.arguments`, 'They are empty; {} stands for them.')
  return { block: { type: 'tool_call', id, name, parameters: parameters ?? {} }, called, isSound }
}

function isEmptyText(given: unknown): boolean {
  return given === undefined || given === null || (typeof given === 'string' && given.trim() === '')
}

function readArguments(given: unknown): { parameters: JsonObject | null; isSound: boolean } {
  if (isJsonObject(given)) return { parameters: given, isSound: false }
  if (isEmptyText(given)) return { parameters: {}, isSound: false }
  if (typeof given !== 'string') return { parameters: null, isSound: false }
  const once = parseJson(given)
  // Some clients encode twice.
  const parsed = typeof once === 'string' ? parseJson(once) : once
  if (!isJsonObject(parsed)) return { parameters: null, isSound: false }
  // An escaped half of a surrogate pair becomes, at the upstream, text that it cannot encode.
  const parameters = wellFormed(parsed)
  return { parameters, isSound: parameters === once }
}
