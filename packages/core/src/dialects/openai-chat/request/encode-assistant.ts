import type { Content, MediaBlock, TextBlock, ThinkingBlock, ToolCallBlock } from '../../../conversation.ts'
import { templateOf } from '../../../formats/template.ts'
import type { ToolIdMapper } from '../../../ids/strategy.ts'
import { isJsonObject, type JsonObject } from '../../../json/objects.ts'
import type { Notes } from '../../../request/notes.ts'
import type { ChatTarget } from '../../../request/target.ts'
import { originalFor, originalIn } from '../../../request/original.ts'
import { otherMessageFields } from './encode-other-fields.ts'
import { cacheMark, encodeParts, keepsParts } from './encode-parts.ts'
import { encodeReasoning } from './encode-reasoning.ts'

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
  for (const block of content.blocks) {
    if (block.type === 'tool_call') calls.push(encodeCall(block, ids, target))
    else if (block.type === 'thinking') thoughts.push(block)
    else if (block.type === 'text' && isRefusal(block, target)) refusal = block.text
    else if (block.type !== 'tool_response') spoken.push(block)
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

/** What stood in the field of this name: a part that refuses has a type. */
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
  // Joined as they are: a newline more or less, and the upstream's cached prefix is another.
  const text = texts.map((block) => block.text).join('')
  const isMarked = texts.some((block) => 'cache_control' in cacheMark(block, target, notes))
  if (text !== '') message['content'] = isMarked ? encodeParts(texts, target, notes) : text
  else writeEmptyContent(message, callsTools, fields, target)
}

/** What the upstream is known to want, else what the client wrote, else what most take. */
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

function encodeCall(call: ToolCallBlock, ids: ToolIdMapper, target: ChatTarget): JsonObject {
  const id = ids.resolveToolCallId(call)
  const { name } = call
  const original = originalFor(target, call, 'openai-chat')
  if (isJsonObject(original?.['custom'])) return { ...original, id, custom: { ...original['custom'], name } }
  const called = original?.['function']
  if (original === undefined || !isJsonObject(called)) {
    return { id, type: 'function', function: { name, arguments: JSON.stringify(call.parameters ?? {}) } }
  }
  const isSame = original['id'] === id && original['type'] === 'function' && called['name'] === name
  return isSame ? original : { ...original, id, type: 'function', function: { ...called, name } }
}
