import { describe, expect, it } from 'vitest'
import type { FinishReason, Usage } from '../../../src/answer/answer.ts'
import {
  ant,
  blockDelta,
  blockStop,
  messageEnd,
  messageStart,
  messageStop,
  textBlock,
  toolBlock,
} from './upstream.ts'
import { assembleAnthropic } from './assemble.ts'
import { countingMint } from '../openai-chat/upstream.ts'
import { rewriteAnthropicMessage, rewriteAnthropicStream } from '../../answer/stages.ts'

function reporting() {
  const told: string[] = []
  const reasons: FinishReason[] = []
  const counted: Usage[] = []
  const options = {
    parser: { format: 'kimi' },
    mint: countingMint(),
    onRecord: ({ code }: { readonly code: string }) => told.push(code),
    onFinish: (reason: FinishReason) => reasons.push(reason),
    onUsage: (usage: Usage) => counted.push(usage),
  } as const
  return { told, reasons, counted, options }
}

function run(...pieces: string[]) {
  const { options, ...reports } = reporting()
  const rewriter = rewriteAnthropicStream(options)
  const text = [...pieces.flatMap((piece) => rewriter.push(piece)), ...rewriter.end()].join('')
  return { ...reports, text, message: assembleAnthropic(text) }
}

const startOfNothing = ant('message_start', { message: { id: 'm', model: 'x', content: [] } })
const bash = toolBlock(0, 'toolu_1', 'Bash', '{}')

function end(delta: object, fields: object = {}): string {
  return ant('message_delta', { delta, ...fields })
}

