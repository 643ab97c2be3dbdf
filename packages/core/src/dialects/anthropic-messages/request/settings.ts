import type { Content } from '../../../conversation.ts'
import {
  optionalArray,
  optionalBoolean,
  optionalCount,
  optionalNumber,
  otherFields,
  textArray,
} from '../../../json/fields.ts'
import { isJsonObject, type JsonObject, nonEmptyText, objectIn } from '../../../json/objects.ts'
import type {
  ConversationRequest,
  OutputFormat,
  ReasoningRequest,
  RequestSettings,
  ToolChoice,
} from '../../../request/conversation-request.ts'
import type { Notes } from '../../../request/notes.ts'
import { budgetOfEffort, limitedMaxTokens } from '../../../request/settings.ts'
import type { AnthropicTarget } from '../../../request/target.ts'
import { closedSchema } from '../../../request/tools.ts'

export function decodeSettings(body: JsonObject, notes: Notes): RequestSettings {
  const choice = objectIn(body, 'tool_choice')
  const metadata = objectIn(body, 'metadata')
  const outputConfig = objectIn(body, 'output_config')
  const thinking = objectIn(body, 'thinking')
  const mode = modes.get(thinking['type'])
  const outputFormat = formatOf(outputConfig['format'] ?? body['output_format'])
  const disablesParallel = choice['disable_parallel_tool_use']
  return {
    toolChoice: toolChoiceOf(choice, notes),
    parallelToolCalls: typeof disablesParallel === 'boolean' ? !disablesParallel : undefined,
    stream: optionalBoolean(body, 'stream') ?? false,
    maxTokens: optionalCount(body, 'max_tokens'),
    temperature: optionalNumber(body, 'temperature'),
    topP: optionalNumber(body, 'top_p'),
    topK: optionalNumber(body, 'top_k'),
    stopSequences: textArray(optionalArray(body, 'stop_sequences'), 'stop_sequences'),
    reasoning: reasoningOf(mode, thinking['budget_tokens'], nonEmptyText(outputConfig['effort'])),
    outputFormat,
    user: nonEmptyText(metadata['user_id']) ?? undefined,
    extra: {
      ...otherFields(body, knownFields),
      ...rest('thinking', thinking, mode === undefined ? new Set() : thinkingFields),
      ...rest('output_config', outputConfig, outputFormat === undefined ? effortField : outputFields),
      ...rest('metadata', metadata, new Set(['user_id'])),
    },
  }
}

const knownFields = new Set([
  'model',
  'messages',
  'system',
  'tools',
  'tool_choice',
  'stream',
  'max_tokens',
  'temperature',
  'top_p',
  'top_k',
  'stop_sequences',
  'thinking',
  'output_config',
  'output_format',
  'metadata',
])
const thinkingFields = new Set(['type', 'budget_tokens'])
const effortField = new Set(['effort'])
const outputFields = new Set(['effort', 'format'])

const modes: ReadonlyMap<unknown, ReasoningRequest['mode']> = new Map([
  ['enabled', 'on'],
  ['adaptive', 'adaptive'],
  ['disabled', 'off'],
])

/** The part of a field that we did not understand, under the name of the field. */
function rest(field: string, value: JsonObject, known: ReadonlySet<string>): JsonObject {
  const left = otherFields(value, known)
  return Object.keys(left).length === 0 ? {} : { [field]: left }
}

function toolChoiceOf(choice: JsonObject, notes: Notes): ToolChoice | undefined {
  const { type, name } = choice
  if (type === undefined) return undefined
  if (type === 'auto' || type === 'none') return { type }
  if (type === 'any') return { type: 'required' }
  if (type === 'tool' && typeof name === 'string') return { type: 'tool', name }
  notes.dropped('tool_choice', 'It is of no known type.')
  return undefined
}

/** A client may ask for an effort without thinking. Then the effort is about the length of the answer. */
function reasoningOf(
  mode: ReasoningRequest['mode'] | undefined,
  budget: unknown,
  effort: string | null,
): ReasoningRequest | undefined {
  if (mode === undefined && effort === null) return undefined
  return {
    mode: mode ?? 'off',
    ...(typeof budget === 'number' ? { budgetTokens: budget } : {}),
    ...(effort === null ? {} : { effort }),
  }
}

function formatOf(format: unknown): OutputFormat | undefined {
  if (!isJsonObject(format) || format['type'] !== 'json_schema') return undefined
  return { type: 'json-schema', name: nonEmptyText(format['name']) ?? 'answer', schema: format['schema'] }
}

export function encodeSettings(
  request: ConversationRequest,
  target: AnthropicTarget,
  contents: readonly Content[],
  notes: Notes,
): JsonObject {
  const maxTokens = limitedMaxTokens(request, target, notes)
  const { thinking, effort, budget } = encodeThinking(request, maxTokens, contents, notes)
  const outputConfig = { ...effort, ...encodeFormat(request.outputFormat, target, notes) }
  return {
    ...encodeMaxTokens(maxTokens, target, budget, notes),
    ...encodeSampling(request, target, budget > 0, notes),
    ...encodeStops(request.stopSequences, notes),
    ...(request.stream ? { stream: true } : {}),
    ...(thinking === undefined ? {} : { thinking }),
    ...(Object.keys(outputConfig).length === 0 ? {} : { output_config: outputConfig }),
    ...(request.user === undefined ? {} : { metadata: { user_id: request.user } }),
  }
}

