import type { ToolCallBlock, ToolResponseBlock } from '../../../conversation.ts'
import { isJsonObject, nonEmptyText, type JsonObject } from '../../../json/objects.ts'
import type { MessagePlaces } from '../../dialect.ts'
import { callKindOf, outputKindOf } from './calls.ts'

/** `call_id` of the items that call tools, and of those with their results. */
export const itemPlaces: MessagePlaces = {
  field: 'input',

  isOfModel(item) {
    if (!isJsonObject(item)) return false
    return item['role'] === 'assistant' || item['type'] === 'reasoning' || callKindOf(item) !== null
  },

  blocksIn: (item) => (isJsonObject(item) ? toolBlocks(item) : []),

  withIds: (item, ids) => (isJsonObject(item) ? { ...item, call_id: ids[0] } : item),

  /** Reasoning is an item of its own here. */
  withReasoning: (item) => item,
}

function toolBlocks(item: JsonObject): (ToolCallBlock | ToolResponseBlock)[] {
  const id = nonEmptyText(item['call_id'])
  if (id === null) return []
  const name = nonEmptyText(item['name']) ?? ''
  if (callKindOf(item) !== null) return [{ type: 'tool_call', id, name, parameters: null }]
  if (outputKindOf(item) === null) return []
  return [{ type: 'tool_response', callId: id, toolName: name, result: null }]
}