describe('usage that the upstream left out', () => {
  it('is filled in at the start and the end, and told once', () => {
    const { message, told } = run(
      startOfNothing,
      textBlock(0, 'a'),
      end({ stop_reason: 'end_turn' }),
      messageStop,
    )
    expect(message.startUsage).toEqual({ input_tokens: 0, output_tokens: 0 })
    expect(message.usage).toEqual({ output_tokens: 0 })
    expect(told).toEqual(['filled-field'])
  })

  it('is what was counted last where only the end has none', () => {
    const { message, told } = run(
      messageStart,
      end({ stop_reason: 'end_turn' }, { usage: null }),
      messageStop,
    )
    expect(message.usage).toEqual({ output_tokens: 1 })
    expect(told).toEqual(['filled-field'])
  })

  it('is filled in in a whole message, beside what is there', () => {
    const { told, options } = reporting()
    const body = {
      id: 'm',
      content: [{ type: 'text', text: 'a' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
    }
    const none = { input_tokens: 0, output_tokens: 0 }
    expect(rewriteAnthropicMessage(body, options).body).toEqual({ ...body, usage: none })
    const half = { ...body, usage: { output_tokens: 3, odd: 1 } }
    expect(rewriteAnthropicMessage(half, options).body).toEqual({
      ...body,
      usage: { input_tokens: 0, output_tokens: 3, odd: 1 },
    })
    expect(told).toEqual(['filled-field', 'filled-field'])
  })
})

describe('the stop reason', () => {
  it.each([
    ['end_turn', 'tool_use', 'tool-calls'],
    ['stop_sequence', 'tool_use', 'tool-calls'],
    ['max_tokens', 'max_tokens', 'length'],
    ['refusal', 'refusal', 'content-filter'],
    ['pause_turn', 'pause_turn', 'pause'],
  ])('beside a structured call is %s of the upstream and %s of ours', (came, sent, reason) => {
    const { message, reasons } = run(messageStart, bash, messageEnd(came))
    expect(message.stop_reason).toBe(sent)
    expect(reasons).toEqual([reason])
    const content = [{ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'ls' } }]
    const usage = { input_tokens: 1, output_tokens: 1 }
    const whole = rewriteAnthropicMessage(
      { content, stop_reason: came, stop_sequence: null, usage },
      reporting().options,
    )
    expect(whole.body).toEqual({ content, stop_reason: sent, stop_sequence: null, usage })
  })

  it('of a whole message is filled in where it is missing', () => {
    const usage = { input_tokens: 1, output_tokens: 1 }
    const call = { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: {} }
    for (const [content, stop_reason] of [
      [[], 'end_turn'],
      [[call], 'tool_use'],
    ] as const) {
      const { told, options } = reporting()
      const { body } = rewriteAnthropicMessage(
        { content, stop_reason: null, stop_sequence: null, usage },
        options,
      )
      expect(body).toEqual({ content, stop_reason, stop_sequence: null, usage })
      expect(told).toEqual(['filled-field'])
    }
  })
})

describe('the end of a message', () => {
  it.each([
    ['end_turn', textBlock(0, 'a')],
    ['tool_use', bash],
  ])('without a stop reason is %s, once, behind the last block, with the usage that came', (word, block) => {
    const { message, told, counted } = run(messageStart, block, messageEnd(null))
    expect(message).toMatchObject({ stop_reason: word, stop_sequence: null, usage: { output_tokens: 12 } })
    expect(message.events.slice(-3)).toEqual(['content_block_stop', 'message_delta', 'message_stop'])
    expect(told).toEqual(['filled-field'])
    expect(counted.at(-1)).toMatchObject({ outputTokens: 12 })
  })

  it('that comes in parts is one event, with what each part says', () => {
    const { message, text, told } = run(
      messageStart,
      textBlock(0, 'a'),
      end({ stop_reason: null, container: { id: 'c' } }, { usage: { input_tokens: 7, output_tokens: 4 } }),
      end({ stop_reason: 'end_turn', container: null }, { usage: { output_tokens: 9 }, odd: 1 }),
      end({}, { usage: { input_tokens: null, cache_read_input_tokens: 3 } }),
      messageStop,
    )
    expect(message.stop_reason).toBe('end_turn')
    expect(message.usage).toEqual({ input_tokens: 7, output_tokens: 9, cache_read_input_tokens: 3 })
    expect(text.match(/event: message_delta/g)).toHaveLength(1)
    expect(text).toContain('"container":{"id":"c"}')
    expect(text).toContain('"odd":1')
    expect(told).toEqual([])
  })

  it('told in the middle of a block waits for the rest of the message', () => {
    const block = textBlock(0, 'a')
    const begun = block.replace(blockStop(0), '')
    const { message } = run(
      messageStart,
      begun,
      end({ stop_reason: 'end_turn' }, { usage: { output_tokens: 2 } }),
      blockDelta(0, { type: 'text_delta', text: 'b' }) + blockStop(0) + bash,
      messageStop,
    )
    expect(message).toMatchObject({
      content: [{ text: 'ab' }, { name: 'Bash' }],
      stop_reason: 'tool_use',
      usage: { output_tokens: 2 },
    })
  })

  it('is not told where an error follows it', () => {
    const error = ant('error', { error: { type: 'overloaded_error', message: 'x' } })
    const { message } = run(messageStart, messageEnd('end_turn').replace(messageStop, ''), error)
    expect(message).toMatchObject({ stop_reason: undefined, error: { type: 'overloaded_error' } })
  })
})

describe('a delta without the start of its block', () => {
  it('gets one, and that is told once', () => {
    const { message, told } = run(
      messageStart,
      blockDelta(0, { type: 'thinking_delta', thinking: 'hm' }),
      blockDelta(0, { type: 'signature_delta', signature: 's' }),
      blockDelta(1, { type: 'text_delta', text: 'a' }),
      blockDelta(1, { type: 'text_delta', text: 'b' }),
      blockStop(1),
      messageEnd('end_turn'),
    )
    expect(message.content).toEqual([
      { type: 'thinking', thinking: 'hm', signature: 's' },
      { type: 'text', text: 'ab' },
    ])
    expect(told).toEqual(['filled-field'])
  })

  it('and a number gets both', () => {
    const delta = ant('content_block_delta', { delta: { type: 'text_delta', text: 'a' } })
    expect(run(messageStart, delta, delta, messageEnd('end_turn')).message.content).toEqual([
      { type: 'text', text: 'aa' },
    ])
  })
})
