import { nineAlphanumerics } from '../../../ids/digest.ts'
import {
  optionalArray,
  optionalBoolean,
  optionalCount,
  optionalNumber,
  optionalText,
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
import { originalFor, withOriginal } from '../../../request/original.ts'
import { limitedMaxTokens } from '../../../request/settings.ts'
import type { ChatTarget } from '../../../request/target.ts'

export function decodeSettings(body: JsonObject, notes: Notes): RequestSettings {
  const format = body['response_format']
  const outputFormat = formatOf(format)
  const choice = body['tool_choice'] ?? body['function_call'] ?? undefined
  const toolChoice = toolChoiceOf(choice)
  // An upstream of the same dialect may know a choice that we do not.
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
    // The dialect itself has no such field. Where a client sends it, it goes on with the other fields.
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

// `max_completion_tokens` is missing here on purpose, and a `stop` that is a text is added again above: an upstream
// of the same dialect is sent the client's spelling of both.
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
    if (isJsonObject(choice['allowed_tools'])) return allowedTools(choice['allowed_tools'], choice)
    const named = isJsonObject(choice['function']) ? choice['function'] : choice
    const name = nonEmptyText(named['name'])
    if (name !== null) return { type: 'tool', name }
  }
  return undefined
}

/** All tools stay, so that a cached prompt stays valid. What else the model calls is not delivered. */
function allowedTools({ mode, tools }: JsonObject, choice: JsonObject): ToolChoice {
  const allowed = Array.isArray(tools) ? tools.flatMap((tool: unknown) => toolNameIn(tool) ?? []) : []
  const type = mode === 'required' ? 'required' : 'auto'
  return withOriginal({ type, allowed } as const, 'openai-chat', choice)
}

function toolNameIn(tool: unknown): string | null {
  if (!isJsonObject(tool)) return null
  const inner = tool['function'] ?? tool['custom']
  return nonEmptyText((isJsonObject(inner) ? inner : tool)['name'])
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

export function encodeSettings(
  request: ConversationRequest,
  target: ChatTarget,
  spellsCompletion: boolean,
  notes: Notes,
): JsonObject {
  return Object.assign(
    {},
    encodeMaxTokens(request, target, spellsCompletion, notes),
    encodeSampling(request, target, notes),
    encodeStops(request.stopSequences, target, notes),
    encodeStream(request.stream, target),
    encodeFormat(request.outputFormat, target),
    encodeUser(request.user, target, notes),
  )
}

function encodeMaxTokens(
  request: ConversationRequest,
  target: ChatTarget,
  spellsCompletion: boolean,
  notes: Notes,
): JsonObject {
  const maxTokens = limitedMaxTokens(request, target, notes)
  if (maxTokens === undefined) return {}
  const ownField = spellsCompletion && target.sameDialect === true ? 'max_completion_tokens' : 'max_tokens'
  return { [target.maxTokensField ?? ownField]: maxTokens }
}

function encodeSampling(
  { temperature, topP, topK }: ConversationRequest,
  target: ChatTarget,
  notes: Notes,
): JsonObject {
  const isFree = target.fixedSampling !== true
  const settings = [
    ['temperature', temperature, isFree],
    ['top_p', topP, isFree],
    ['top_k', topK, isFree && target.topK === true],
  ] as const
  const sampling: Record<string, number> = {}
  for (const [field, value, isTaken] of settings) {
    if (value === undefined) continue
    if (isTaken) sampling[field] = value
    else notes.dropped(field, 'The upstream does not take it.')
  }
  return sampling
}

function encodeStops(
  stopSequences: readonly string[],
  { mostStops = Infinity }: ChatTarget,
  notes: Notes,
): JsonObject {
  if (stopSequences.length > mostStops) {
    notes.dropped('stop_sequences', `The upstream takes ${mostStops}; the others are left out.`)
  }
  return stopSequences.length === 0 ? {} : { stop: stopSequences.slice(0, mostStops) }
}

function encodeStream(stream: boolean, { streamUsage }: ChatTarget): JsonObject {
  if (!stream) return {}
  return streamUsage === false ? { stream: true } : { stream: true, stream_options: { include_usage: true } }
}

function encodeFormat(format: OutputFormat | undefined, target: ChatTarget): JsonObject {
  if (format === undefined) return {}
  const original = originalFor(target, format, 'openai-chat')
  if (original !== undefined) return { response_format: original }
  if (format.type !== 'json-schema') {
    return { response_format: { type: format.type === 'json' ? 'json_object' : 'text' } }
  }
  const { name, schema, strict } = format
  return {
    response_format: {
      type: 'json_schema',
      json_schema: { name, schema, ...(strict === undefined ? {} : { strict }) },
    },
  }
}

const longestUser = 64

function encodeUser(user: string | undefined, target: ChatTarget, notes: Notes): JsonObject {
  if (user === undefined) return {}
  if (user.length <= longestUser || target.sameDialect === true) return { user }
  // Long names begin alike. If they were cut off, all users of a machine would be one.
  notes.changed('metadata.user_id', `The upstream takes ${longestUser} characters; a digest stands for it.`)
  return { user: `user_${nineAlphanumerics(user)}` }
}
