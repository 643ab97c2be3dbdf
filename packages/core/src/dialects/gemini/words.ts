import type { FinishReason, Usage } from '../../answer/answer.ts'
import { countOf, isJsonObject, type JsonObject } from '../../json/objects.ts'

/**
 * What a `finishReason` means. `error`: the model did not bring about what it wanted to say. `unknown`: an end like others
 * where something was said before it, and none where nothing was.
 */
export function decodeFinishReason(word: string): FinishReason | 'error' | 'unknown' {
  const name = word.toUpperCase()
  return meanings.get(name) ?? (name.startsWith('IMAGE_') ? 'content-filter' : 'unknown')
}

export function encodeFinishReason(reason: FinishReason): string {
  return words[reason]
}

/** The dialect has no word for a call: an answer that ends in one has stopped. */
const words: Readonly<Record<FinishReason, string>> = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  'tool-calls': 'STOP',
  'content-filter': 'SAFETY',
  'stop-sequence': 'STOP',
  pause: 'STOP',
}

const meanings: ReadonlyMap<string, FinishReason | 'error'> = new Map([
  ['STOP', 'stop'],
  ['MAX_TOKENS', 'length'],
  ['CONTINUATION', 'length'],
  ['SAFETY', 'content-filter'],
  ['RECITATION', 'content-filter'],
  ['BLOCKLIST', 'content-filter'],
  ['PROHIBITED_CONTENT', 'content-filter'],
  ['SPII', 'content-filter'],
  ['LANGUAGE', 'content-filter'],
  ['MALFORMED_FUNCTION_CALL', 'error'],
  ['UNEXPECTED_TOOL_CALL', 'error'],
  ['TOO_MANY_TOOL_CALLS', 'error'],
])

/** What was counted; null where nothing was. Each count is of the whole answer so far. */
export function decodeGeminiUsage(value: unknown): Usage | null {
  if (!isJsonObject(value)) return null
  const prompt = countOf(value, 'promptTokenCount')
  const candidates = countOf(value, 'candidatesTokenCount', 'responseTokenCount')
  const thoughts = countOf(value, 'thoughtsTokenCount')
  if (prompt === null && candidates === null && thoughts === null) return null
  const cached = countOf(value, 'cachedContentTokenCount') ?? 0
  const ofTools = countOf(value, 'toolUsePromptTokenCount') ?? 0
  return {
    inputTokens: Math.max(0, (prompt ?? 0) + ofTools - cached),
    cacheReadTokens: cached,
    cacheWriteTokens: 0,
    outputTokens: (candidates ?? 0) + (thoughts ?? 0),
    reasoningTokens: thoughts ?? 0,
  }
}

export function encodeGeminiUsage(usage: Usage): JsonObject {
  const { cacheReadTokens, outputTokens, reasoningTokens } = usage
  const prompt = usage.inputTokens + cacheReadTokens + usage.cacheWriteTokens
  const thoughts = Math.min(reasoningTokens, outputTokens)
  return {
    promptTokenCount: prompt,
    ...(cacheReadTokens > 0 ? { cachedContentTokenCount: cacheReadTokens } : {}),
    candidatesTokenCount: outputTokens - thoughts,
    ...(thoughts > 0 ? { thoughtsTokenCount: thoughts } : {}),
    totalTokenCount: prompt + outputTokens,
  }
}
