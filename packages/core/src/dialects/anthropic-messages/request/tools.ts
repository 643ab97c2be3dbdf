import { optionalArray, requiredObject } from '../../../json/fields.ts'
import type { JsonObject } from '../../../json/objects.ts'
import type { ConversationRequest, Tool } from '../../../request/conversation-request.ts'
import { type DecodedTools, decodeTool } from '../../../request/decoding.ts'
import type { Notes } from '../../../request/notes.ts'
import { originalFor, withOriginal } from '../../../request/original.ts'
import type { AnthropicTarget } from '../../../request/target.ts'
import { closedSchema, offeredTools, type ToolNames, withProperties } from '../../../request/tools.ts'

/** Servers of the dialect answer 400 to longer names. */
export const longestToolName = 128

/**
 * A tool marked `defer_loading` is read like the others: a model that does not know the mark has to see its schema.
 */
export function decodeTools(body: JsonObject): DecodedTools {
  const tools: Tool[] = []
  const otherTools: JsonObject[] = []
  for (const [at, value] of optionalArray(body, 'tools').entries()) {
    const path = `tools[${at}]`
    const tool = requiredObject(value, path)
    const type = tool['type'] ?? 'custom'
    if (type !== 'custom' || tool['name'] === placeholder) {
      // Only Anthropic runs this tool. As a function it would have no arguments, and nobody would answer a call of
      // it.
      otherTools.push(tool)
      continue
    }
    tools.push(withOriginal(decodeTool(tool, 'input_schema', path), 'anthropic-messages', tool))
  }
  return { tools, otherTools }
}

// Claude Code declares this tool while others are still to be loaded. No model can call it.
const placeholder = 'DeferredToolPlaceholder'

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
