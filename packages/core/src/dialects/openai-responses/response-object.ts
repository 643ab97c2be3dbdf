import type { Usage } from '../../answer/answer.ts'
import { isJsonObject, type JsonObject } from '../../json/objects.ts'
import type { ConversationRequest, Tool, ToolChoice } from '../../request/conversation-request.ts'
import { originalIn } from '../../request/original.ts'
import { toolKindsOf } from './tools.ts'
import { encodeResponsesUsage } from './words.ts'

export interface ResponseHead {
  readonly id: string
  readonly model: string
  /** Seconds. */
  readonly created: number
  readonly request?: ConversationRequest | undefined
}

/** What changes in the object while an answer is written. */
export interface ResponseState {
  readonly status: 'in_progress' | 'completed' | 'incomplete' | 'failed'
  readonly output: readonly JsonObject[]
  readonly usage: Usage | null
  readonly error: { readonly code: string; readonly message: string } | null
  readonly incomplete: string | null
}

/** The state of an answer of which nothing was said. */
export const nothingYet: ResponseState = {
  status: 'in_progress',
  output: [],
  usage: null,
  error: null,
  incomplete: null,
}

/**
 * The object around an answer, as JSON text. It repeats what was asked for, tools included, and stands in three events of
 * every stream: so that part is written once.
 */
export class ResponseObject {
  private readonly head: ResponseHead
  private readonly asked: string

  constructor(head: ResponseHead) {
    this.head = head
    this.asked = JSON.stringify(askedFor(head.request)).slice(1)
  }

  json({ status, output, usage, error, incomplete }: ResponseState): string {
    const { id, model, created } = this.head
    const isOver = status === 'completed'
    const said = {
      id,
      object: 'response',
      created_at: created,
      completed_at: isOver ? created : null,
      status,
      error,
      incomplete_details: incomplete === null ? null : { reason: incomplete },
      model,
      output,
      usage: usage === null ? null : encodeResponsesUsage(usage),
    }
    return `${JSON.stringify(said).slice(0, -1)},${this.asked}`
  }
}

/** Validators of the dialect want every field, and numbers where a client has said nothing. */
function askedFor(request: ConversationRequest | undefined): JsonObject {
  const extra = request?.extra ?? {}
  return {
    instructions: instructionsOf(request),
    previous_response_id: null,
    tools: request === undefined ? [] : toolsOf(request),
    tool_choice: choiceOf(request),
    truncation: extra['truncation'] ?? 'disabled',
    parallel_tool_calls: request?.parallelToolCalls ?? true,
    text: { ...textOf(extra['text']), format: formatOf(request) },
    temperature: request?.temperature ?? 1,
    top_p: request?.topP ?? 1,
    presence_penalty: numberOr(extra['presence_penalty'], 0),
    frequency_penalty: numberOr(extra['frequency_penalty'], 0),
    top_logprobs: numberOr(extra['top_logprobs'], 0),
    reasoning: {
      effort: request?.reasoning?.effort ?? null,
      summary: summaryWords.has(request?.reasoningSummary) ? request?.reasoningSummary : null,
    },
    max_output_tokens: request?.maxTokens ?? null,
    max_tool_calls: extra['max_tool_calls'] ?? null,
    // Nothing is kept, whatever was asked for.
    store: false,
    background: false,
    service_tier: 'default',
    metadata: isJsonObject(extra['metadata']) ? extra['metadata'] : {},
    safety_identifier: extra['safety_identifier'] ?? null,
    prompt_cache_key: extra['prompt_cache_key'] ?? null,
  }
}

const summaryWords: ReadonlySet<unknown> = new Set(['auto', 'concise', 'detailed'])

function instructionsOf(request: ConversationRequest | undefined): string | null {
  const first = request?.system[0]
  const original = first === undefined ? undefined : originalIn(first, 'openai-responses')
  return typeof original?.['instructions'] === 'string' ? original['instructions'] : null
}

/** As the client defined them. The tools of one namespace came apart on their way, and are put together again. */
function toolsOf({ tools, extra }: ConversationRequest): readonly unknown[] {
  const told: JsonObject[] = []
  for (const tool of tools) {
    const definition = withAllFields(originalIn(tool, 'openai-responses') ?? functionOf(tool))
    const last = told.at(-1)
    const isSame = definition['type'] === 'namespace' && last?.['type'] === 'namespace'
    if (last !== undefined && isSame && last['name'] === definition['name']) {
      const joined = [...listIn(last, 'tools'), ...listIn(definition, 'tools')]
      told[told.length - 1] = { ...last, tools: joined }
    } else {
      told.push(definition)
    }
  }
  return [...told, ...listIn(extra, 'tools')]
}

function functionOf({ name, description, parameters, strict }: Tool): JsonObject {
  return { type: 'function', name, description: description ?? null, parameters, strict: strict ?? null }
}

/** Validators want each of these fields of a function, whether its client has said anything or not. */
function withAllFields(definition: JsonObject): JsonObject {
  const isFunction = (definition['type'] ?? 'function') === 'function'
  if (!isFunction) return definition
  return { type: 'function', description: null, parameters: null, strict: null, ...definition }
}

function listIn(object: JsonObject, field: string): readonly unknown[] {
  const value = object[field]
  return Array.isArray(value) ? value : []
}

function choiceOf(request: ConversationRequest | undefined): unknown {
  const choice: ToolChoice | undefined = request?.toolChoice
  if (choice === undefined) return 'auto'
  const original = originalIn(choice, 'openai-responses')
  if (original?.['type'] === 'allowed_tools') return { mode: choice.type, ...original }
  if (original !== undefined) return original
  if (choice.type !== 'tool') return choice.type
  const { kind, name } = toolKindsOf(request?.tools ?? []).kindOf(choice.name)
  return kind === 'function' || kind === 'custom' ? { type: kind, name } : { type: kind }
}

function formatOf(request: ConversationRequest | undefined): JsonObject {
  const format = request?.outputFormat
  const original = format === undefined ? undefined : originalIn(format, 'openai-responses')
  const isStrict = typeof original?.['strict'] === 'boolean' && original['strict']
  if (original !== undefined) return { description: null, ...original, strict: isStrict }
  if (format?.type === 'json') return { type: 'json_object' }
  if (format?.type !== 'json-schema') return { type: 'text' }
  const { name, schema, strict } = format
  return { type: 'json_schema', name, description: null, schema, strict: strict ?? false }
}

function textOf(text: unknown): JsonObject {
  return isJsonObject(text) ? text : {}
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise
}
