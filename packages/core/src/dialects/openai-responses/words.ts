import type { FinishReason, Usage } from '../../answer/answer.ts'
import { countOf, isJsonObject, nonEmptyText, objectIn, type JsonObject } from '../../json/objects.ts'

/** What a response says of its end. */
export interface ResponseStatus {
  readonly status: 'completed' | 'incomplete'
  /** Why it is incomplete. */
  readonly incomplete: string | null
}

export function encodeStatus(reason: FinishReason): ResponseStatus {
  const incomplete = incompleteWords.get(reason) ?? null
  return { status: incomplete === null ? 'completed' : 'incomplete', incomplete }
}

const incompleteWords: ReadonlyMap<FinishReason, string> = new Map([
  ['length', 'max_output_tokens'],
  ['content-filter', 'content_filter'],
])

/**
 * Why an answer ended. Some servers end every stream with `response.completed`: what the response in it says of itself
 * counts for more than the name of the event.
 */
export function decodeStatus(response: JsonObject, event: string): FinishReason {
  const status = nonEmptyText(response['status']) ?? event.replace('response.', '')
  if (status !== 'incomplete') return 'stop'
  const reason = nonEmptyText(objectIn(response, 'incomplete_details')['reason'])
  return reason === 'content_filter' ? 'content-filter' : 'length'
}

/** What a server counted; null where it counted nothing. */
export function decodeResponsesUsage(value: unknown): Usage | null {
  if (!isJsonObject(value)) return null
  const input = countOf(value, 'input_tokens', 'prompt_tokens')
  const output = countOf(value, 'output_tokens', 'completion_tokens')
  if (input === null && output === null) return null
  const details = objectIn(value, 'input_tokens_details')
  const cacheReadTokens = countOf(details, 'cached_tokens') ?? 0
  const cacheWriteTokens = countOf(details, 'cache_write_tokens') ?? 0
  return {
    inputTokens: Math.max(0, (input ?? 0) - cacheReadTokens - cacheWriteTokens),
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: output ?? 0,
    reasoningTokens: countOf(objectIn(value, 'output_tokens_details'), 'reasoning_tokens') ?? 0,
  }
}

/** All of the counts: a client that misses one in a usage discards the end of the answer, and asks again. */
export function encodeResponsesUsage(usage: Usage): JsonObject {
  const input = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: usage.cacheReadTokens,
      cache_write_tokens: usage.cacheWriteTokens,
    },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: input + usage.outputTokens,
  }
}

export const nothingCounted: Usage = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
}

/** The usage in a field of its own where it lacks one of the counts: a client that misses one discards the whole end. */
export function withAllCounts(usage: unknown): JsonObject {
  const counted = decodeResponsesUsage(usage)
  if (counted === null || !isJsonObject(usage)) return {}
  const whole = encodeResponsesUsage(counted)
  const isMissing = ['input_tokens', 'output_tokens', 'total_tokens'].some(
    (field) => typeof usage[field] !== 'number',
  )
  return isMissing ? { usage: { ...whole, ...usage, total_tokens: whole['total_tokens'] } } : {}
}
