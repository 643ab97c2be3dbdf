import { optionalArray, requiredObject } from '../../../json/fields.ts'
import { isJsonObject, type JsonObject } from '../../../json/objects.ts'
import type { ConversationRequest, Tool } from '../../../request/conversation-request.ts'
import { type DecodedTools, decodeTool } from '../../../request/decoding.ts'
import type { Notes } from '../../../request/notes.ts'
import { originalFor, withOriginal } from '../../../request/original.ts'
import type { ChatTarget } from '../../../request/target.ts'
import { offeredTools, type ToolNames, withProperties } from '../../../request/tools.ts'
import { cacheMark } from './parts.ts'

/** Servers of the dialect answer 400 to longer names. */
export const longestToolName = 64

export function decodeTools(body: JsonObject): DecodedTools {
  const tools: Tool[] = []
  const otherTools: JsonObject[] = []
  for (const [at, value] of optionalArray(body, 'tools').entries()) {
    const path = `tools[${at}]`
    const tool = requiredObject(value, path)
    if ((tool['type'] ?? 'function') !== 'function') {
      otherTools.push(tool)
      continue
    }
    tools.push(withOriginal(functionTool(tool['function'], `${path}.function`), 'openai-chat', tool))
  }
  for (const [at, value] of optionalArray(body, 'functions').entries()) {
    tools.push(functionTool(value, `functions[${at}]`))
  }
  return { tools, otherTools }
}

function functionTool(value: unknown, path: string): Tool {
  return decodeTool(requiredObject(value, path), 'parameters', path)
}

export function encodeTools(
  request: ConversationRequest,
  target: ChatTarget,
  names: ToolNames,
  notes: Notes,
): { readonly tools?: JsonObject[] } {
  const chosen = chosenTools(request, target, notes)
  const tools = offeredTools(chosen, target, notes).map((tool) => encodeTool(tool, target, names, notes))
  if (tools.length === 0) return {}
  return request.stream ? { tools, ...target.streamedToolFields } : { tools }
}

/** Some upstreams do not obey a tool choice. They obey it all the same where nothing else is offered. */
function chosenTools(
  { tools, toolChoice }: ConversationRequest,
  { namedToolChoice, noneToolChoice }: ChatTarget,
  notes: Notes,
): readonly Tool[] {
  if (toolChoice?.type === 'none' && noneToolChoice === 'no-tools' && tools.length > 0) {
    notes.dropped('tools', 'The upstream ignores the choice to call none; it is offered none.')
    return []
  }
  if (toolChoice?.type !== 'tool' || namedToolChoice !== 'alone') return tools
  const named = tools.filter(({ name }) => name === toolChoice.name)
  if (named.length === 0 || named.length === tools.length) return tools
  notes.changed('tools', 'The upstream ignores the choice of one tool; it is offered that tool alone.')
  return named
}

function encodeTool(tool: Tool, target: ChatTarget, names: ToolNames, notes: Notes): JsonObject {
  const name = names.toUpstream(tool.name)
  const original = originalFor(target, tool, 'openai-chat')
  if (original !== undefined) return withStrict(renamed(original, name), target, notes)
  if (tool.strict !== undefined && target.strictTools === false) notes.dropped('tools.strict', noStrict)
  return {
    type: 'function',
    function: {
      name,
      ...(tool.description === undefined ? {} : { description: tool.description }),
      parameters: withProperties(tool.parameters),
      ...(tool.strict === undefined || target.strictTools === false ? {} : { strict: tool.strict }),
    },
    ...cacheMark(tool, target, notes),
  }
}

/** The tool as the client sent it, with another name if the upstream could not take its own. */
function renamed(original: JsonObject, name: string): JsonObject {
  const { type, function: definition } = original
  if (!isJsonObject(definition)) return original
  if (type === 'function' && definition['name'] === name) return original
  return { ...original, type: 'function', function: { ...definition, name } }
}

const noStrict = 'The upstream refuses it.'

function withStrict(tool: JsonObject, { strictTools }: ChatTarget, notes: Notes): JsonObject {
  const { function: definition } = tool
  if (strictTools !== false || !isJsonObject(definition) || !('strict' in definition)) return tool
  notes.dropped('tools.strict', noStrict)
  const { strict: _, ...rest } = definition
  return { ...tool, function: rest }
}

export interface EncodedToolChoice {
  readonly tool_choice?: unknown
  readonly parallel_tool_calls?: boolean
  /** An instruction that takes the place of a choice which the upstream refuses. */
  readonly nudge?: string
}

/** Where no tools are offered, no choice is sent: upstreams answer 400 to it. */
export function encodeToolChoice(
  { tools, toolChoice, parallelToolCalls, extra }: ConversationRequest,
  target: ChatTarget,
  thinks: boolean,
  names: ToolNames,
  notes: Notes,
): EncodedToolChoice {
  const hasOwnTools = target.sameDialect === true && Array.isArray(extra['tools'])
  if (tools.length === 0 && !hasOwnTools) {
    const reason = 'The upstream is offered no tools.'
    if (toolChoice !== undefined) notes.dropped('tool_choice', reason)
    if (parallelToolCalls !== undefined) notes.dropped('parallel_tool_calls', reason)
    return {}
  }
  if (toolChoice?.type === 'none' && target.noneToolChoice === 'no-tools') return {}
  const parallel = parallelToolCalls === undefined ? {} : { parallel_tool_calls: parallelToolCalls }
  if (toolChoice === undefined) return parallel
  const original = originalFor(target, toolChoice, 'openai-chat')
  if (original !== undefined) return { tool_choice: original, ...parallel }
  if (toolChoice.type === 'auto' || toolChoice.type === 'none')
    return { tool_choice: toolChoice.type, ...parallel }

  const name = toolChoice.type === 'tool' ? toolChoice.name : undefined
  if (name !== undefined && !hasOwnTools && !tools.some((tool) => tool.name === name)) {
    notes.dropped('tool_choice', `The upstream is not offered the tool ${name}.`)
    return parallel
  }
  const upstreamName = name === undefined ? undefined : names.toUpstream(name)
  const nudges =
    target.forcedToolChoice === 'nudge while thinking' ? thinks : target.forcedToolChoice === 'nudge'
  if (nudges) {
    notes.changed('tool_choice', 'The upstream refuses to force a call; it is asked for one in words.')
    return { tool_choice: 'auto', ...parallel, nudge: nudgeTo(upstreamName) }
  }
  if (upstreamName === undefined || target.namedToolChoice === 'alone') {
    return { tool_choice: 'required', ...parallel }
  }
  return { tool_choice: { type: 'function', function: { name: upstreamName } }, ...parallel }
}

/** A server that is told to expect no calls leaves them in the text, where they are read here. */
export function encodeCallsInText(
  { tools, toolChoice }: ConversationRequest,
  { callsInText }: ChatTarget,
  notes: Notes,
): JsonObject {
  if (callsInText === undefined || tools.length === 0 || toolChoice?.type === 'none') return {}
  notes.changed('tool_choice', 'The upstream is kept from reading the calls itself.')
  return callsInText
}

function nudgeTo(name: string | undefined): string {
  return name === undefined
    ? 'Answer the next message with a call of one of the tools.'
    : `Answer the next message with a call of the tool ${name}.`
}
