import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/json/objects.ts'
import { createSseDecoder } from '../../../src/sse/decoder.ts'
import { calls, chunk, done, event } from './upstream.ts'
import { streamOfCompletion } from '../../../src/dialects/openai-chat/answer/whole.ts'
import { CompletionCollector } from '../../answer/stages.ts'

function collect(...texts: readonly string[]): JsonObject | null {
  const collector = new CompletionCollector()
  for (const text of texts) collector.push(text)
  return collector.end()
}

function streamed(completion: JsonObject, includeUsage = true): unknown[] {
  const decoder = createSseDecoder()
  const items = [...decoder.push(streamOfCompletion(completion, { includeUsage })), ...decoder.end()]
  return items.map((item) => {
    if (item.kind !== 'event') throw new Error(`an item that is no event: ${item.kind}`)
    return item.data === '[DONE]' ? item.data : JSON.parse(item.data)
  })
}

function second(delta: object, finish_reason: string | null = null): string {
  return event({ choices: [{ index: 1, delta, finish_reason }] })
}

function piece(delta: object, token: string): string {
  return event({ choices: [{ index: 0, delta, logprobs: { content: [{ token }], refusal: null } }] })
}

const call = { id: 'call_1', type: 'function', function: { name: 'get_time', arguments: '{"zone":"UTC"}' } }
const usage = { prompt_tokens: 3, completion_tokens: 2, cost: 0.5 }
const envelope = { id: 'gen-1', created: 7, model: 'lab/m', provider: 'P', system_fingerprint: null }

const completion = {
  ...envelope,
  object: 'chat.completion',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: 'Hi',
        reasoning: 'hm',
        refusal: null,
        odd: 1,
        tool_calls: [call],
      },
      logprobs: { content: [{ token: 'Hi' }] },
      finish_reason: 'tool_calls',
      native_finish_reason: 'end',
    },
    { index: 1, message: { role: 'assistant', content: 'Ho' }, finish_reason: 'stop' },
  ],
  usage,
}

describe('the stream of a whole completion', () => {
  it('has the role first, then reasoning, content and calls, then the end, for each choice', () => {
    const top = { ...envelope, object: 'chat.completion.chunk' }
    const choice = (index: number, delta: object, more: object = {}): object => ({
      ...top,
      choices: [{ index, delta, finish_reason: null, ...more }],
    })
    expect(streamed(completion)).toEqual([
      choice(0, { role: 'assistant', refusal: null, odd: 1 }),
      choice(0, { reasoning: 'hm' }),
      choice(0, { content: 'Hi' }, { logprobs: { content: [{ token: 'Hi' }] } }),
      choice(0, { tool_calls: [{ ...call, index: 0 }] }),
      choice(0, {}, { finish_reason: 'tool_calls', native_finish_reason: 'end' }),
      choice(1, { role: 'assistant' }),
      choice(1, { content: 'Ho' }),
      choice(1, {}, { finish_reason: 'stop' }),
      { ...top, choices: [], usage },
      '[DONE]',
    ])
  })

  it('has no usage for a client that did not ask for it', () => {
    expect(streamOfCompletion(completion, { includeUsage: false })).not.toContain('usage')
  })

  it('tells token probabilities with the end where there is no content', () => {
    const choice = { index: 0, message: { role: 'assistant', content: null }, logprobs: { content: [] } }
    const told = streamed({ choices: [{ ...choice, finish_reason: 'stop' }] })
    expect(told.slice(0, -1)).toMatchObject([
      { choices: [{ delta: { role: 'assistant', content: null } }] },
      { choices: [{ delta: {}, logprobs: { content: [] }, finish_reason: 'stop' }] },
    ])
  })
})

