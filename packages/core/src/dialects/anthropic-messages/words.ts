import type { FinishReason, Usage } from '../../answer/answer.ts'
import { type Failure, noRoom } from '../../answer/failure.ts'
import { countOf, isJsonObject, type JsonObject } from '../../json/objects.ts'

/** What a `stop_reason` means; one that nobody knows is an ordinary end. */
export function decodeStopReason(word: string): FinishReason {
  return meanings.get(word) ?? 'stop'
}

/** What an end means where nothing came before it; null where it is an end like others. */
export function failureIfEmpty(word: string | null): Failure | null {
  return word === windowFull ? noRoom : null
}

const windowFull = 'model_context_window_exceeded'

export function encodeStopReason(reason: FinishReason): string {
  return words[reason]
}

const words: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  'tool-calls': 'tool_use',
  'content-filter': 'refusal',
  'stop-sequence': 'stop_sequence',
  pause: 'pause_turn',
}

const meanings: ReadonlyMap<string, FinishReason> = new Map([
  ['end_turn', 'stop'],
  ['max_tokens', 'length'],
  [windowFull, 'length'],
  ['tool_use', 'tool-calls'],
  ['refusal', 'content-filter'],
  ['stop_sequence', 'stop-sequence'],
  ['pause_turn', 'pause'],
])

/** What was counted so far, with the counts that this part of the answer has; the later count is the whole one. */
export function decodeAnthropicUsage(value: unknown, before: Usage): Usage {
  if (!isJsonObject(value)) return before
  return {
    inputTokens: countOf(value, 'input_tokens') ?? before.inputTokens,
    cacheReadTokens: countOf(value, 'cache_read_input_tokens') ?? before.cacheReadTokens,
    cacheWriteTokens: countOf(value, 'cache_creation_input_tokens') ?? before.cacheWriteTokens,
    outputTokens: countOf(value, 'output_tokens') ?? before.outputTokens,
    reasoningTokens: before.reasoningTokens,
  }
}

export const nothingCounted: Usage = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
}

export function encodeAnthropicUsage(usage: Usage): JsonObject {
  return {
    input_tokens: usage.inputTokens,
    cache_creation_input_tokens: usage.cacheWriteTokens,
    cache_read_input_tokens: usage.cacheReadTokens,
    output_tokens: usage.outputTokens,
  }
}

/** The usage with these counts where it has none of its own: clients read them without looking whether they are there. */
export function withCounts(usage: unknown, counts: Readonly<Record<string, number>>): unknown {
  const given = isJsonObject(usage) ? usage : {}
  const missing = Object.entries(counts).filter(([field]) => countOf(given, field) === null)
  return missing.length === 0 ? usage : { ...given, ...Object.fromEntries(missing) }
}
