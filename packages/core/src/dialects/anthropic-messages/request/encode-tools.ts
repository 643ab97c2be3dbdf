import type { ConversationRequest, Tool } from '../../../request/conversation-request.ts'
import type { JsonObject } from '../../../json/objects.ts'
import { closedSchema, offeredTools, type ToolNames, withProperties } from '../../../request/tools.ts'
import type { Notes } from '../../../request/notes.ts'
import type { AnthropicTarget } from '../../../request/target.ts'
import { originalFor } from '../../../request/original.ts'

export function encodeTools(
  request: ConversationRequest,
  target: AnthropicTarget,
  names: ToolNames,
  notes: Notes,
): { tools?: JsonObject[] } {
  const tools = offeredTools(request.tools, target, notes).map((tool) => encodeTool(tool, target, names))
  return tools.length === 0 ? {} : { tools }
}

function encodeTool(tool: Tool, target: AnthropicTarget, names: ToolNames): JsonObject {
  const name = names.toUpstream(tool.name)
  const original = originalFor(target, tool, 'anthropic-messages')
  if (original !== undefined) return { ...original, name }
  const schema = withProperties(tool.parameters)
  return {
    name,
    ...(tool.description === undefined ? {} : { description: tool.description }),
    input_schema: tool.strict === true ? closedSchema(schema) : schema,
    ...(tool.strict === undefined ? {} : { strict: tool.strict }),
  }
}

export function encodeToolChoice(
  { tools, toolChoice, parallelToolCalls, extra }: ConversationRequest,
  target: AnthropicTarget,
  names: ToolNames,
  notes: Notes,
): { tool_choice?: JsonObject } {
  const asked = toolChoice !== undefined || parallelToolCalls === false
  if (!asked) return {}
  const isNamed = toolChoice?.type === 'tool'
  const hasOwnTools = target.sameDialect === true && Array.isArray(extra['tools'])
  const isKnown = isNamed ? tools.some(({ name }) => name === toolChoice.name) : tools.length > 0
  if (!isKnown && !hasOwnTools) {
    notes.dropped('tool_choice', 'It chooses among tools that the upstream is not offered.')
    return {}
  }
  if (toolChoice?.type === 'none') return { tool_choice: { type: 'none' } }
  const parallel = parallelToolCalls === undefined ? {} : { disable_parallel_tool_use: !parallelToolCalls }
  if (isNamed) return { tool_choice: { type: 'tool', name: names.toUpstream(toolChoice.name), ...parallel } }
  return { tool_choice: { type: toolChoice?.type === 'required' ? 'any' : 'auto', ...parallel } }
}
