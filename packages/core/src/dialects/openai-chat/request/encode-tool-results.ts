import type { Content, ToolResponseBlock } from '../../../conversation.ts'
import type { ToolIdMapper } from '../../../ids/strategy.ts'
import { nonEmptyText, type JsonObject } from '../../../json/objects.ts'
import type { Notes } from '../../../request/notes.ts'
import type { ChatTarget } from '../../../request/target.ts'
import { resultBlocks, toolErrorMark, type ResultBlock } from '../../../request/tool-result.ts'
import { originalFor } from '../../../request/original.ts'
import { otherMessageFields } from './encode-other-fields.ts'
import { cacheMark, encodeParts, keepsParts } from './encode-parts.ts'

export interface EncodedResults {
  readonly messages: readonly JsonObject[]
  /** Parts for the user message that follows: most upstreams take only text from a tool. */
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
    const isKept = keepsParts(result, target)
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

/** What the client wrote as a part has its mark still. */
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
