import { describe, expect, it } from 'vitest'
import type { AnswerSink, Usage } from '../../../src/answer/answer.ts'
import { createAnthropicStreamEncoder } from '../../../src/dialects/anthropic-messages/answer/encode.ts'
import type { AssembledAnswer } from '../../../src/translate-parts.ts'
import { assembleAnthropic, type AssembledMessage } from './assemble.ts'
import { type AnthropicMessageOptions, assembleAnthropicMessage } from '../../answer/stages.ts'

const options = {
  messageId: 'msg_1',
  model: 'claude-x',
  inputTokens: 42,
  signature: (field: string, proof: string | null) => `sig:${field}:${proof ?? ''}`,
}

const usage: Usage = {
  inputTokens: 10,
  cacheReadTokens: 3,
  cacheWriteTokens: 2,
  outputTokens: 7,
  reasoningTokens: 1,
}

type Said = (sink: AnswerSink) => void

function streamed(say: Said, more: Partial<AnthropicMessageOptions> = {}): string {
  let sse = ''
  const encoder = createAnthropicStreamEncoder({ ...options, ...more, write: (text) => (sse += text) })
  say(encoder)
  return sse
}

function encode(say: Said, more: Partial<AnthropicMessageOptions> = {}): AssembledMessage {
  return assembleAnthropic(streamed(say, more))
}

function whole(say: Said, more: Partial<AnthropicMessageOptions> = {}): AssembledAnswer {
  const assembler = assembleAnthropicMessage({ ...options, ...more })
  say(assembler)
  return assembler.result
}

function answer(...parts: Said[]): Said {
  return (sink) => {
    sink.start({ id: 'up', model: 'upstream-model' })
    for (const part of parts) part(sink)
    sink.finish('stop', null)
    sink.usage(usage)
    sink.end()
  }
}

const text =
  (piece: string): Said =>
  (sink) =>
    sink.text(piece)
const reasoning =
  (piece: string, field = 'reasoning'): Said =>
  (sink) =>
    sink.reasoning(piece, field)
const proof =
  (piece: string): Said =>
  (sink) =>
    sink.reasoningProof(piece)
const call =
  (index: number, name: string, ...deltas: string[]): Said =>
  (sink) => {
    sink.callStart(index, `toolu_${index}`, name)
    for (const delta of deltas) sink.callDelta(index, delta)
    sink.callEnd(index)
  }

