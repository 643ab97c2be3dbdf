import type { DialectId } from '../../../src/dialects/index.ts'
import { mintToolId } from '../../../src/dialects/mint.ts'
import { type AnswerDecoderOptions } from '../../../src/translate-parts.ts'

export const done = 'data: [DONE]\n\n'

export function event(fields: unknown): string {
  return `data: ${JSON.stringify(fields)}\n\n`
}

export function chunk(delta: unknown, finish: string | null = null, more: object = {}): string {
  return event({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'some-model',
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...more,
  })
}

export function calls(...entries: unknown[]): string {
  return chunk({ tool_calls: entries })
}

export const kimiCall =
  '<|tool_calls_section_begin|><|tool_call_begin|>functions.get_time:0<|tool_call_argument_begin|>{"zone":"UTC"}<|tool_call_end|><|tool_calls_section_end|>'

export const kimiCutCall =
  '<|tool_calls_section_begin|><|tool_call_begin|>functions.get_time:0<|tool_call_argument_begin|>{"zone":"U'

/** Ids in counting order: `toolu_std_n0`, `toolu_kimi_n1`, … */
export function countingMint(dialect: DialectId = 'anthropic-messages'): AnswerDecoderOptions['mint'] {
  let count = 0
  return (format, taken) => mintToolId({ dialect, format, newId: () => `n${count++}`, taken })
}

/** The bytes cut at fractions of their length, inside characters too. */
export function cutBytes(text: string, fractions: readonly number[]): Uint8Array[] {
  const bytes = new TextEncoder().encode(text)
  const cuts = fractions.map((part) => Math.floor(part * bytes.length)).toSorted((a, b) => a - b)
  const at = [0, ...cuts, bytes.length]
  return at.slice(1).map((end, n) => bytes.subarray(at[n], end))
}
