import type { FinishReason } from '../../../answer/answer.ts'

/** What a server's word for the end means; a word that nobody knows is an ordinary end. */
export function decodeFinishReason(word: string): FinishReason | 'error' {
  return meanings.get(word) ?? 'stop'
}

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
  ['tool_calls', 'tool-calls'],
  ['function_call', 'tool-calls'],
  ['tool_use', 'tool-calls'],
  ['content_filter', 'content-filter'],
  ['refusal', 'content-filter'],
  ['stop_sequence', 'stop-sequence'],
  ['error', 'error'],
  ['insufficient_system_resource', 'error'],
])
