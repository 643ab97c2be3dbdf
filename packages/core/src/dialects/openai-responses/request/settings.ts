import { optionalBoolean, optionalCount, optionalNumber, otherFields } from '../../../json/fields.ts'
import { isJsonObject, type JsonObject, nonEmptyText, objectIn } from '../../../json/objects.ts'
import type {
  ConversationRequest,
  OutputFormat,
  ReasoningRequest,
  RequestSettings,
} from '../../../request/conversation-request.ts'
import type { Notes } from '../../../request/notes.ts'
import { originalFor, withOriginal } from '../../../request/original.ts'
import { limitedMaxTokens } from '../../../request/settings.ts'
import type { ResponsesTarget } from '../../../request/target.ts'
import type { ToolKinds } from '../tools.ts'
import { decodeToolChoice } from './tool-choice.ts'
import { takesAllItems } from './target.ts'

export function decodeSettings(
  body: JsonObject,
  items: readonly JsonObject[],
  kinds: ToolKinds,
  notes: Notes,
): RequestSettings {
  const text = objectIn(body, 'text')
  const outputFormat = formatOf(text['format'])
  const reasoning = objectIn(body, 'reasoning')
  const summary = nonEmptyText(reasoning['summary'] ?? reasoning['generate_summary'])
  return {
    toolChoice: decodeToolChoice(body['tool_choice'], kinds, notes),
    parallelToolCalls: optionalBoolean(body, 'parallel_tool_calls'),
    stream: optionalBoolean(body, 'stream') ?? false,
    maxTokens: optionalCount(body, 'max_output_tokens'),
    temperature: optionalNumber(body, 'temperature'),
    topP: optionalNumber(body, 'top_p'),
    // The dialect has no such fields. Where a client sends them, they go on with the others.
    topK: undefined,
    stopSequences: [],
    reasoning: reasoningOf(lastEffort(items) ?? nonEmptyText(reasoning['effort'])),
    ...shownReasoning(summary),
    outputFormat,
    user: nonEmptyText(body['user']) ?? nonEmptyText(body['safety_identifier']) ?? undefined,
    extra: {
      ...otherFields(body, knownFields),
      ...rest('text', text, outputFormat === undefined ? new Set() : new Set(['format'])),
      ...rest('reasoning', reasoning, reasoningFields),
      ...otherIncludes(body['include']),
    },
  }
}

// `store` is missing in what goes on, because nothing is kept, whatever the client asks for. So is `client_metadata`.
const knownFields = new Set([
  'model',
  'input',
  'instructions',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'stream',
  'max_output_tokens',
  'temperature',
  'top_p',
  'reasoning',
  'text',
  'include',
  'user',
  'store',
  'background',
  'conversation',
  'prompt',
  'previous_response_id',
  'client_metadata',
])
const reasoningFields = new Set(['effort', 'summary', 'generate_summary'])

/** Servers of the dialect know words for the length of a summary. They refuse the words for none, and send none unasked. */
function shownReasoning(
  summary: string | null,
): Pick<RequestSettings, 'reasoningSummary' | 'hidesReasoning'> {
  if (summary === null) return {}
  return summary === 'none' || summary === 'off' ? { hidesReasoning: true } : { reasoningSummary: summary }
}

/** The part of a field that we did not understand, under the name of the field. */
function rest(field: string, value: JsonObject, known: ReadonlySet<string>): JsonObject {
  const left = otherFields(value, known)
  return Object.keys(left).length === 0 ? {} : { [field]: left }
}

/** Reasoning always comes with what a client has to send back, whether it asks for that or not. */
function otherIncludes(include: unknown): JsonObject {
  const others = Array.isArray(include) ? include.filter((word: unknown) => word !== encryptedReasoning) : []
  return others.length === 0 ? {} : { include: others }
}

const encryptedReasoning = 'reasoning.encrypted_content'

/** A client may change the effort in the middle of a conversation. The last word counts. */
function lastEffort(items: readonly JsonObject[]): string | null {
  const updates = items.flatMap((item) => {
    if (item['type'] !== 'configuration_update') return []
    const inner = isJsonObject(item['configuration']) ? item['configuration'] : item
    const effort = nonEmptyText(
      objectIn(inner, 'reasoning')['effort'] ?? inner['effort'] ?? inner['reasoning_effort'],
    )
    return effort === null ? [] : [effort]
  })
  return updates.at(-1) ?? null
}

function reasoningOf(effort: string | null): ReasoningRequest | undefined {
  if (effort === null) return undefined
  return { mode: effort === 'none' ? 'off' : 'on', effort }
}

function formatOf(format: unknown): OutputFormat | undefined {
  if (!isJsonObject(format)) return undefined
  if (format['type'] === 'text') return { type: 'text' }
  if (format['type'] === 'json_object') return { type: 'json' }
  if (format['type'] !== 'json_schema') return undefined
  const { strict } = format
  const decoded: OutputFormat = {
    type: 'json-schema',
    name: nonEmptyText(format['name']) ?? 'answer',
    schema: format['schema'],
    ...(typeof strict === 'boolean' ? { strict } : {}),
  }
  return withOriginal(decoded, 'openai-responses', format)
}

export function encodeSettings(
  request: ConversationRequest,
  target: ResponsesTarget,
  notes: Notes,
): JsonObject {
  const maxTokens = limitedMaxTokens(request, target, notes)
  return {
    ...(maxTokens === undefined ? {} : { max_output_tokens: maxTokens }),
    ...encodeSampling(request, target, notes),
    ...(request.stream ? { stream: true } : {}),
    ...encodeFormat(request.outputFormat, target),
    ...encodeUser(request, target),
    ...encodeStore(request, target),
  }
}

function encodeSampling(
  { temperature, topP, topK, stopSequences }: ConversationRequest,
  { fixedSampling }: ResponsesTarget,
  notes: Notes,
): JsonObject {
  const sampling: Record<string, number> = {}
  for (const [field, value] of [
    ['temperature', temperature],
    ['top_p', topP],
  ] as const) {
    if (value === undefined) continue
    if (fixedSampling === true) notes.dropped(field, 'The upstream does not take it.')
    else sampling[field] = value
  }
  if (topK !== undefined) notes.dropped('top_k', 'The upstream has no field for it.')
  if (stopSequences.length > 0) notes.dropped('stop', 'The upstream has no field for it.')
  return sampling
}

function encodeFormat(format: OutputFormat | undefined, target: ResponsesTarget): JsonObject {
  if (format === undefined) return {}
  const original = originalFor(target, format, 'openai-responses')
  if (original !== undefined) return { text: { format: original } }
  if (format.type !== 'json-schema') {
    return { text: { format: { type: format.type === 'json' ? 'json_object' : 'text' } } }
  }
  const { name, schema, strict } = format
  return { text: { format: { type: 'json_schema', name, schema, strict: strict ?? false } } }
}

function encodeUser({ user, extra }: ConversationRequest, target: ResponsesTarget): JsonObject {
  const isSaid = target.sameDialect === true && extra['safety_identifier'] === user
  return user === undefined || isSaid ? {} : { user }
}

/** OpenAI keeps answers unless it is told not to, and then gives reasoning out only in the form that it alone can read. */
function encodeStore({ extra }: ConversationRequest, target: ResponsesTarget): JsonObject {
  if (target.responsesItems !== 'openai' && !takesAllItems(target)) return {}
  const others: readonly unknown[] = Array.isArray(extra['include']) ? extra['include'] : []
  const isGiven = takesAllItems(target)
  return { store: false, include: [encryptedReasoning, ...(isGiven ? others : [])] }
}
