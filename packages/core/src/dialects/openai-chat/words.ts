import type { FinishReason, Usage } from '../../answer/answer.ts'
import { type Failure, noRoom } from '../../answer/failure.ts'
import { countOf, isJsonObject, objectIn, type JsonObject } from '../../json/objects.ts'

/** What a server's word for the end means; a word that nobody knows is an ordinary end. */
export function decodeFinishReason(word: string): FinishReason | 'error' {
  return meanings.get(word) ?? 'stop'
}

/** What an end means where nothing came before it; null where it is an end like others. */
export function failureIfEmpty(word: string | null): Failure | null {
  return word === windowFull ? noRoom : null
}

/** Whether clients of the dialect know the word: some servers have one of their own for the same. */
export function isKnownFinishWord(word: string): boolean {
  return word !== windowFull && word !== 'function_call'
}

/** Whether what came with this end is no text of the model, but an error. DashScope ends so when it throttles. */
export function saysErrorAsText(word: string): boolean {
  return word === 'error_finish'
}

/** Z.ai's word for a window that is full. */
const windowFull = 'model_context_window_exceeded'

export function encodeFinishReason(reason: FinishReason): string {
  switch (reason) {
    case 'length':
      return 'length'
    case 'tool-calls':
      return 'tool_calls'
    case 'content-filter':
      return 'content_filter'
    default:
      return 'stop'
  }
}

const meanings: ReadonlyMap<string, FinishReason | 'error'> = new Map([
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['model_length', 'length'],
  [windowFull, 'length'],
  ['tool_calls', 'tool-calls'],
  ['function_call', 'tool-calls'],
  ['tool_use', 'tool-calls'],
  ['content_filter', 'content-filter'],
  ['refusal', 'content-filter'],
  ['stop_sequence', 'stop-sequence'],
  ['error', 'error'],
  ['error_finish', 'error'],
  ['insufficient_system_resource', 'error'],
])

/** The usage of a chunk or of a whole completion, wherever servers put it. */
export function usageOf(completion: JsonObject): Usage | null {
  const { choices } = completion
  const first: unknown = Array.isArray(choices) ? choices[0] : undefined
  const inChoice = isJsonObject(first) ? first['usage'] : undefined
  return decodeChatUsage(completion['usage'] ?? inChoice ?? objectIn(completion, 'x_groq')['usage'])
}

/** A chunk that has no choice, without its usage. A field set to undefined is left out of the JSON. */
export function withoutUsage(chunk: JsonObject): JsonObject {
  const groq = chunk['x_groq']
  if (!isJsonObject(groq)) return { ...chunk, usage: undefined }
  const isMore = Object.keys(groq).some((field) => field !== 'usage')
  return { ...chunk, usage: undefined, x_groq: isMore ? { ...groq, usage: undefined } : undefined }
}

export function encodeChatUsage(usage: Usage): JsonObject {
  const prompt = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.outputTokens,
    total_tokens: prompt + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cacheReadTokens },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  }
}

/** What a server counted, wherever it put the numbers; null where there are none. */
function decodeChatUsage(value: unknown): Usage | null {
  if (!isJsonObject(value)) return null
  const prompt = countOf(value, 'prompt_tokens', 'input_tokens')
  const completion = countOf(value, 'completion_tokens', 'output_tokens')
  if (prompt === null && completion === null) return null
  const details = objectIn(value, 'prompt_tokens_details')
  const cacheReadTokens =
    countOf(details, 'cached_tokens') ??
    countOf(value, 'prompt_cache_hit_tokens', 'cached_tokens', 'cache_read_input_tokens') ??
    0
  const cacheWriteTokens =
    countOf(details, 'cache_write_tokens', 'cache_creation_tokens') ??
    countOf(value, 'cache_creation_input_tokens') ??
    0
  return {
    inputTokens: Math.max(0, (prompt ?? 0) - cacheReadTokens - cacheWriteTokens),
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: completion ?? 0,
    reasoningTokens:
      countOf(objectIn(value, 'completion_tokens_details'), 'reasoning_tokens') ??
      countOf(value, 'reasoning_tokens') ??
      0,
  }
}

/** Where servers have the reasoning as text. */
export const reasoningTextFields = ['reasoning_content', 'reasoning', 'reasoning_text'] as const
