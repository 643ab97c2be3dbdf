import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  blockDelta,
  blockStart,
  blockStop,
  messageEnd,
  messageStart,
  textBlock,
  toolBlock,
} from './upstream.ts'
import { assembleAnthropic } from './assemble.ts'
import { countingMint, kimiCall } from '../openai-chat/upstream.ts'
import { type RewriterOptions } from '../../../src/translate-parts.ts'
import { rewriteAnthropicMessage, rewriteAnthropicStream } from '../../answer/stages.ts'

function run(sse: string, more: Partial<RewriterOptions> = {}) {
  const told: string[] = []
  const rewriter = rewriteAnthropicStream({
    parser: { format: 'kimi' },
    mint: countingMint(),
    onRecord: ({ code }) => told.push(code),
    ...more,
  })
  const text = [...rewriter.push(sse), ...rewriter.end()].join('')
  return { text, told, failure: rewriter.failure, message: assembleAnthropic(text) }
}

function bash(...pieces: string[]): string {
  return toolBlock(0, 'toolu_1', 'Bash', ...pieces)
}

/** What the client reads as the input of the only call. */
function inputOf(...pieces: string[]) {
  const { message, told } = run(messageStart + bash(...pieces) + messageEnd('tool_use'))
  return { input: message.content[0]?.['input'], told }
}

describe('a structured call whose input is cut', () => {
  it.each(['tool_use', 'end_turn', 'pause_turn', 'refusal'])('is an error before %s', (stop) => {
    const { failure, message } = run(messageStart + bash('{"comm') + messageEnd(stop))
    expect(failure).toMatchObject({ kind: 'upstream', code: 'incomplete_tool_call' })
    expect(message).toMatchObject({ content: [], openBlocks: 1, stop_reason: undefined })
    expect(message.error).toEqual({
      type: 'api_error',
      message: 'The call of Bash is incomplete. (incomplete_tool_call)',
    })
  })

  it('is no call, and its block is closed, before max_tokens', () => {
    const { failure, message } = run(messageStart + bash('{"comm') + messageEnd('max_tokens'))
    expect(failure).toBeNull()
    expect(message).toMatchObject({ content: [], openBlocks: 0, halfCalls: [{}], stop_reason: 'max_tokens' })
  })

  it('is an error before max_tokens where something follows it', () => {
    for (const next of [textBlock(1, 'Hi.'), toolBlock(1, 'toolu_2', 'Bash', '{}')]) {
      const { failure, message } = run(messageStart + bash('{"comm') + next + messageEnd('max_tokens'))
      expect(failure?.code).toBe('incomplete_tool_call')
      expect(message.events).not.toContain('message_stop')
    }
  })

  it('is an error as well behind a call in the text', () => {
    const half = toolBlock(1, 'toolu_1', 'Bash', '{"comm')
    const { failure } = run(messageStart + textBlock(0, kimiCall) + half + messageEnd('tool_use'))
    expect(failure?.code).toBe('incomplete_tool_call')
  })

  it('is an error where it is no JSON at all', () => {
    expect(run(messageStart + bash('oops') + messageEnd('tool_use')).failure?.code).toBe(
      'invalid_tool_arguments',
    )
  })

  it('is an error where a whole message has it as text', () => {
    const block = { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: '{"comm' }
    const options = { parser: {}, mint: countingMint() }
    const cut = { content: [block], stop_reason: 'tool_use' }
    expect(rewriteAnthropicMessage(cut, options).failure?.code).toBe('incomplete_tool_call')
    expect(rewriteAnthropicMessage({ ...cut, stop_reason: 'max_tokens' }, options)).toMatchObject({
      failure: null,
      body: { content: [], stop_reason: 'max_tokens' },
    })
  })

  it('holds no more than it may', () => {
    const limits = { toolCallBytes: 100 }
    const long = `"${'x'.repeat(200)}`
    const { failure } = run(messageStart + bash(long), { parser: { format: 'kimi', limits } })
    expect(failure?.code).toBe('tool_call_too_large')
  })
})

