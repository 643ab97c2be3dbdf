import type { Content, ToolResponseBlock } from '../../../conversation.ts'
import type { ToolIdMapper } from '../../../ids/strategy.ts'
import { type JsonObject, nonEmptyText } from '../../../json/objects.ts'
import type { Notes } from '../../../request/notes.ts'
import { originalFor, withOriginal } from '../../../request/original.ts'
import type { ChatTarget } from '../../../request/target.ts'
import { type ResultBlock, resultBlocks, toolErrorMark } from '../../../request/tool-result.ts'
import { otherMessageFields } from './message-fields.ts'
import { cacheMark, decodeParts, encodeParts, keepsParts } from './parts.ts'

/** Reads a tool's answer. The old role `function` has no id: its answer belongs to the last call without an id. */
export function decodeToolMessage(message: JsonObject, path: string): ToolResponseBlock {
  const response = responseIn(message, path)
  // The old role `function` becomes `tool`, which needs no name.
  if (message['role'] === 'function') return response
  const others = Object.entries(message).filter(([field]) => !messageFields.has(field))
  return others.length === 0 ? response : withOriginal(response, 'openai-chat', Object.fromEntries(others))
}

const messageFields = new Set(['role', 'content', 'tool_call_id'])

function responseIn(message: JsonObject, path: string): ToolResponseBlock {
  const { content } = message
  const callId = nonEmptyText(message['tool_call_id']) ?? ''
  const toolName = nonEmptyText(message['name']) ?? ''
  if (typeof content === 'string') {
    if (!content.startsWith(toolErrorMark)) {
      return { type: 'tool_response', callId, toolName, result: content }
    }
    const result = content.slice(toolErrorMark.length)
    return { type: 'tool_response', callId, toolName, result, isError: true }
  }
  const [head, ...tail] = decodeParts(content, `${path}.content`)
  if (head === undefined) return { type: 'tool_response', callId, toolName, result: '' }
  const isError = head.type === 'text' && head.text.startsWith(toolErrorMark)
  if (!isError) return { type: 'tool_response', callId, toolName, result: [head, ...tail] }
  return { type: 'tool_response', callId, toolName, result: [withoutMark(head), ...tail], isError }
}

/** The block loses the mark; its original keeps it. */
function withoutMark(head: ResultBlock): ResultBlock {
  return head.type === 'text' ? { ...head, text: head.text.slice(toolErrorMark.length) } : head
}

export interface EncodedResults {
  readonly messages: readonly JsonObject[]
  /** Images for the user message that follows: most upstreams take only text from a tool. */
  readonly shown: JsonObject[]
}

export function encodeToolMessages(
  { blocks }: Content,
  ids: ToolIdMapper,
  target: ChatTarget,
  notes: Notes,
): EncodedResults {
  const shown: JsonObject[] = []
  const messages: JsonObject[] = []
  for (const block of blocks) {
    if (block.type !== 'tool_response') continue
    const id = ids.resolveToolResponseId(block)
    const result = resultBlocks(block.result)
    const isKept = target.resultsAsText !== true && keepsParts(result, target)
    const takesMedia = isKept || target.mediaInToolResults === true
    const media = takesMedia ? [] : result.filter(({ type }) => type === 'media')
    if (media.length > 0) {
      notes.changed('messages', 'Images in tool results are shown in a user message after the results.')
      shown.push({ type: 'text', text: `From the result of ${block.toolName || 'the tool'}:` })
      shown.push(...encodeParts(media, target, notes))
    }
    const isInParts = isKept || (takesMedia && result.some(({ type }) => type === 'media'))
    const content = isInParts
      ? partsOf(block, encodeParts(result, target, notes))
      : textContent(block, result, target, notes)
    messages.push(toolMessage(id, content, block, target, notes))
  }
  return { messages, shown }
}

function toolMessage(
  id: string,
  content: unknown,
  response: ToolResponseBlock,
  target: ChatTarget,
  notes: Notes,
): JsonObject {
  const fields = originalFor(target, response, 'openai-chat')
  if (fields === undefined) return { role: 'tool', tool_call_id: id, content }
  const others = otherMessageFields(fields, target, notes)
  // The name that the client wrote may be one that this upstream cannot take.
  const named = nonEmptyText(others['name']) === null ? {} : { name: response.toolName }
  return { role: 'tool', tool_call_id: id, content, ...others, ...named }
}

/** Parts that a client of this dialect sent have the mark already. */
function partsOf({ isError }: ToolResponseBlock, parts: JsonObject[]): JsonObject[] {
  const isMarked = isError !== true || startsWithMark(parts[0])
  return isMarked ? parts : [{ type: 'text', text: toolErrorMark }, ...parts]
}

function startsWithMark(part: JsonObject | undefined): boolean {
  return nonEmptyText(part?.['text'])?.startsWith(toolErrorMark) === true
}

function textContent(
  response: ToolResponseBlock,
  result: readonly ResultBlock[],
  target: ChatTarget,
  notes: Notes,
): unknown {
  const text = (response.isError === true ? toolErrorMark : '') + textOf(result)
  const mark = cacheMark(response, target, notes)
  return 'cache_control' in mark ? [{ type: 'text', text, ...mark }] : text
}

function textOf(result: readonly ResultBlock[]): string {
  return result
    .map((block) => (block.type === 'text' ? block.text : shownBelow))
    .filter((text) => text !== '')
    .join('\n')
}

const shownBelow = '[shown in the next message]'
