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
  optionalText,
  otherFields,
  textArray,
} from '../../../json/fields.ts'
import { isJsonObject, nonEmptyText, objectIn, type JsonObject } from '../../../json/objects.ts'
import type { Notes } from '../../../request/notes.ts'
import { withOriginal } from '../../../request/original.ts'

export function decodeSettings(body: JsonObject, notes: Notes): RequestSettings {
  const format = body['response_format']
  const outputFormat = formatOf(format)
  const choice = body['tool_choice'] ?? body['function_call'] ?? undefined
  const toolChoice = toolChoiceOf(choice)
  // An object that we do not know may be known to an upstream of the same dialect.
  const otherChoice = toolChoice === undefined && isJsonObject(choice) ? { tool_choice: choice } : {}
  if (toolChoice === undefined && choice !== undefined && !isJsonObject(choice))
    notes.dropped('tool_choice', 'It is of no known type.')
  const streamOptions = objectIn(body, 'stream_options')
  const otherStreamOptions = otherFields(streamOptions, new Set(['include_usage']))
  return {
    toolChoice,
    parallelToolCalls: optionalBoolean(body, 'parallel_tool_calls'),
    stream: optionalBoolean(body, 'stream') ?? false,
    ...(streamOptions['include_usage'] === true ? { wantsUsage: true } : {}),
    maxTokens: optionalCount(body, 'max_completion_tokens') ?? optionalCount(body, 'max_tokens'),
    temperature: optionalNumber(body, 'temperature'),
    topP: optionalNumber(body, 'top_p'),
    // Not a field of this dialect, though many of its upstreams take it: it goes with the other fields.
    topK: undefined,
    stopSequences: stopsOf(body),
    reasoning: reasoningOf(optionalText(body, 'reasoning_effort')),
    outputFormat,
    user: nonEmptyText(body['user']) ?? undefined,
    extra: {
      ...otherFields(
        body,
        outputFormat === undefined ? knownFields : new Set([...knownFields, 'response_format']),
      ),
      ...(Object.keys(otherStreamOptions).length === 0 ? {} : { stream_options: otherStreamOptions }),
      ...(typeof body['stop'] === 'string' ? { stop: body['stop'] } : {}),
      ...otherChoice,
    },
  }
}

// `max_completion_tokens` is not among them: that it was this spelling has to be known for the same dialect. So has
// that `stop` was a text.
const knownFields = new Set([
  'model',
  'messages',
  'tools',
  'functions',
  'tool_choice',
  'function_call',
  'parallel_tool_calls',
  'stream',
  'stream_options',
  'max_tokens',
  'temperature',
  'top_p',
  'stop',
  'reasoning_effort',
  'user',
])

function toolChoiceOf(choice: unknown): ToolChoice | undefined {
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { type: choice }
  if (isJsonObject(choice)) {
    const named = isJsonObject(choice['function']) ? choice['function'] : choice
    const name = nonEmptyText(named['name'])
    if (name !== null) return { type: 'tool', name }
  }
  return undefined
}

function stopsOf(body: JsonObject): string[] {
  const { stop } = body
  return typeof stop === 'string' ? [stop] : textArray(optionalArray(body, 'stop'), 'stop')
}

function reasoningOf(effort: string | undefined): ReasoningRequest | undefined {
  if (effort === undefined) return undefined
  return { mode: effort === 'none' ? 'off' : 'on', effort }
}

function formatOf(format: unknown): OutputFormat | undefined {
  if (!isJsonObject(format)) return undefined
  if (format['type'] === 'text') return { type: 'text' }
  if (format['type'] === 'json_object') return { type: 'json' }
  const described = format['json_schema']
  if (format['type'] !== 'json_schema' || !isJsonObject(described)) return undefined
  const strict = described['strict']
  const name = nonEmptyText(described['name']) ?? 'answer'
  const decoded: OutputFormat = {
    type: 'json-schema',
    name,
    schema: described['schema'],
    ...(typeof strict === 'boolean' ? { strict } : {}),
  }
  return withOriginal(decoded, 'openai-chat', format)
}