function encodeMaxTokens(
  maxTokens: number | undefined,
  target: AnthropicTarget,
  budget: number,
  notes: Notes,
): JsonObject {
  if (maxTokens !== undefined) return { max_tokens: maxTokens }
  if (target.sameDialect === true) return {}
  // Thinking counts against the limit. Without room for it none would be left for the answer.
  const limit = (target.defaultMaxTokens ?? 8192) + budget
  notes.changed('max_tokens', 'The upstream demands a limit and the client set none.')
  return { max_tokens: Math.min(limit, target.maxOutputTokens ?? limit) }
}

function encodeSampling(
  { temperature, topP, topK }: ConversationRequest,
  target: AnthropicTarget,
  thinks: boolean,
  notes: Notes,
): JsonObject {
  const sampling: Record<string, number> = {}
  const isFixed = target.fixedSampling === true
  if (temperature !== undefined) {
    const allowed = Math.min(Math.max(temperature, 0), 1)
    if (isFixed || (thinks && allowed !== 1)) notes.dropped('temperature', 'It is fixed at the upstream.')
    else sampling['temperature'] = allowed
    if (!isFixed && allowed !== temperature) notes.changed('temperature', 'The upstream takes 0 to 1.')
  }
  if (topP !== undefined) {
    if (isFixed || (thinks && topP < 0.95)) notes.dropped('top_p', 'It is fixed at the upstream.')
    else sampling['top_p'] = topP
  }
  if (topK !== undefined) {
    if (isFixed || thinks) notes.dropped('top_k', 'It is fixed at the upstream.')
    else sampling['top_k'] = topK
  }
  return sampling
}

function encodeStops(stopSequences: readonly string[], notes: Notes): JsonObject {
  const stops = stopSequences.filter((stop) => stop.trim() !== '')
  if (stops.length < stopSequences.length)
    notes.dropped('stop', 'The upstream takes no stop of white space alone.')
  return stops.length === 0 ? {} : { stop_sequences: stops }
}

function encodeFormat(format: OutputFormat | undefined, target: AnthropicTarget, notes: Notes): JsonObject {
  if (format === undefined || format.type === 'text') return {}
  if (format.type === 'json-schema') {
    const schema = target.sameDialect === true ? format.schema : closedSchema(format.schema)
    return { format: { type: 'json_schema', schema } }
  }
  notes.dropped('response_format', 'The upstream knows no JSON mode without a schema.')
  return {}
}

interface EncodedThinking {
  readonly thinking: JsonObject | undefined
  readonly effort: { readonly effort?: string }
  /** 0 unless the request asks for thinking with a budget. */
  readonly budget: number
}

function encodeThinking(
  { reasoning, toolChoice }: ConversationRequest,
  maxTokens: number | undefined,
  contents: readonly Content[],
  notes: Notes,
): EncodedThinking {
  const effort = effortOf(reasoning?.effort)
  if (reasoning === undefined) return { thinking: undefined, effort, budget: 0 }
  if (reasoning.mode === 'adaptive') return { thinking: { type: 'adaptive' }, effort, budget: 0 }
  if (reasoning.mode === 'off') {
    return { thinking: 'effort' in effort ? undefined : { type: 'disabled' }, effort, budget: 0 }
  }

  const asked = reasoning.budgetTokens
  const budget = asked ?? Math.min(budgetOfEffort(reasoning.effort), (maxTokens ?? Infinity) - 1)
  const hindrance = hindranceOf(budget, asked !== undefined, toolChoice?.type, contents)
  if (hindrance !== undefined) {
    notes.dropped('thinking', hindrance)
    return { thinking: undefined, effort: asked === undefined ? {} : effort, budget: 0 }
  }
  // An effort that was turned into a budget is not sent as well: models that know only budgets answer 400 to it.
  const thinking = { type: 'enabled', budget_tokens: budget }
  return { thinking, effort: asked === undefined ? {} : effort, budget }
}

/** Anthropic does not know the words that other dialects have for little or no effort. */
function effortOf(effort: string | undefined): { effort?: string } {
  return effort === undefined || effort === 'none' || effort === 'minimal' ? {} : { effort }
}

const leastBudget = 1024

/** Why Anthropic would answer 400 to a request with this thinking. */
function hindranceOf(
  budget: number,
  isAsked: boolean,
  toolChoice: string | undefined,
  contents: readonly Content[],
): string | undefined {
  if (!isAsked && budget < leastBudget) return 'The limit of the answer leaves no room for it.'
  if (toolChoice === 'required' || toolChoice === 'tool')
    return 'It cannot be combined with a forced tool call.'
  if (endsInUnthoughtCalls(contents)) {
    return 'The calls whose results come now were made without thinking that this upstream knows.'
  }
  return undefined
}

/** With thinking on, the message whose results come now has to begin with thinking. */
function endsInUnthoughtCalls(contents: readonly Content[]): boolean {
  const blocks = contents.findLast(({ speaker }) => speaker === 'ai')?.blocks ?? []
  return blocks.some(({ type }) => type === 'tool_call') && blocks[0]?.type !== 'thinking'
}
