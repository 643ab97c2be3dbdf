import type { FinishReason } from '../../../answer/answer.ts'

/** What a `stop_reason` means; one that nobody knows is an ordinary end. */
export function decodeStopReason(word: string): FinishReason {
  return meanings.get(word) ?? 'stop'
}

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
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool-calls'],
  ['refusal', 'content-filter'],
  ['stop_sequence', 'stop-sequence'],
  ['pause_turn', 'pause'],
])
