import type {
  Block,
  Content,
  MediaBlock,
  TextBlock,
  ThinkingBlock,
  ToolCallBlock,
} from '../../../conversation.ts'
import { templateOf } from '../../../formats/template.ts'
import type { ToolIdMapper } from '../../../ids/strategy.ts'
import { optionalArray, optionalText, requiredObject } from '../../../json/fields.ts'
import { isJsonObject, type JsonObject, nonEmptyText, parseJson } from '../../../json/objects.ts'
import { wellFormed } from '../../../json/well-formed.ts'
import type { Notes } from '../../../request/notes.ts'
import { originalFor, originalIn, withOriginal } from '../../../request/original.ts'
import { callProofOf } from '../../../request/reasoning-policy.ts'
import type { ChatTarget } from '../../../request/target.ts'
import { messageContent, otherMessageFields } from './message-fields.ts'
import { cacheMark, decodeParts, encodeParts, keepsParts } from './parts.ts'
import { decodeReasoning, encodeReasoning } from './reasoning.ts'

export function decodeAssistant(message: JsonObject, path: string, notes: Notes): Content {
  const blocks: Block[] = decodeReasoning(message)
  const parts = decodeParts(message['content'], `${path}.content`)
  for (const part of parts) blocks.push(part)
  const refusal = nonEmptyText(message['refusal'])
  if (refusal !== null) blocks.push(refusalBlock(refusal))
  for (const call of callsIn(message, path, notes)) blocks.push(call)
  if ('annotations' in message) notes.dropped('messages.annotations', 'Upstreams give it out and refuse it.')
  return messageContent('ai', blocks, message, parts.length > 0)
}

/**
 * A refusal is text to every other dialect. The original of one that stood in the field `refusal` has no type; that
 * of a part of the content which refuses has one.
 */
function refusalBlock(refusal: string): TextBlock {
  return { type: 'text', text: refusal, original: { dialect: 'openai-chat', value: { refusal } } }
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
  // The client's own spelling is kept where it can be sent: encoded anew, long numbers lose digits and caches miss.
  const spelled = isSound
    ? call
    : { ...call, function: { ...called, arguments: JSON.stringify(block.parameters) } }
  return withOriginal(block, 'openai-chat', spelled)
}

/** A custom tool takes a text. Other dialects have no such tools, so the text becomes an argument `input`. */
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
  /** Whether the arguments are a JSON object that every server can read, and can go on as the client wrote them. */
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
  // Some clients encode the arguments twice.
  const parsed = typeof once === 'string' ? parseJson(once) : once
  if (!isJsonObject(parsed)) return { parameters: null, isSound: false }
  // An upstream that decodes an escaped half of a surrogate pair has a text that it cannot encode.
  const parameters = wellFormed(parsed)
  return { parameters, isSound: parameters === once }
}

export function encodeAssistant(
  content: Content,
  ids: ToolIdMapper,
  target: ChatTarget,
  notes: Notes,
): JsonObject {
  const spoken: (TextBlock | MediaBlock)[] = []
  const thoughts: ThinkingBlock[] = []
  const calls: JsonObject[] = []
  let refusal: string | undefined
  let proof: string | undefined
  for (const block of content.blocks) {
    if (block.type === 'tool_call') {
      calls.push(encodeCall(block, ids, target, proof))
      proof = undefined
    } else if (block.type === 'thinking') {
      const ofCall = callProofOf(block)
      if (ofCall === undefined) thoughts.push(block)
      else proof = ofCall
    } else if (block.type === 'text' && isRefusal(block, target)) {
      refusal = block.text
    } else if (block.type !== 'tool_response') {
      spoken.push(block)
    }
  }
  const fields = originalFor(target, content, 'openai-chat')
  const message: Record<string, unknown> =
    fields === undefined
      ? { role: 'assistant' }
      : { role: 'assistant', ...otherMessageFields(fields, target, notes) }
  writeContent(message, spoken, calls.length > 0, fields, target, notes)
  if (refusal !== undefined) message['refusal'] = refusal
  const reasoning = encodeReasoning(thoughts, calls.length > 0, target, notes)
  if (reasoning !== undefined) Object.assign(message, reasoning)
  if (calls.length > 0) message['tool_calls'] = calls
  return message
}

/** Whether the text stood in the field `refusal` of the client's message. A part that refuses has a type as well. */
function isRefusal(block: TextBlock, { sameDialect, format }: ChatTarget): boolean {
  if (sameDialect !== true || templateOf(format).turns === 'alternate') return false
  const original = originalIn(block, 'openai-chat')
  return original !== undefined && 'refusal' in original && !('type' in original)
}

function writeContent(
  message: Record<string, unknown>,
  spoken: readonly (TextBlock | MediaBlock)[],
  callsTools: boolean,
  fields: JsonObject | undefined,
  target: ChatTarget,
  notes: Notes,
): void {
  if (keepsParts(spoken, target)) {
    message['content'] = encodeParts(spoken, target, notes)
    return
  }
  const texts = spoken.filter((block) => block.type === 'text')
  if (texts.length < spoken.length) {
    notes.dropped('messages', 'The upstream takes no media in messages of the model.')
  }
  // The texts are joined with nothing between them: one newline more would change the prefix that the upstream
  // cached.
  const text = texts.map((block) => block.text).join('')
  const isMarked = texts.some((block) => 'cache_control' in cacheMark(block, target, notes))
  if (text !== '') message['content'] = isMarked ? encodeParts(texts, target, notes) : text
  else writeEmptyContent(message, callsTools, fields, target)
}

/** Writes what the upstream is known to want, else what the client sent, else what most upstreams take. */
function writeEmptyContent(
  message: Record<string, unknown>,
  callsTools: boolean,
  fields: JsonObject | undefined,
  { emptyContent, format }: ChatTarget,
): void {
  if (fields !== undefined && emptyContent === undefined && templateOf(format).turns === 'any') {
    if ('content' in fields) message['content'] = fields['content']
  } else if (!callsTools || emptyContent === 'empty') {
    message['content'] = ''
  } else if (emptyContent !== 'absent') {
    message['content'] = null
  }
}

/** `proof`: what the upstream wants back beside the call. A client of the same dialect sends it back itself. */
function encodeCall(
  call: ToolCallBlock,
  ids: ToolIdMapper,
  target: ChatTarget,
  proof: string | undefined,
): JsonObject {
  const id = ids.resolveToolCallId(call)
  const { name } = call
  const original = originalFor(target, call, 'openai-chat')
  if (isJsonObject(original?.['custom'])) return { ...original, id, custom: { ...original['custom'], name } }
  const called = original?.['function']
  if (original === undefined || !isJsonObject(called)) {
    const written = JSON.stringify(call.parameters ?? {})
    return { id, type: 'function', function: { name, arguments: written }, ...proofFields(proof) }
  }
  const isSame = original['id'] === id && original['type'] === 'function' && called['name'] === name
  return isSame ? original : { ...original, id, type: 'function', function: { ...called, name } }
}

function proofFields(proof: string | undefined): JsonObject {
  const extra = proof === undefined ? undefined : parseJson(proof)
  return isJsonObject(extra) ? { extra_content: extra } : {}
}
