import type { Content, ToolCallBlock } from '../../conversation.ts'
import type { ToolIdMapper } from '../../ids/strategy.ts'
import { isJsonObject, parseJson, type JsonObject } from '../json-object.ts'
import type { Notes } from '../request-notes.ts'
import type { ChatTarget } from '../request-target.ts'
import { writtenIn, type Written } from '../written-form.ts'
import { otherMessageFields } from './request-encode-other-fields.ts'
import { cacheMark, encodeParts } from './request-encode-parts.ts'
import { encodeReasoning } from './request-encode-reasoning.ts'

export function encodeAssistant(
  message: Content,
  ids: ToolIdMapper,
  target: ChatTarget,
  notes: Notes,
): JsonObject {
  const { blocks } = message
  const texts = blocks.filter((block) => block.type === 'text')
  const calls = blocks.filter((block) => block.type === 'tool_call')
  if (blocks.some(({ type }) => type === 'media')) {
    notes.dropped('messages', 'The upstream takes no media in messages of the model.')
  }
  // Joined as they are: a newline more or less, and the upstream's cached prefix is another.
  const text = texts.map((block) => block.text).join('')
  const isMarked = texts.some((block) => 'cache_control' in cacheMark(block, target))
  const content = isMarked ? encodeParts(texts, target, notes) : text
  return {
    role: 'assistant',
    ...otherMessageFields(message, target, notes),
    ...(text === '' && calls.length > 0 ? emptyContents[target.emptyContent ?? 'null'] : { content }),
    ...encodeReasoning(
      blocks.filter((block) => block.type === 'thinking'),
      calls.length > 0,
      target,
      notes,
    ),
    ...(calls.length > 0 ? { tool_calls: calls.map((call) => encodeCall(call, ids, target)) } : {}),
  }
}

const emptyContents = { null: { content: null }, empty: { content: '' }, absent: {} } as const

function encodeCall(call: ToolCallBlock & Written, ids: ToolIdMapper, target: ChatTarget): JsonObject {
  const written = target.sameDialect === true ? writtenIn(call, 'openai-chat') : undefined
  const writtenFunction = written?.['function']
  return {
    ...written,
    id: ids.resolveToolCallId(call),
    type: 'function',
    function: {
      ...(isJsonObject(writtenFunction) ? writtenFunction : {}),
      name: call.name,
      arguments: argumentsOf(call, writtenFunction),
    },
  }
}

/** The client's own spelling where it is sound: written anew, long numbers lose digits and caches miss. */
function argumentsOf(call: ToolCallBlock, writtenFunction: unknown): string {
  const text = isJsonObject(writtenFunction) ? writtenFunction['arguments'] : undefined
  // An escaped half of a surrogate pair becomes, at the upstream, text that it cannot encode.
  const isSound = typeof text === 'string' && !/\\u[dD][89a-fA-F]/.test(text) && isJsonObject(parseJson(text))
  if (isSound) return text
  return JSON.stringify(call.parameters ?? {})
}
