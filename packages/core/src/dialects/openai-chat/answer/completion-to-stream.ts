import { isJsonObject, type JsonObject } from '../../../json/objects.ts'
import { encodeSse } from '../../../sse/encoder.ts'
import { reasoningTextFields } from './reasoning-fields.ts'

export interface CompletionStreamOptions {
  /** Whether the client asked for the chunk with the usage. */
  readonly includeUsage: boolean
}

/** The event stream that says what a whole completion says, with every field of it. */
export function streamOfCompletion(
  completion: JsonObject,
  { includeUsage }: CompletionStreamOptions,
): string {
  const { choices, usage, ...shared } = completion
  const sent = (Array.isArray(choices) ? choices : []).flatMap((choice: unknown, position) =>
    isJsonObject(choice) ? choiceChunks(choice, position) : [],
  )
  const events = sent.map((choice) => chunkEvent(shared, { choices: [choice] }))
  if (includeUsage && isJsonObject(usage)) events.push(chunkEvent(shared, { choices: [], usage }))
  return events.join('') + encodeSse({ data: '[DONE]' })
}

function chunkEvent(shared: JsonObject, own: JsonObject): string {
  return encodeSse({ data: JSON.stringify({ ...shared, object: 'chat.completion.chunk', ...own }) })
}

/**
 * The choice once for each delta, and once for its end. Token probabilities go with the content, and what else is
 * told of the choice with the end, where servers that stream tell it.
 */
function choiceChunks(choice: JsonObject, position: number): JsonObject[] {
  const { message, delta: misnamed, index: came, logprobs, finish_reason, ...rest } = choice
  const index = typeof came === 'number' ? came : position
  const deltas = deltasOf(isJsonObject(message) ? message : isJsonObject(misnamed) ? misnamed : {})
  const measured = deltas.find((delta) => isSaid(delta['content']) || isSaid(delta['refusal']))
  // A field set to undefined is left out of the JSON.
  const chunks: JsonObject[] = deltas.map((delta) => {
    return { index, delta, logprobs: delta === measured ? logprobs : undefined, finish_reason: null }
  })
  const unmeasured = measured === undefined ? logprobs : undefined
  chunks.push({ ...rest, index, delta: {}, logprobs: unmeasured, finish_reason: finish_reason ?? null })
  return chunks
}

function deltasOf(message: JsonObject): JsonObject[] {
  const { role, tool_calls: calls, ...said } = message
  const first = Object.entries(said).filter(([field, value]) => !laterFields.has(field) || !isSaid(value))
  const empty = Array.isArray(calls) && calls.length > 0 ? {} : { tool_calls: calls }
  return [
    { role: role ?? 'assistant', ...Object.fromEntries(first), ...empty },
    ...[reasoningFields, contentFields, functionFields].flatMap((fields) => deltaOf(said, fields)),
    ...callDeltas(calls),
  ]
}

const reasoningFields = [...reasoningTextFields, 'reasoning_details', 'thinking_blocks']
const contentFields = ['content', 'refusal', 'annotations']
const functionFields = ['function_call']
const laterFields: ReadonlySet<string> = new Set([...reasoningFields, ...contentFields, ...functionFields])

/** Whether the value says anything; one that does not is told with the role. */
function isSaid(value: unknown): boolean {
  return (
    value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0)
  )
}

/** The delta with those of the fields that say something, if any does. */
function deltaOf(message: JsonObject, fields: readonly string[]): JsonObject[] {
  const entries = fields.map((field) => [field, message[field]] as const).filter(([, value]) => isSaid(value))
  return entries.length === 0 ? [] : [Object.fromEntries(entries)]
}

/** One delta for each call: some clients read no more than the first of a chunk. */
function callDeltas(calls: unknown): JsonObject[] {
  if (!Array.isArray(calls)) return []
  return calls.filter(isJsonObject).map((call, at) => ({
    tool_calls: [{ ...call, index: typeof call['index'] === 'number' ? call['index'] : at }],
  }))
}
