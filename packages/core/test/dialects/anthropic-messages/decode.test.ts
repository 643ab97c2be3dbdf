import { describe, expect, it } from 'vitest'
import { AnswerLog } from '../../answer/answer-log.ts'
import {
  ant,
  blockDelta,
  blockStart,
  blockStop,
  messageEnd,
  messageStart,
  textBlock,
  thinkingBlock,
  toolBlock,
} from './upstream.ts'
import { countingMint, done, kimiCall, kimiCutCall } from '../openai-chat/upstream.ts'
import { type AnswerDecoderOptions } from '../../../src/translate-parts.ts'
import { createAnthropicAnswerDecoder, readAnthropicMessage } from '../../answer/stages.ts'

type Options = Partial<AnswerDecoderOptions>

const shared = { parser: { format: 'kimi' }, mint: countingMint } as const

function decode(pieces: readonly string[], options: Options = {}): AnswerLog {
  const sink = new AnswerLog()
  const decoder = createAnthropicAnswerDecoder({
    ...shared,
    mint: countingMint('openai-chat'),
    sink,
    ...options,
  })
  for (const piece of pieces) decoder.push(piece)
  decoder.end()
  expect(sink.isEnded).toBe(true)
  return sink
}

function said(pieces: readonly string[], options: Options = {}): string[] {
  return decode([messageStart, ...pieces], options).lines.slice(1)
}

function readWhole(body: unknown): AnswerLog {
  const sink = new AnswerLog()
  readAnthropicMessage(body, { ...shared, mint: countingMint('openai-chat'), sink })
  expect(sink.isEnded).toBe(true)
  return sink
}

