import type {
  OutputFormat,
  ReasoningRequest,
  RequestSettings,
  ToolChoice,
} from '../../../request/conversation-request.ts'
import {
  optionalArray,
  optionalBoolean,
  optionalCount,
  optionalNumber,
  otherFields,
  textArray,
} from '../../../json/fields.ts'
import { isJsonObject, nonEmptyText, objectIn, type JsonObject } from '../../../json/objects.ts'
import type { Notes } from '../../../request/notes.ts'

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

/** What of a field was not understood, under the field's own name. */
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

/** An effort may be asked for without thinking: then it is about the length of the answer. */
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
