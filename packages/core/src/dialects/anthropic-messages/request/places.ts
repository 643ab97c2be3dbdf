import type { ToolCallBlock, ToolResponseBlock } from '../../../conversation.ts'
import { isJsonObject, nonEmptyText, type JsonObject } from '../../../json/objects.ts'
import type { MessagePlaces } from '../../dialect.ts'

/** `id` of `tool_use` blocks, `tool_use_id` of `tool_result` blocks. Tools that the server runs keep theirs. */
export const messagePlaces: MessagePlaces = {
  field: 'messages',

  isOfModel: (message) => isJsonObject(message) && message['role'] === 'assistant',

  blocksIn: (message) => partsOf(message).flatMap(toolBlock),

  withIds(message, ids) {
    if (!isJsonObject(message)) return message
    const rest = [...ids]
    const content = partsOf(message).map((part) =>
      toolBlock(part).length === 0 ? part : withId(part, rest.shift()),
    )
    return { ...message, content }
  },

  /** Reasoning of this dialect is signed by whoever wrote it: nobody else can make any. */
  withReasoning: (message) => message,
}

function partsOf(message: unknown): readonly unknown[] {
  const content = isJsonObject(message) ? message['content'] : undefined
  return Array.isArray(content) ? content : []
}

function toolBlock(part: unknown): (ToolCallBlock | ToolResponseBlock)[] {
  if (!isJsonObject(part)) return []
  if (part['type'] === 'tool_use') {
    return [{ type: 'tool_call', id: textIn(part, 'id'), name: textIn(part, 'name'), parameters: null }]
  }
  if (part['type'] !== 'tool_result') return []
  return [{ type: 'tool_response', callId: textIn(part, 'tool_use_id'), toolName: '', result: null }]
}

function textIn(part: JsonObject, field: string): string {
  return nonEmptyText(part[field]) ?? ''
}

function withId(part: unknown, id: string | undefined): unknown {
  if (!isJsonObject(part)) return part
  return part['type'] === 'tool_use' ? { ...part, id } : { ...part, tool_use_id: id }
}
