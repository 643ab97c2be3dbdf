import type { ToolResponseBlock } from '../../../conversation.ts'
import { nonEmptyText, type JsonObject } from '../../../json/objects.ts'
import { toolErrorMark, type ResultBlock } from '../../../request/tool-result.ts'
import { withOriginal } from '../../../request/original.ts'
import { decodeParts } from './decode-parts.ts'

/** A tool's answer. The old role `function` has no id: its answer belongs to the last call without one. */
export function decodeToolMessage(message: JsonObject, path: string): ToolResponseBlock {
  const response = responseIn(message, path)
  // The old role becomes the new one, which needs no name.
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

/** The part that it was still has the mark. */
function withoutMark(head: ResultBlock): ResultBlock {
  return head.type === 'text' ? { ...head, text: head.text.slice(toolErrorMark.length) } : head
}
