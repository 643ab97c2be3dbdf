import type { ToolResponseBlock } from '../../conversation.ts'
import { otherFields } from '../field-readers.ts'
import type { JsonObject } from '../json-object.ts'
import { nonEmptyText } from '../json-object.ts'
import { toolErrorMark, type ResultBlock } from '../tool-result.ts'
import { withWritten } from '../written-form.ts'
import { decodeParts } from './request-decode-parts.ts'

/** A tool's answer. The old role `function` has no id: its answer belongs to the last call without one. */
export function decodeToolMessage(message: JsonObject, path: string): ToolResponseBlock {
  const response = responseIn(message, path)
  const others = otherFields(message, messageFields)
  // The old role becomes the new one, which needs no name.
  const isPlain = message['role'] === 'function' || Object.keys(others).length === 0
  return isPlain ? response : withWritten(response, 'openai-chat', others)
}

const messageFields = new Set(['role', 'content', 'tool_call_id'])

function responseIn(message: JsonObject, path: string): ToolResponseBlock {
  const { content } = message
  const [head, ...tail] = typeof content === 'string' ? [] : decodeParts(content, `${path}.content`)
  const result = typeof content === 'string' ? content : head === undefined ? '' : [head, ...tail]
  const response = {
    type: 'tool_response',
    callId: nonEmptyText(message['tool_call_id']) ?? '',
    toolName: nonEmptyText(message['name']) ?? '',
  } as const
  if (typeof result === 'string') {
    return result.startsWith(toolErrorMark)
      ? { ...response, result: result.slice(toolErrorMark.length), isError: true }
      : { ...response, result }
  }
  return head?.type === 'text' && head.text.startsWith(toolErrorMark)
    ? { ...response, result: [...withoutMark(head.text), ...tail], isError: true }
    : { ...response, result }
}

function withoutMark(text: string): ResultBlock[] {
  const rest = text.slice(toolErrorMark.length)
  return rest === '' ? [] : [{ type: 'text', text: rest }]
}