describe('a message stream', () => {
  it('is thinking with its signature, text and calls', () => {
    const log = decode([
      messageStart,
      ant('ping'),
      thinkingBlock(0, 'sig', 'h', 'm'),
      textBlock(1, 'Let me ', 'see.'),
      toolBlock(2, 'toolu_1', 'f', '', '{"x":', ' 1e2}'),
      messageEnd('tool_use'),
    ])
    expect(log.lines).toEqual([
      'start msg_up up-model',
      'reasoning thinking "hm"',
      'proof sig',
      'text "Let me see."',
      'call 0 toolu_1 f',
      'delta 0 {"x": 1e2}',
      'call-end 0',
      'finish tool-calls',
    ])
    expect(log.counted).toEqual({
      inputTokens: 9,
      cacheReadTokens: 4,
      cacheWriteTokens: 0,
      outputTokens: 12,
      reasoningTokens: 0,
    })
  })

  it('has its input in the start where no delta brings it', () => {
    const start = blockStart(0, { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } })
    expect(said([start, blockStop(0), messageEnd('tool_use')])).toContain('delta 0 {"x":1}')
    const json = blockDelta(0, { type: 'input_json_delta', partial_json: '{"x":2}' })
    expect(said([start, json, blockStop(0), messageEnd('tool_use')])).toContain('delta 0 {"x":2}')
  })

  it('has {} where a call has no input at all', () => {
    expect(said([toolBlock(0, 'a', 'f'), toolBlock(1, 'b', 'g'), messageEnd('tool_use')])).toEqual([
      'call 0 a f',
      'delta 0 {}',
      'call-end 0',
      'call 1 b g',
      'delta 1 {}',
      'call-end 1',
      'finish tool-calls',
    ])
  })

  it('gives blocks that are open at once one after the other', () => {
    const pieces = [
      blockStart(0, { type: 'tool_use', id: 'a', name: 'f', input: {} }),
      blockStart(1, { type: 'tool_use', id: 'b', name: 'g', input: {} }),
      blockDelta(0, { type: 'input_json_delta', partial_json: '{"x"' }),
      blockDelta(1, { type: 'input_json_delta', partial_json: '{"y":2}' }),
      blockDelta(0, { type: 'input_json_delta', partial_json: ':1}' }),
      blockStop(0),
      blockStop(1),
      messageEnd('tool_use'),
    ]
    expect(said(pieces).filter((line) => line.startsWith('delta'))).toEqual([
      'delta 0 {"x":1}',
      'delta 1 {"y":2}',
    ])
  })

  it('may hold calls in its text and in its thinking', () => {
    expect(said([textBlock(0, 'Sure.', kimiCall), messageEnd('end_turn')])).toEqual([
      'text "Sure."',
      'call 0 call_kimi_n0 get_time',
      'delta 0 {"zone":"UTC"}',
      'call-end 0',
      'finish tool-calls',
    ])
    expect(said([thinkingBlock(0, 's', `Hm.${kimiCall}`), messageEnd('end_turn')])).toContain(
      'call 0 call_kimi_n0 get_time',
    )
  })

  it.each([
    ['end_turn', 'finish stop'],
    ['max_tokens', 'finish length'],
    ['model_context_window_exceeded', 'finish length'],
    ['refusal', 'finish content-filter'],
    ['pause_turn', 'finish pause'],
    ['tool_use', 'finish stop'],
    ['brand_new', 'finish stop'],
  ])('that ends by %s: %s', (word, expected) => {
    expect(said([textBlock(0, 'a'), messageEnd(word)])).toEqual(['text "a"', expected])
  })

  it('that ends by a stop sequence tells which', () => {
    expect(said([textBlock(0, 'a'), messageEnd('stop_sequence', { stop_sequence: 'END' })])).toEqual([
      'text "a"',
      'finish stop-sequence END',
    ])
  })

  it('with a call cut by max_tokens does not close the call', () => {
    const pieces = [
      blockStart(0, { type: 'tool_use', id: 'a', name: 'f', input: {} }),
      blockDelta(0, { type: 'input_json_delta', partial_json: '{"x' }),
      messageEnd('max_tokens'),
    ]
    expect(said(pieces)).toEqual(['call 0 a f', 'delta 0 {"x', 'finish length'])
  })

  it('redacted thinking is a proof, and blocks without a place are dropped with a warning', () => {
    const warnings: string[] = []
    const pieces = [
      blockStart(0, { type: 'redacted_thinking', data: 'abc' }),
      blockStop(0),
      blockStart(1, { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }),
      blockDelta(1, { type: 'input_json_delta', partial_json: '{}' }),
      blockStop(1),
      textBlock(2, 'a'),
      messageEnd('end_turn'),
    ]
    expect(said(pieces, { onWarning: (message) => warnings.push(message) })).toEqual([
      'proof abc',
      'text "a"',
      'finish stop',
    ])
    expect(warnings.join()).toContain('server_tool_use')
  })

  it('that is cut before its stop reason fails, with all that came', () => {
    const open = [
      blockStart(0, { type: 'text', text: '' }),
      blockDelta(0, { type: 'text_delta', text: 'a <|tool' }),
    ]
    expect(said(open)).toEqual(['text "a <|tool"', 'fail upstream upstream_truncated'])
    expect(said([textBlock(0, kimiCutCall)]).at(-1)).toBe('fail upstream upstream_truncated')
  })

  it('is whole when it has a stop reason, also without message_stop or with a stray [DONE]', () => {
    const end = messageEnd('end_turn').split('\n\n')[0] ?? ''
    expect(said([textBlock(0, 'a'), `${end}\n\n`])).toEqual(['text "a"', 'finish stop'])
    expect(said([textBlock(0, 'a'), `${end}\n\n`, done])).toEqual(['text "a"', 'finish stop'])
  })

  it.each([
    ['overloaded_error', 'fail overloaded overloaded_error'],
    ['rate_limit_error', 'fail rate-limit rate_limit_error'],
    ['api_error', 'fail upstream api_error'],
  ])('with an error event of %s fails', (type, expected) => {
    const error = ant('error', { error: { type, message: 'x' } })
    expect(said([textBlock(0, 'a'), error, textBlock(1, 'b'), messageEnd('end_turn')])).toEqual([
      'text "a"',
      expected,
    ])
  })
})

describe('a whole message', () => {
  it('is read as its blocks', () => {
    const body = {
      id: 'm',
      model: 'x',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 'sig' },
        { type: 'text', text: `Sure.${kimiCall}` },
      ],
      stop_reason: 'end_turn',
      usage: { input_tokens: 1, output_tokens: 2 },
    }
    const log = readWhole(body)
    expect(log.lines).toEqual([
      'start m x',
      'reasoning thinking "hm"',
      'proof sig',
      'text "Sure."',
      'call 0 call_kimi_n0 get_time',
      'delta 0 {"zone":"UTC"}',
      'call-end 0',
      'finish tool-calls',
    ])
    expect(log.counted).toMatchObject({ inputTokens: 1, outputTokens: 2 })
  })

  it.each([
    [
      'an error',
      { type: 'error', error: { type: 'rate_limit_error', message: 'x' } },
      'fail rate-limit rate_limit_error',
    ],
    ['no content', { id: 'x' }, 'fail upstream upstream_protocol_error'],
    ['no object', [], 'fail upstream upstream_protocol_error'],
  ])('%s in its place fails', (_, body, expected) => {
    expect(readWhole(body).lines).toEqual([expected])
  })
})
