import type { Content, ToolResponseBlock } from '../../conversation.ts'
import type { ToolIdMapper } from '../../ids/strategy.ts'
import type { JsonObject } from '../json-object.ts'
import type { Notes } from '../request-notes.ts'
import type { ChatTarget } from '../request-target.ts'
import { resultBlocks, toolErrorMark, type ResultBlock } from '../tool-result.ts'
import type { Written } from '../written-form.ts'
import { otherMessageFields } from './request-encode-other-fields.ts'
import { cacheMark, encodeParts } from './request-encode-parts.ts'

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
  const messages = blocks
    .filter((block) => block.type === 'tool_response')
    .map((response) => {
      const toolCallId = ids.resolveToolResponseId(response)
      const result = resultBlocks(response.result)
      const media = result.filter(({ type }) => type === 'media')
      if (media.length > 0 && target.mediaInToolResults !== true) {
        notes.changed('messages', 'Images in tool results are shown in a user message after the results.')
        shown.push({ type: 'text', text: `From the result of ${response.toolName || 'the tool'}:` })
        shown.push(...encodeParts(media, target, notes))
      }
      const content = contentOf(response, result, target, notes)
      return toolMessage(toolCallId, content, response, otherMessageFields(response, target, notes))
    })
  return { messages, shown }
}

function toolMessage(
  id: string,
  content: unknown,
  { toolName }: ToolResponseBlock,
  others: JsonObject,
): JsonObject {
  // The name that the client wrote may be one that this upstream cannot take.
  const named = 'name' in others ? { name: toolName } : {}
  return { role: 'tool', ...others, ...named, tool_call_id: id, content }
}

function contentOf(
  response: ToolResponseBlock & Written,
  result: readonly ResultBlock[],
  target: ChatTarget,
  notes: Notes,
): unknown {
  const mark = cacheMark(response, target)
  const isWritten =
    target.sameDialect === true && result.some((block: ResultBlock & Written) => block.written)
  const hasMedia = target.mediaInToolResults === true && result.some(({ type }) => type === 'media')
  if (isWritten || hasMedia) {
    const inTool = hasMedia ? result : result.filter(({ type }) => type === 'text')
    const parts = encodeParts(inTool, target, notes)
    return response.isError === true ? [{ type: 'text', text: toolErrorMark }, ...parts] : parts
  }
  const text = (response.isError === true ? toolErrorMark : '') + textOf(result)
  return 'cache_control' in mark ? [{ type: 'text', text, ...mark }] : text
}

function textOf(result: readonly ResultBlock[]): string {
  return result
    .map((block) => (block.type === 'text' ? block.text : shownBelow))
    .filter((text) => text !== '')
    .join('\n')
}

const shownBelow = '[shown in the next message]'
