import type { ToolCallBlock, ToolResponseBlock } from '../../conversation.ts'
import { isJsonObject, nonEmptyText, type JsonObject } from '../../json/objects.ts'
import type { ToolIdPlaces } from '../../request/tool-history.ts'
import type { PromptMessage } from './specification.ts'

/** `toolCallId` of calls and of results. Tools that the provider runs keep theirs: it knows them by it. */
export const promptPlaces: ToolIdPlaces<PromptMessage> = {
  isOfModel: ({ role }) => role === 'assistant',

  blocksIn: (message) => partsOf(message).flatMap((part) => toolBlock(part, message)),

  withIds(message, ids) {
    const rest = [...ids]
    const content = partsOf(message).map((part) =>
      toolBlock(part, message).length === 0 ? part : withId(part, rest.shift()),
    )
    return { ...message, content }
  },
}

function partsOf({ content }: PromptMessage): readonly unknown[] {
  return Array.isArray(content) ? content : []
}

function toolBlock(part: unknown, { role }: PromptMessage): (ToolCallBlock | ToolResponseBlock)[] {
  if (!isJsonObject(part)) return []
  const id = textIn(part, 'toolCallId')
  const name = textIn(part, 'toolName')
  if (part['type'] === 'tool-call' && part['providerExecuted'] !== true) {
    return [{ type: 'tool_call', id, name, parameters: null }]
  }
  // A result inside the model's own message comes from a tool that the provider ran.
  if (part['type'] !== 'tool-result' || role === 'assistant') return []
  return [{ type: 'tool_response', callId: id, toolName: name, result: null }]
}

function textIn(part: JsonObject, field: string): string {
  return nonEmptyText(part[field]) ?? ''
}

function withId(part: unknown, toolCallId: string | undefined): unknown {
  return isJsonObject(part) ? { ...part, toolCallId } : part
}
