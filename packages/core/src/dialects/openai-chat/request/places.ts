import type { ToolCallBlock } from '../../../conversation.ts'
import { isJsonObject, nonEmptyText, type JsonObject } from '../../../json/objects.ts'
import type { MessagePlaces } from '../../dialect.ts'
import { reasoningTextFields } from '../words.ts'

/** `tool_calls[].id` and `reasoning_content` of the model's messages, `tool_call_id` of the tools'. */
export const chatPlaces: MessagePlaces = {
  field: 'messages',

  isOfModel: (message) => isJsonObject(message) && message['role'] === 'assistant',

  blocksIn(message) {
    if (!isJsonObject(message)) return []
    if (message['role'] === 'assistant') return callsIn(message).map(callBlock)
    if (message['role'] !== 'tool') return []
    const callId = nonEmptyText(message['tool_call_id']) ?? ''
    const toolName = nonEmptyText(message['name']) ?? ''
    return [{ type: 'tool_response', callId, toolName, result: null }]
  },

  withIds(message, ids) {
    if (!isJsonObject(message)) return message
    if (message['role'] === 'tool') return { ...message, tool_call_id: ids[0] }
    const calls = callsIn(message)
    return {
      ...message,
      tool_calls: calls.map((call, at) => withId(call, ids[at])),
    }
  },

  withReasoning(message, thought) {
    if (!isJsonObject(message) || message['role'] !== 'assistant') return message
    if (callsIn(message).length === 0 || hasReasoning(message)) return message
    return { ...message, reasoning_content: thought }
  },
}

function callsIn(message: JsonObject): readonly unknown[] {
  const calls = message['tool_calls']
  return Array.isArray(calls) ? calls : []
}

function callBlock(call: unknown): ToolCallBlock {
  const fields = isJsonObject(call) ? call : {}
  const called = isJsonObject(fields['function']) ? fields['function'] : fields
  const id = nonEmptyText(fields['id']) ?? ''
  return { type: 'tool_call', id, name: nonEmptyText(called['name']) ?? '', parameters: null }
}

function hasReasoning(message: JsonObject): boolean {
  return [...reasoningTextFields, 'reasoning_details'].some((field) => {
    const value = message[field]
    return Array.isArray(value) ? value.length > 0 : nonEmptyText(value) !== null
  })
}

function withId(call: unknown, id: string | undefined): unknown {
  return isJsonObject(call) ? { ...call, id } : call
}
