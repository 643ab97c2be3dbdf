import { describe, expect, it } from 'vitest'
import { isRecord } from '../../support/is-record.ts'
import { kimiCall, kimiCutCall } from './upstream.ts'
import { type RewriterOptions } from '../../../src/translate-parts.ts'
import { rewriteChatCompletion } from '../../answer/stages.ts'

function rewrite(
  body: unknown,
  more: Partial<RewriterOptions> = {},
): ReturnType<typeof rewriteChatCompletion> {
  let ids = 0
  return rewriteChatCompletion(body, { parser: { format: 'kimi' }, newId: () => `n${ids++}`, ...more })
}

function completion(message: object, finish_reason: string | null = 'stop'): Record<string, unknown> {
  return {
    id: 'x',
    object: 'chat.completion',
    provider: 'P',
    choices: [
      { index: 0, message: { role: 'assistant', ...message }, logprobs: null, finish_reason, odd: 1 },
    ],
    usage: { total_tokens: 3 },
  }
}

function choiceOf(body: unknown): Record<string, unknown> {
  const choices: unknown = isRecord(body) ? body['choices'] : undefined
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined
  if (!isRecord(choice)) throw new Error('no choice')
  return choice
}

const getTime = {
  id: 'call_kimi_n0',
  type: 'function',
  function: { name: 'get_time', arguments: '{"zone":"UTC"}' },
}

describe('a completion that says in `delta` what belongs in `message`', () => {
  it('has it there, and its calls are read', () => {
    const repairs: string[] = []
    const choices = [{ index: 0, delta: { role: 'assistant', content: kimiCall }, finish_reason: 'stop' }]
    const { body } = rewrite({ id: 'x', choices }, { onRecord: (event) => repairs.push(event.code) })
    expect(choiceOf(body)).toEqual({
      index: 0,
      message: { role: 'assistant', content: null, tool_calls: [getTime] },
      finish_reason: 'tool_calls',
    })
    expect(repairs).toEqual(['filled-field'])
  })

  it('has it there where nothing else has to change', () => {
    const choice = { index: 0, finish_reason: 'stop' }
    const said = { role: 'assistant', content: 'Hello' }
    const { body } = rewrite({ id: 'x', choices: [{ ...choice, delta: said }] })
    expect(choiceOf(body)).toEqual({ ...choice, message: said })
  })
})

describe('a completion in which nothing has to change', () => {
  it.each([
    ['text', completion({ content: 'Hello a < b' })],
    [
      'structured calls',
      completion(
        {
          content: null,
          tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        'tool_calls',
      ),
    ],
    [
      'calls with an index',
      completion(
        {
          content: '',
          tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        'tool_calls',
      ),
    ],
    ['reasoning twice', completion({ content: 'a', reasoning: 'hm', reasoning_content: 'hm' })],
    ['no choices', { object: 'list' }],
    ['no object', 'text'],
  ])('of %s is the very value that came', (_, body) => {
    const rewritten = rewrite(body)
    expect(rewritten.body).toBe(body)
    expect(rewritten.failure).toBeNull()
  })
})

describe('a completion with calls in its text', () => {
  it('gets them structured, and every other field stays', () => {
    const body = completion({ content: `Sure.${kimiCall}`, odd: 2 })
    expect(rewrite(body).body).toEqual({
      ...body,
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Sure.', odd: 2, tool_calls: [getTime] },
          logprobs: null,
          finish_reason: 'tool_calls',
          odd: 1,
        },
      ],
    })
  })

  it('has null content where nothing else is left', () => {
    expect(choiceOf(rewrite(completion({ content: kimiCall })).body)['message']).toMatchObject({
      content: null,
    })
  })

  it('is read in its reasoning, under whatever name', () => {
    const { message } = choiceOf(rewrite(completion({ content: '', reasoning: `Hm.${kimiCall}` })).body)
    expect(message).toEqual({ role: 'assistant', content: null, reasoning: 'Hm.', tool_calls: [getTime] })
  })

  it('reads every choice with a parser of its own', () => {
    const choices = [0, 1].map((index) => ({ index, message: { content: kimiCall }, finish_reason: 'stop' }))
    const text = JSON.stringify(rewrite({ choices }).body)
    expect(text).toContain('call_kimi_n0')
    expect(text).toContain('call_kimi_n1')
  })

  it('makes a call once that came both ways', () => {
    const tool_calls = [
      { id: 'a', type: 'function', function: { name: 'get_time', arguments: '{"zone": "UTC"}' } },
    ]
    const { message } = choiceOf(rewrite(completion({ content: kimiCall, tool_calls }, 'tool_calls')).body)
    expect(message).toMatchObject({ tool_calls: [getTime] })
  })

  it('is a failure with half a call, but not where the length cut it', () => {
    expect(rewrite(completion({ content: kimiCutCall })).failure).toMatchObject({
      code: 'incomplete_tool_call',
    })
    const cut = rewrite(completion({ content: kimiCutCall }, 'length'))
    expect(cut.failure).toBeNull()
    expect(choiceOf(cut.body)).toMatchObject({
      finish_reason: 'length',
      message: { tool_calls: [{ function: { arguments: '{"zone":"U' } }] },
    })
  })
})

describe('a completion that clients cannot read', () => {
  it('gets ids, types and arguments that are text', () => {
    const tool_calls = [
      { function: { name: 'f', arguments: { x: 1 } } },
      { id: 'b', type: 'function', function: { name: 'g' } },
    ]
    const { message } = choiceOf(rewrite(completion({ content: null, tool_calls }, 'tool_calls')).body)
    expect(message).toMatchObject({
      tool_calls: [
        { id: 'call_std_n0', type: 'function', function: { name: 'f', arguments: '{"x":1}' } },
        { id: 'b', type: 'function', function: { name: 'g', arguments: '{}' } },
      ],
    })
    expect(JSON.stringify(message)).not.toContain('index')
  })

  it('has what was put right in its calls recorded, but no index, which it does not need', () => {
    const repairs: string[] = []
    const onRecord = ({ code }: { code: string }) => repairs.push(code)
    rewrite(completion({ tool_calls: [getTime, { ...getTime, id: 'other' }] }, 'tool_calls'), { onRecord })
    expect(repairs).toEqual([])
    rewrite(completion({ tool_calls: [{ ...getTime, id: '' }] }, 'tool_calls'), { onRecord })
    expect(repairs).toEqual(['filled-field'])
  })

  it('gets its function_call as a tool call', () => {
    const body = completion({ content: null, function_call: { name: 'f', arguments: '{}' } }, 'function_call')
    const choice = choiceOf(rewrite(body).body)
    expect(JSON.parse(JSON.stringify(choice))).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        tool_calls: [{ id: 'call_std_n0', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
    })
    expect(JSON.stringify(choice)).not.toContain('"function_call":')
  })

  it.each([
    ['text', { content: 'a' }, 'stop'],
    ['calls', { content: kimiCall }, 'tool_calls'],
  ])('gets the finish reason that is missing after %s', (_, message, expected) => {
    expect(choiceOf(rewrite(completion(message, null)).body)['finish_reason']).toBe(expected)
  })

  it('is taken out of its envelope', () => {
    const inner = completion({ content: 'a' })
    expect(rewrite({ success: true, data: inner }).body).toEqual(inner)
  })

  it('is a failure where it is an error', () => {
    expect(rewrite({ error: { message: 'x', code: 'c' } }).failure).toMatchObject({
      kind: 'upstream',
      code: 'c',
    })
  })
})
