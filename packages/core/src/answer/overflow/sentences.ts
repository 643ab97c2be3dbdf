import type { JsonObject } from '../../json/objects.ts'
import type { Overflow } from './overflow.ts'

/**
 * Anthropic's sentences. Clients look for these words, and make the conversation shorter or ask for less. `message` is
 * the upstream's own.
 */
export function inAnthropicWords(overflow: Overflow, message: string): string {
  const { what, window, promptTokens, outputTokens } = overflow
  if (mayAskForLess(overflow)) {
    return `input length and \`max_tokens\` exceed context limit: ${promptTokens} + ${outputTokens} > ${window}`
  }
  if (window !== undefined) {
    const told = largest(overflow)
    const sentence = `prompt is too long: ${Math.max(told, window + 1)} tokens > ${window} maximum`
    return what === 'prompt' && told > window ? sentence : `${sentence}. ${quoted(message)}`
  }
  return /prompt is too long/i.test(message) ? message : `prompt is too long: ${message}`
}

/** OpenAI's sentences, which clients of that family look for. */
export function inOpenAiWords(overflow: Overflow, message: string): string {
  const { what, window, promptTokens, outputTokens } = overflow
  const limit = window === undefined ? null : `This model's maximum context length is ${window} tokens.`
  if (limit !== null && window !== undefined && promptTokens !== undefined) {
    if (what === 'prompt' && promptTokens > window)
      return `${limit} However, your messages resulted in ${promptTokens} tokens.`
    if (what === 'sum' && outputTokens !== undefined)
      return `${limit} However, you requested ${promptTokens + outputTokens} tokens (${promptTokens} in the messages, ${outputTokens} in the completion).`
  }
  if (/context length|prompt is too long/i.test(message)) return message
  return `${limit ?? "The prompt is too long for the model's context length."} ${quoted(message)}`
}

/** Google's sentence. `message` is the upstream's own. */
export function inGoogleWords(overflow: Overflow, message: string): string {
  const { what, window } = overflow
  if (googleWords.test(message)) return message
  if (window === undefined) {
    return `The input token count exceeds the maximum number of tokens allowed. ${quoted(message)}`
  }
  const told = largest(overflow)
  const sentence = `The input token count (${Math.max(told, window + 1)}) exceeds the maximum number of tokens allowed (${window}).`
  return what === 'prompt' && told > window ? sentence : `${sentence} ${quoted(message)}`
}

const googleWords = /exceeds the maximum number of tokens allowed/i

/** The numbers as fields, under the names that llama.cpp has for them; null where there is none. */
export function overflowFields({ promptTokens, window }: Overflow): JsonObject | null {
  if (promptTokens === undefined && window === undefined) return null
  return {
    ...(promptTokens !== undefined && { n_prompt_tokens: promptTokens }),
    ...(window !== undefined && { n_ctx: window }),
  }
}

/**
 * Told the sum, Claude Code asks again for what is left of the window less `RESERVED`, and gives up below `LEAST`. Where
 * so little is left, or the numbers do not exceed the window, it would fail or ask the same for ever: then the prompt is
 * what has to become shorter.
 */
function mayAskForLess({ what, promptTokens, outputTokens, window }: Overflow): boolean {
  if (what !== 'sum' || promptTokens === undefined || outputTokens === undefined || window === undefined)
    return false
  return promptTokens + outputTokens > window && window - promptTokens - RESERVED >= LEAST
}

const RESERVED = 1000
const LEAST = 3000

function largest({ promptTokens = 0, outputTokens = 0, totalTokens = 0, what }: Overflow): number {
  return what === 'sum' ? Math.max(promptTokens + outputTokens, totalTokens) : promptTokens
}

function quoted(message: string): string {
  return `The upstream said: ${message}`
}