describe('the input of a structured call', () => {
  it.each([
    ['cut behind commas and backslashes', ['{"a":1,', '"b":[1,', '2],', '"c":"\\', '\\d"', '}']],
    ['with white space around it', [' \n', ' {"a":', ' 1}', '\n', ' ']],
    ['with white space behind it in one piece', ['{"a":1}\n']],
    ['that is an array', ['[1', ',2]']],
    ['without members', ['{', '}', '\n']],
    ['without members, in one piece', ['{}', '\n']],
    ['of nothing', []],
  ])('%s passes byte for byte', (_, pieces) => {
    const sse = messageStart + bash(...pieces) + messageEnd('tool_use')
    expect(run(sse).text).toBe(sse)
  })

  it('passes byte for byte with the empty delta that comes first', () => {
    const empty = blockDelta(0, { type: 'input_json_delta', partial_json: '' })
    const start = blockStart(0, { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} })
    const sse = messageStart + start + empty + blockStop(0) + messageEnd('tool_use')
    const rewriter = rewriteAnthropicStream({ parser: {}, mint: countingMint() })
    expect(rewriter.push(sse).join('')).toBe(sse)
  })

  it('passes byte for byte however it is cut', () => {
    const cutting = fc.tuple(fc.jsonValue(), fc.array(fc.nat(60)))
    fc.assert(
      fc.property(cutting, ([value, sizes]) => {
        const json = JSON.stringify({ value })
        const pieces: string[] = []
        let at = 0
        for (const size of sizes) pieces.push(json.slice(at, (at += size)))
        const sse = messageStart + bash(...pieces, json.slice(at)) + messageEnd('tool_use')
        expect(run(sse).text).toBe(sse)
      }),
    )
  })

  it('is put right where a safe repair can, and that is told', () => {
    expect(inputOf('{"a":1,', '}')).toEqual({ input: { a: 1 }, told: ['trailing-comma'] })
    expect(inputOf(JSON.stringify('{"a":1}'))).toEqual({ input: { a: 1 }, told: ['unwrapped-arguments'] })
    expect(inputOf('null')).toEqual({ input: {}, told: ['empty-arguments'] })
  })

  it('is read once where it is repeated, or comes in ever longer pieces', () => {
    expect(inputOf('{"a":', '1}', '{"a":1}').input).toEqual({ a: 1 })
    expect(inputOf('{}', '{"a":1}').input).toEqual({ a: 1 })
    expect(inputOf('{"a":"x', '{"a":"xy', '{"a":"xyz"}').input).toEqual({ a: 'xyz' })
  })

  it('ends where its object ends; what stands behind it is text of its own', () => {
    const two = toolBlock(0, 'toolu_1', 'f', '{"a":1}{"a":2}')
    const next = toolBlock(1, 'toolu_2', 'f', '{}', '{"a":3}', '}')
    const { message, told } = run(messageStart + two + next + messageEnd('tool_use'))
    expect(message.content).toMatchObject([
      { input: { a: 1 } },
      { type: 'text', text: '{"a":2}' },
      { input: { a: 3 } },
    ])
    expect(told).toEqual(['stray-text', 'surplus-closer'])
    const last = run(messageStart + two + messageEnd('tool_use')).message
    expect(last).toMatchObject({ content: [{ input: { a: 1 } }, { text: '{"a":2}' }], openBlocks: 0 })
  })

  it('is read where the start has it as text', () => {
    const start = blockStart(0, { type: 'tool_use', id: 'toolu_1', name: 'f', input: '{"a":1}' })
    const { message } = run(messageStart + start + blockStop(0) + messageEnd('tool_use'))
    expect(message.content).toEqual([{ type: 'tool_use', id: 'toolu_1', name: 'f', input: { a: 1 } }])
  })

  it('is that of the call where all blocks have one number', () => {
    const { message } = run(messageStart + textBlock(0, 'Hi.') + bash('{"a":1}') + messageEnd('tool_use'))
    expect(message.content).toMatchObject([{ text: 'Hi.' }, { input: { a: 1 } }])
  })

  it('gets the end of its block where the upstream left it out', () => {
    const open = bash('{"a":1}').replace(blockStop(0), '')
    const { message, told } = run(messageStart + open + messageEnd('tool_use'))
    expect(message.content).toMatchObject([{ input: { a: 1 } }])
    expect(told).toEqual(['filled-field'])
    const bare = bash().replace(blockStop(0), '')
    expect(run(messageStart + bare + messageEnd('max_tokens')).message).toMatchObject({
      content: [],
      openBlocks: 0,
    })
  })
})

describe('a call without input that the upstream has ended', () => {
  it('is a call, unless the model was stopped there', () => {
    const called = run(messageStart + bash() + messageEnd('tool_use')).message
    expect(called.content).toMatchObject([{ name: 'Bash', input: {} }])
    const stopped = run(messageStart + bash() + messageEnd('max_tokens')).message
    expect(stopped).toMatchObject({ content: [], openBlocks: 0 })
  })

  it('is a call where something follows it', () => {
    const { message } = run(messageStart + bash() + textBlock(1, 'Done.') + messageEnd('max_tokens'))
    expect(message.content).toMatchObject([{ name: 'Bash', input: {} }, { text: 'Done.' }])
  })
})

describe('the input of a call in a whole message', () => {
  it('that is the text of its JSON becomes what the text says', () => {
    const { body, told } = whole('{"command":"ls"}')
    expect(body).toMatchObject({ content: [{ name: 'Bash', input: { command: 'ls' } }] })
    expect(told).toEqual(['unwrapped-arguments'])
  })

  it('that is missing becomes an object without members', () => {
    const { body, told } = whole(undefined)
    expect(body).toMatchObject({ content: [{ name: 'Bash', input: {} }] })
    expect(told).toEqual(['empty-arguments'])
  })

  it('that was cut where the model was stopped is no call', () => {
    expect(whole('{"command":"l', 'max_tokens').body).toMatchObject({
      content: [],
      stop_reason: 'max_tokens',
    })
  })
})

function whole(input: unknown, stop_reason = 'tool_use') {
  const told: string[] = []
  const block = { type: 'tool_use', id: 'toolu_1', name: 'Bash', input }
  const usage = { input_tokens: 1, output_tokens: 1 }
  const { body } = rewriteAnthropicMessage(
    { content: [block], stop_reason, stop_sequence: null, usage },
    { parser: {}, mint: countingMint(), onRecord: ({ code }) => told.push(code) },
  )
  return { body, told }
}
