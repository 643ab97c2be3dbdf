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
import { limitedMaxTokens } from '../../../request/settings.ts'
import type { AnthropicTarget } from '../../../request/target.ts'
import { closedSchema } from '../../../request/tools.ts'
import { encodeThinking } from './thinking.ts'

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

/** A client may name an effort without a word on thinking. Then the effort is about the length of the answer. */
function reasoningOf(
  mode: ReasoningRequest['mode'] | undefined,
  budget: unknown,
  effort: string | null,
): ReasoningRequest | undefined {
  if (mode === undefined && effort === null) return undefined
  return {
    mode: mode ?? 'unsaid',
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
  const { fields, effort, budget } = encodeThinking(request, target, maxTokens, contents, notes)
  const outputConfig = { ...effort, ...encodeFormat(request.outputFormat, target, notes) }
  return {
    ...encodeMaxTokens(maxTokens, target, budget, notes),
    ...encodeSampling(request, target, budget > 0, notes),
    ...encodeStops(request.stopSequences, notes),
    ...(request.stream ? { stream: true } : {}),
    ...fields,
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
