import { decodeGeminiRequest } from '../../../src/dialects/gemini/request/decode.ts'
import type { ConversationRequest } from '../../../src/request/conversation-request.ts'
import { isRecord } from '../../support/is-record.ts'
import { chunk, event } from '../openai-chat/upstream.ts'
import { type Asked, type Got, translated } from './upstream.ts'

const chat = { from: 'openai-chat', to: 'gemini' } as const

export function answered(body: string, more: Partial<Asked> = {}): Got {
  return translated(body, { ...chat, parser: { format: 'kimi' }, ...more })
}

export function chunksOf({ text }: Got): Record<string, unknown>[] {
  return text
    .split('\n\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line.slice('data: '.length)))
    .filter(isRecord)
}

export function candidateOf(given: unknown): Record<string, unknown> {
  const candidates: unknown = isRecord(given) ? given['candidates'] : undefined
  const first: unknown = Array.isArray(candidates) ? candidates[0] : undefined
  if (!isRecord(first)) throw new Error('no candidate')
  return first
}

/** The parts that say something. A chunk of the end alone has one that does not. */
export function partsOf(got: Got): Record<string, unknown>[] {
  return chunksOf(got)
    .map(candidateOf)
    .flatMap(({ content }) => {
      const parts: unknown = isRecord(content) ? content['parts'] : undefined
      return Array.isArray(parts) ? parts.filter(isRecord) : []
    })
    .filter((part) => JSON.stringify(part) !== '{"text":""}')
}

export function toolCall(index: number, name: string, json: string, id = `call_${index}`): string {
  const fn = { name, arguments: json }
  return chunk({ tool_calls: [{ index, id, type: 'function', function: fn }] })
}

export const role = chunk({ role: 'assistant', content: '' })
export const usage = event({
  choices: [],
  usage: {
    prompt_tokens: 10,
    completion_tokens: 7,
    total_tokens: 17,
    prompt_tokens_details: { cached_tokens: 4 },
    completion_tokens_details: { reasoning_tokens: 2 },
  },
})

export function asking(includeThoughts: boolean): ConversationRequest {
  const body = {
    contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
    generationConfig: { thinkingConfig: { includeThoughts } },
  }
  const decoded = decodeGeminiRequest(body, { path: '/v1beta/models/m:streamGenerateContent', query: {} })
  if ('error' in decoded) throw new Error(decoded.error.message)
  return decoded.request
}