describe('a stream collected', () => {
  it('joins texts, arguments and lists, each in its own choice', () => {
    const collected = collect(
      chunk({ role: 'assistant', content: '' }),
      second({ role: 'assistant', content: 'other' }),
      chunk({ reasoning_content: 'think' }),
      chunk({ reasoning_content: 'ing', reasoning_details: [{ text: 'a' }] }),
      chunk({ reasoning_details: [{ text: 'b' }], annotations: [{ url: 'u' }] }),
      calls({ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '{"x"' } }),
      calls({ index: 1, id: 'b', type: 'function', function: { name: 'g', arguments: '' } }),
      calls(
        { index: 0, function: { arguments: ':1}' } },
        { index: 1, function: { arguments: '{}' }, extra: { s: 1 } },
      ),
      second({ content: ' one' }, 'stop'),
      chunk({}, 'tool_calls'),
      event({ id: 'chatcmpl-1', choices: [], usage }),
      done,
    )
    expect(collected).toEqual({
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1,
      model: 'some-model',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: null,
            reasoning_content: 'thinking',
            reasoning_details: [{ text: 'a' }, { text: 'b' }],
            annotations: [{ url: 'u' }],
            tool_calls: [
              { id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } },
              { id: 'b', type: 'function', function: { name: 'g', arguments: '{}' }, extra: { s: 1 } },
            ],
          },
          finish_reason: 'tool_calls',
        },
        { index: 1, message: { role: 'assistant', content: 'other one' }, finish_reason: 'stop' },
      ],
      usage,
    })
  })

  it('joins token probabilities, the old function call and the pieces of a sound', () => {
    const collected = collect(
      piece({ function_call: { name: 'f', arguments: '{' }, audio: { id: 's', data: 'QUJD' } }, 'a'),
      piece({ function_call: { arguments: '}' }, audio: { data: 'REVG' } }, 'b'),
    )
    expect(collected).toMatchObject({
      choices: [
        {
          message: {
            function_call: { name: 'f', arguments: '{}' },
            audio: { id: 's', data: 'QUJDREVG' },
          },
          logprobs: { content: [{ token: 'a' }, { token: 'b' }], refusal: null },
        },
      ],
    })
  })

  it('keeps what was said where later chunks have null or nothing in its place', () => {
    const collected = collect(
      event({ system_fingerprint: 'fp', choices: [{ index: 0, delta: { content: 'a' }, native: 'x' }] }),
      event({
        system_fingerprint: null,
        choices: [{ index: 0, delta: { content: null, role: '' }, native: null }],
      }),
    )
    expect(collected).toMatchObject({
      system_fingerprint: 'fp',
      choices: [{ message: { content: 'a' }, native: 'x' }],
    })
  })

  it('takes content that comes partly as parts for parts', () => {
    const thought = { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }
    const collected = collect(
      chunk({ content: '' }),
      chunk({ content: [thought] }),
      chunk({ content: 'a' }),
      chunk({ content: 'b' }),
    )
    expect(collected).toMatchObject({
      choices: [{ message: { content: [thought, { type: 'text', text: 'ab' }] } }],
    })
  })

  it('is nothing where no choice came', () => {
    expect(collect(': hello\n\n', event({ id: 'x', choices: [] }), done)).toBeNull()
  })
})

describe('a completion, streamed and collected', () => {
  const name = fc.stringMatching(/^x_[a-z]{1,6}$/)
  const vendor = fc.dictionary(name, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
  const text = fc.string({ minLength: 1, unit: 'binary' })
  const list = fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 3 })
  const withVendor = (own: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> =>
    fc.tuple(vendor, own).map((parts) => Object.assign({}, ...parts))
  const anyCall = withVendor(
    fc.record({
      id: fc.uuid(),
      type: fc.constant('function'),
      function: fc.record({ name: text, arguments: text }),
    }),
  )
  const message = withVendor(
    fc.record(
      {
        role: fc.constant('assistant'),
        content: fc.option(text),
        refusal: fc.option(text),
        reasoning_content: fc.option(text),
        reasoning: text,
        reasoning_text: text,
        reasoning_details: list,
        annotations: list,
        images: list,
        tool_calls: fc.option(fc.array(anyCall, { maxLength: 3 })),
      },
      { requiredKeys: ['role', 'content'] },
    ),
  )
  const choice = withVendor(
    fc.record(
      {
        message,
        finish_reason: fc.constantFrom('stop', 'tool_calls', 'length'),
        logprobs: fc.option(fc.record({ content: fc.option(list), refusal: fc.option(list) })),
      },
      { requiredKeys: ['message', 'finish_reason'] },
    ),
  )
  const anyCompletion = withVendor(
    fc.record({
      id: text,
      object: fc.constant('chat.completion'),
      created: fc.nat(),
      system_fingerprint: fc.option(text),
      choices: fc
        .array(choice, { minLength: 1, maxLength: 3 })
        .map((choices) => choices.map((each, index) => Object.assign({ index }, each))),
      usage: fc.constant(usage),
    }),
  )

  it('is itself again, wherever the text is cut', () => {
    fc.assert(
      fc.property(anyCompletion, fc.nat(), (whole, at) => {
        const sse = streamOfCompletion(whole, { includeUsage: true })
        const cut = at % sse.length
        const expected: unknown = JSON.parse(JSON.stringify(whole))
        expect(collect(sse.slice(0, cut), sse.slice(cut))).toEqual(expected)
      }),
    )
  })

  it('keeps a field that is called __proto__', () => {
    const odd: JsonObject = JSON.parse(
      '{"__proto__":{"a":1},"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"x","__proto__":{"b":2}},"finish_reason":"stop","constructor":3}]}',
    )
    const again = collect(streamOfCompletion(odd, { includeUsage: true }))
    expect(Object.entries(again ?? {})).toContainEqual(['__proto__', { a: 1 }])
    expect(JSON.stringify(again)).toContain('"__proto__":{"b":2}')
    expect(JSON.stringify(again)).toContain('"constructor":3')
  })
})