describe('the stream', () => {
  it('is written event by event with both names, byte for byte', () => {
    expect(streamed(answer(text('Hi')))).toBe(
      [
        'event: message_start\ndata: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-x","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":42,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":0}}}',
        'event: ping\ndata: {"type":"ping"}',
        'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}',
        'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}',
        'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}',
        'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"input_tokens":10,"cache_creation_input_tokens":2,"cache_read_input_tokens":3,"output_tokens":7}}',
        'event: message_stop\ndata: {"type":"message_stop"}',
        '',
      ].join('\n\n'),
    )
  })

  it('numbers its blocks from 0 without gaps, also where a call comes first', () => {
    const message = encode(answer(call(0, 'f', '{"x":', '1}'), text('Then.'), call(1, 'g', '{}')))
    expect(message.content).toEqual([
      { type: 'tool_use', id: 'toolu_0', name: 'f', input: { x: 1 } },
      { type: 'text', text: 'Then.' },
      { type: 'tool_use', id: 'toolu_1', name: 'g', input: {} },
    ])
  })

  it('closes a thinking block with its signature', () => {
    const sse = streamed(answer(reasoning('h'), reasoning('m'), text('Yes')))
    expect(assembleAnthropic(sse).content).toEqual([
      { type: 'thinking', thinking: 'hm', signature: 'sig:reasoning:' },
      { type: 'text', text: 'Yes' },
    ])
    expect(sse.indexOf('signature_delta')).toBeLessThan(sse.indexOf('content_block_stop'))
    expect(sse).toContain('"content_block":{"type":"thinking","thinking":"","signature":""}')
  })

  it('puts a proof into the signature, and a second proof into a block of its own', () => {
    expect(encode(answer(reasoning('hm'), proof('p1'), proof('p2'), text('x'))).content).toEqual([
      { type: 'thinking', thinking: 'hm', signature: 'sig:reasoning:p1' },
      { type: 'thinking', thinking: '', signature: 'sig:reasoning:p2' },
      { type: 'text', text: 'x' },
    ])
  })

  it('keeps white space before everything else', () => {
    expect(encode(answer(text('\n'), text(' \n'), text(' Hello ')))).toMatchObject({
      content: [{ type: 'text', text: '\n \n Hello ' }],
    })
    expect(encode(answer(text('\n\n'), call(0, 'f', '{}'))).content).toHaveLength(1)
  })

  it('keeps white space before text that follows another block, and opens no block for white space alone', () => {
    expect(encode(answer(reasoning('hm'), text('\n'), text('\nYes'))).content[1]).toEqual({
      type: 'text',
      text: '\n\nYes',
    })
    expect(
      encode(answer(call(0, 'f', '{}'), text('\n'), call(1, 'g', '{}'), text(' '))).content,
    ).toHaveLength(2)
  })

  it('keeps white space inside a text as it comes', () => {
    expect(encode(answer(text('a'), text('\n\n'), text('b'))).content).toEqual([
      { type: 'text', text: 'a\n\nb' },
    ])
  })

  it('writes no empty delta, and one {} for a call without arguments', () => {
    const sse = streamed(answer(text('a'), text(''), reasoning(''), call(0, 'f', '')))
    expect(sse).toContain('"partial_json":"{}"')
    expect(assembleAnthropic(sse).content).toEqual([
      { type: 'text', text: 'a' },
      { type: 'tool_use', id: 'toolu_0', name: 'f', input: {} },
    ])
  })

  it('escapes what JSON has to escape', () => {
    const odd = '"\\\n\u2028\ud800\u0000é'
    expect(encode(answer(text(`x${odd}`))).content).toEqual([{ type: 'text', text: `x${odd}` }])
  })

  it('waits with its end until the end, for usage that trails the finish', () => {
    let sse = ''
    const encoder = createAnthropicStreamEncoder({ ...options, write: (piece) => (sse += piece) })
    encoder.start({ id: null, model: null })
    encoder.text('a')
    encoder.finish('length', null)
    expect(sse).not.toContain('message_delta')
    encoder.usage({ ...usage, outputTokens: 1 })
    encoder.usage(usage)
    encoder.end()
    expect(assembleAnthropic(sse)).toMatchObject({ stop_reason: 'max_tokens', usage: { output_tokens: 7 } })
    expect(sse.match(/event: message_delta/g)).toHaveLength(1)
  })

  it('estimates what nobody counted', () => {
    const message = encode((sink) => {
      sink.start({ id: null, model: null })
      sink.text('x'.repeat(40))
      sink.finish('stop', null)
      sink.end()
    })
    expect(message.usage).toMatchObject({ input_tokens: 42, output_tokens: 10 })
  })

  it.each([
    ['stop', 'end_turn', null],
    ['length', 'max_tokens', null],
    ['tool-calls', 'tool_use', null],
    ['content-filter', 'refusal', null],
    ['stop-sequence', 'stop_sequence', 'END'],
    ['pause', 'pause_turn', null],
  ] as const)('says %s as %s', (reason, word, sequence) => {
    const message = encode((sink) => {
      sink.start({ id: null, model: null })
      sink.text('a')
      sink.finish(reason, sequence)
      sink.end()
    })
    expect(message).toMatchObject({ stop_reason: word, stop_sequence: sequence })
  })

  it('ends the block of half a call before it says that the model was stopped', () => {
    const message = encode((sink) => {
      sink.start({ id: null, model: null })
      sink.callStart(0, 'toolu_0', 'f')
      sink.callDelta(0, '{"x":"a')
      sink.finish('length', null)
      sink.end()
    })
    expect(message).toMatchObject({ content: [], openBlocks: 0, stop_reason: 'max_tokens' })
    expect(message.halfCalls).toHaveLength(1)
    expect(message.events.slice(-3)).toEqual(['content_block_stop', 'message_delta', 'message_stop'])
  })

  it('ends at a failure with an error and nothing after it', () => {
    const message = encode((sink) => {
      sink.start({ id: null, model: null })
      sink.text('a')
      sink.fail({ kind: 'overloaded', code: 'x', message: 'busy' })
      sink.end()
    })
    expect(message.error).toEqual({ type: 'overloaded_error', message: 'busy' })
    expect(message.events.at(-1)).toBe('error')
    expect(message.stop_reason).toBeUndefined()
  })
})

describe('the whole message', () => {
  it('has every field that clients read', () => {
    expect(whole(answer(reasoning('hm'), text('Yes'), call(0, 'f', '{"x":', '1}')))).toMatchObject({
      is: 'whole',
      value: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'claude-x',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 'sig:reasoning:' },
          { type: 'text', text: 'Yes' },
          { type: 'tool_use', id: 'toolu_0', name: 'f', input: { x: 1 } },
        ],
        stop_reason: 'end_turn',
        stop_sequence: null,
        usage: {
          input_tokens: 10,
          cache_creation_input_tokens: 2,
          cache_read_input_tokens: 3,
          output_tokens: 7,
        },
      },
    })
  })

  it('says the same as text, with arguments as the model wrote them', () => {
    const input = '{"id": 1234567890123456789, "share": 1.0}'
    const result = whole(answer(reasoning('hm'), text('Ye\ns'), call(0, 'f', input), call(1, 'g')))
    if (result.is !== 'whole') throw new Error(result.is)
    expect(result.json).toContain(`"name":"f","input":${input}}`)
    expect(JSON.parse(result.json)).toEqual(result.value)
  })

  it('leaves half a call out', () => {
    const result = whole((sink) => {
      sink.start({ id: null, model: null })
      sink.text('a')
      sink.callStart(0, 'toolu_0', 'f')
      sink.callDelta(0, '{"x')
      sink.finish('length', null)
      sink.end()
    })
    expect(result).toMatchObject({
      value: { content: [{ type: 'text', text: 'a' }], stop_reason: 'max_tokens' },
    })
  })

  it('is open before the end, and failed after a failure', () => {
    const assembler = assembleAnthropicMessage(options)
    assembler.start({ id: null, model: null })
    expect(assembler.result).toEqual({ is: 'open' })
    assembler.fail({ kind: 'upstream', code: 'c', message: 'm' })
    assembler.end()
    expect(assembler.result).toEqual({ is: 'failed', failure: { kind: 'upstream', code: 'c', message: 'm' } })
  })
})
