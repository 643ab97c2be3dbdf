import { type JsonObject, nonEmptyText, objectIn } from '../../../json/objects.ts'
import { otherFields } from '../../../json/fields.ts'
import type { ConversationRequest, ToolChoice } from '../../../request/conversation-request.ts'
import type { Notes } from '../../../request/notes.ts'
import type { RequestTarget } from '../../../request/target.ts'
import type { ToolNames } from '../../../request/tools.ts'
import { camelCased } from '../spelling.ts'

/** The choice among the tools, and what else `toolConfig` says. */
export interface DecodedToolChoice {
  readonly toolChoice: ToolChoice | undefined
  readonly extra: JsonObject
}

export function decodeToolChoice(body: JsonObject, notes: Notes): DecodedToolChoice {
  const config = configIn(body)
  const calling = callingIn(body)
  const mode = nonEmptyText(calling['mode'])?.toUpperCase() ?? 'MODE_UNSPECIFIED'
  const isKnown = mode === 'MODE_UNSPECIFIED' || modes.has(mode)
  if (!isKnown) notes.dropped('toolConfig.functionCallingConfig.mode', 'It is of no known type.')
  const { names, isChoice } = allowedNames(body)
  const [only] = names
  // No other dialect has a mode in which calls are optional and checked.
  const ownMode = mode === 'VALIDATED' ? { mode } : {}
  const others = { ...ownMode, ...otherFields(calling, callingFields) }
  const left = {
    ...otherFields(config, new Set(['functionCallingConfig'])),
    ...(Object.keys(others).length === 0 ? {} : { functionCallingConfig: others }),
  }
  return {
    toolChoice: isChoice && only !== undefined ? { type: 'tool', name: only } : modes.get(mode),
    extra: withConfig(left),
  }
}

const modes: ReadonlyMap<string, ToolChoice> = new Map([
  ['AUTO', { type: 'auto' }],
  ['VALIDATED', { type: 'auto' }],
  ['ANY', { type: 'required' }],
  ['NONE', { type: 'none' }],
])

const callingFields = new Set(['mode', 'allowedFunctionNames'])

/**
 * The tools that may be called, where the client names them; none where all may. `isChoice`: one has to be called, and it is
 * the only one.
 */
export function allowedNames(body: JsonObject): {
  readonly names: readonly string[]
  readonly isChoice: boolean
} {
  const { mode, allowedFunctionNames } = callingIn(body)
  const names = Array.isArray(allowedFunctionNames)
    ? allowedFunctionNames.filter((name) => typeof name === 'string')
    : []
  return { names, isChoice: nonEmptyText(mode)?.toUpperCase() === 'ANY' && names.length === 1 }
}

function configIn(body: JsonObject): JsonObject {
  return camelCased(objectIn(body, 'toolConfig'))
}

function callingIn(body: JsonObject): JsonObject {
  return camelCased(objectIn(configIn(body), 'functionCallingConfig'))
}

/** What the client said beside its choice goes on with it. */
export function encodeToolChoice(
  { tools, toolChoice, parallelToolCalls, extra }: ConversationRequest,
  { sameDialect }: RequestTarget,
  names: ToolNames,
  notes: Notes,
): { readonly toolConfig?: JsonObject } {
  if (parallelToolCalls === false) {
    notes.dropped('parallel_tool_calls', 'The upstream cannot be kept from several calls at once.')
  }
  const own = sameDialect === true ? objectIn(extra, 'toolConfig') : {}
  const calling = callingFor({ tools, toolChoice }, names, notes)
  const functionCallingConfig = { ...calling, ...objectIn(own, 'functionCallingConfig') }
  const isChosen = Object.keys(functionCallingConfig).length > 0
  return withConfig(isChosen ? { ...own, functionCallingConfig } : own)
}

function withConfig(config: JsonObject): { readonly toolConfig?: JsonObject } {
  return Object.keys(config).length === 0 ? {} : { toolConfig: config }
}

function callingFor(
  { tools, toolChoice }: Pick<ConversationRequest, 'tools' | 'toolChoice'>,
  names: ToolNames,
  notes: Notes,
): JsonObject {
  if (toolChoice === undefined) return {}
  if (toolChoice.type === 'auto') return tools.length === 0 ? {} : { mode: 'AUTO' }
  const isNamed = toolChoice.type === 'tool'
  const isKnown = isNamed ? tools.some(({ name }) => name === toolChoice.name) : tools.length > 0
  if (!isKnown) {
    notes.dropped('tool_choice', 'It chooses among tools that the upstream is not offered.')
    return {}
  }
  if (toolChoice.type === 'none') return { mode: 'NONE' }
  return isNamed
    ? { mode: 'ANY', allowedFunctionNames: [names.toUpstream(toolChoice.name)] }
    : { mode: 'ANY' }
}
