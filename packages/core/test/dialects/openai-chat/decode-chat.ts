import { expect } from 'vitest'
import { AnswerLog } from '../../answer/answer-log.ts'
import { chunk, countingMint, done } from './upstream.ts'
import { type AnswerDecoderOptions } from '../../../src/translate-parts.ts'
import { createChatAnswerDecoder, readChatCompletion } from '../../answer/stages.ts'

export type Options = Partial<AnswerDecoderOptions>

/** The whole answer. */
export function decode(pieces: readonly (string | Uint8Array)[], options: Options = {}): AnswerLog {
  const sink = new AnswerLog()
  const decoder = createChatAnswerDecoder({
    parser: { format: 'kimi' },
    mint: countingMint(),
    sink,
    ...options,
  })
  for (const piece of pieces) decoder.push(piece)
  decoder.end()
  expect(sink.isEnded).toBe(true)
  return sink
}

/** What the answer says between its start and its end. */
export function said(pieces: readonly string[], options: Options = {}): string[] {
  return decode(pieces, options).lines.slice(1)
}

export function readWhole(body: unknown, options: Options = {}): AnswerLog {
  const sink = new AnswerLog()
  readChatCompletion(body, { parser: { format: 'kimi' }, mint: countingMint(), sink, ...options })
  expect(sink.isEnded).toBe(true)
  return sink
}

export const stop = [chunk({}, 'stop'), done]
export const toolStop = [chunk({}, 'tool_calls'), done]
