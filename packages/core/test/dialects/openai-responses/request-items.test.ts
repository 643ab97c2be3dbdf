import { describe, expect, it } from 'vitest'
import { notedFields, valueAt } from '../../request/translation.ts'
import { decoded, toAnthropic, toChat, toOpenAi, toPlain, toResponses } from './requests.ts'

const call = (id: string, name = 'run', more: object = {}): object => ({
  type: 'function_call',
  id: `fc_${id}`,
  call_id: id,
  name,
  arguments: '{"a":1}',
  ...more,
})
const output = (id: string, text: unknown = `result of ${id}`): object => ({
  type: 'function_call_output',
  call_id: id,
  output: text,
})
const user = (text: string): object => ({
  type: 'message',
  role: 'user',
  content: [{ type: 'input_text', text }],
})

describe('the input', () => {
  it('is a text, items, messages without a type, a content that is a text, or parts', () => {
    const said = [
      'hi',
      [{ role: 'user', content: 'hi' }],
      [{ type: 'message', role: 'user', content: 'hi' }],
      [{ role: 'user', content: [{ type: 'input_text', text: 'hi' }] }],
    ].map((input) => toChat({ input }).items)
    for (const messages of said) {
      expect(messages.map(({ role }) => role)).toEqual(['user'])
      expect(JSON.stringify(messages)).toContain('"hi"')
    }
  })

  it('of two parts stays one message, and goes on as it came in its own dialect', () => {
    const message = {
      type: 'message',
      role: 'user',
      content: [
        { type: 'input_text', text: 'a', x: 1 },
        { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'low' },
      ],
    }
    expect(toResponses({ input: [message] }).items).toEqual([message])
    expect(toChat({ input: [message] }).items).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        ],
      },
    ])
  })

  it('without anything in it is refused, unless there are instructions', () => {
    expect(() => decoded({ input: [] })).toThrow('no item has any content')
    expect(decoded({ input: [], instructions: 'x' }).request.system).toMatchObject([{ text: 'x' }])
  })
})

describe('instructions', () => {
  const input = [
    { role: 'developer', content: 'second' },
    { type: 'message', role: 'system', content: [{ type: 'input_text', text: 'third' }] },
    user('hi'),
    { type: 'message', role: 'developer', content: 'late' },
    user('go on'),
  ]

  it('keep their order: the field, then developer and system messages', () => {
    expect(toChat({ instructions: 'first', input }).items[0]).toEqual({
      role: 'system',
      content: 'first\n\nsecond\n\nthird',
    })
  })

  it('inside the conversation stay at their place', () => {
    const { items } = toChat({ instructions: 'first', input })
    expect(JSON.stringify(items[1])).toMatch(/hi.*<system-reminder>.*late.*go on/s)
  })

  it('stay where they were in their own dialect', () => {
    const { body, items } = toOpenAi({ instructions: 'first', input })
    expect(body['instructions']).toBe('first')
    expect(items).toEqual([{ type: 'message', ...input[0] }, ...input.slice(1)])
  })

  it('become one text for a model that takes one system message', () => {
    const { body, items } = toPlain({ instructions: 'first', input }, { format: 'qwen' })
    expect(body['instructions']).toBe('first\n\nsecond\n\nthird')
    expect(items.every(({ role }) => role === 'user')).toBe(true)
  })
})

describe('the items of a turn', () => {
  it('reasoning, text and calls before a result are one message of the model', () => {
    const input = [
      user('hi'),
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'hm' }] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
      call('a'),
      call('b'),
      output('a'),
      output('b'),
    ]
    const { items } = toChat({ input })
    expect(items.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool'])
    expect(items[1]).toMatchObject({ content: 'I look.', reasoning_content: 'hm' })
    expect(valueAt(items[1], 'tool_calls')).toHaveLength(2)
    expect(decoded({ input }).request.contents.map(({ speaker }) => speaker)).toEqual(['human', 'ai', 'tool'])
  })

  it('a message between a call and its result stays beside the call', () => {
    const spoken = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'wait' }] }
    const { items } = toChat({ input: [user('hi'), call('a'), spoken, output('a')] })
    expect(items.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
  })

  it('go on as they came in their own dialect', () => {
    const input = [
      user('hi'),
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAAAabc' },
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        status: 'completed',
        phase: 'commentary',
        content: [{ type: 'output_text', text: 'I look.', annotations: [] }],
      },
      call('a', 'run', { status: 'completed', namespace: 'x' }),
      { ...output('a'), id: 'fco_1' },
    ]
    expect(toOpenAi({ input }).items).toEqual(input)
  })
})

describe('results', () => {
  it('in another order, between others, twice or missing are put behind their calls, one each', () => {
    const reversed = [call('a'), call('b'), output('b'), output('a')]
    const interleaved = [call('a'), output('a'), call('b'), output('b')]
    const doubled = [call('a'), call('b'), output('a'), output('a'), output('b')]
    const missing = [call('a'), call('b'), output('b')]
    for (const items of [reversed, interleaved, doubled, missing]) {
      expect(resultIds(toChat({ input: [user('hi'), ...items] }).items)).toEqual(['a', 'b'])
    }
    const { items } = toChat({ input: [user('hi'), ...missing] })
    expect(items.find(({ tool_call_id }) => tool_call_id === 'a')?.['content']).toContain('not available')
  })

  it('of no known call, or without an id, are text of the user', () => {
    const event = { type: 'function_call_output', name: 'watch', output: 'changed' }
    const { items, notes } = toChat({ input: [user('hi'), output('x'), event] })
    expect(resultIds(items)).toEqual([])
    expect(JSON.stringify(items)).toMatch(/result of x.*Output of watch:.*changed/s)
    expect(notedFields(notes)).toContain('changed input[2]')
    expect(toOpenAi({ input: [user('hi'), event] }).items[1]).toEqual(event)
    expect(JSON.stringify(toPlain({ input: [user('hi'), event] }).items)).toContain('Output of watch:')
  })

  it('with an image are text and an image wherever the upstream takes them', () => {
    const parts = [
      { type: 'input_text', text: 'seen' },
      { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
    ]
    const input = [user('hi'), call('a'), output('a', parts)]
    expect(toOpenAi({ input }).items[2]).toEqual(output('a', parts))
    expect(valueAt(toAnthropic({ input }).items, 2, 'content', 0, 'content')).toMatchObject([
      { type: 'text', text: 'seen' },
      { type: 'image' },
    ])
    const plain = toPlain({ input }).items
    expect(plain[2]).toMatchObject({ output: 'seen\n[shown in the next message]' })
    expect(valueAt(plain, 3, 'content', 1)).toMatchObject({ type: 'input_image' })
    expect(toChat({ input }).items.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
  })
})

describe('what is not known', () => {
  it('a reference, an item, a part, a tool or a field is noted once each, and never refused', () => {
    const fields = {
      input: [
        user('hi'),
        { type: 'item_reference', id: 'rs_1' },
        { type: 'hologram', id: 'h' },
        { type: 'message', role: 'user', content: [{ type: 'input_smell', smell: 'x' }] },
      ],
      tools: [{ type: 'telepathy' }],
      truncation: 'auto',
    }
    const { body, notes } = toChat(fields)
    expect(body['messages']).toEqual([{ role: 'user', content: 'hi' }])
    expect(notes).toHaveLength(5)
    expect(notes.map(({ field, reason }) => `${field} ${reason}`).toSorted()).toEqual([
      expect.stringContaining('input[1]'),
      expect.stringContaining('hologram'),
      expect.stringContaining('input_smell'),
      expect.stringContaining('tools (telepathy)'),
      expect.stringContaining('truncation'),
    ])
  })

  it('passes through to an upstream of the same dialect', () => {
    const hologram = { type: 'hologram', id: 'h', light: [1] }
    const odd = { type: 'message', role: 'user', content: [{ type: 'input_smell', smell: 'x' }] }
    const fields = { input: [user('hi'), hologram, odd], tools: [{ type: 'telepathy' }], truncation: 'auto' }
    const { body, items } = toResponses(fields)
    expect(items).toEqual([user('hi'), hologram, odd])
    expect(body).toMatchObject({ tools: [{ type: 'telepathy' }], truncation: 'auto' })
  })

  it('a server that is known to refuse it is spared it', () => {
    const { items, notes } = toPlain({ input: [user('hi'), { type: 'hologram' }] })
    expect(items).toEqual([user('hi')])
    expect(notes.map(({ reason }) => reason)).toEqual([expect.stringContaining('hologram')])
  })

  it('a file that a server has kept is a placeholder and a note', () => {
    const parts = [{ type: 'input_image', file_id: 'file_1' }]
    const { items, notes } = toChat({ input: [{ role: 'user', content: parts }] })
    expect(items).toEqual([{ role: 'user', content: '[image: not shown]' }])
    expect(notedFields(notes)).toEqual(['dropped input[0].content[0]'])
  })
})

describe('items about agents and servers', () => {
  it('a message of an agent is text of the user that says whose it is', () => {
    const message = { type: 'agent_message', author: '/root', recipient: '/root/b', content: 'look' }
    expect(JSON.stringify(toChat({ input: [message] }).items)).toContain('Message of /root to /root/b:')
    expect(toOpenAi({ input: [user('hi'), message] }).items[1]).toEqual(message)
  })

  it('what a tool of another server has found is told in short', () => {
    const found = { type: 'mcp_call', id: 'mcp_1', name: 'lookup', arguments: '{}', output: '42' }
    const { items } = toChat({ input: [user('hi'), found, user('and?')] })
    expect(items[1]).toMatchObject({ role: 'assistant', content: '[mcp: lookup: 42]' })
  })
})

function resultIds(items: readonly Record<string, unknown>[]): unknown[] {
  return items.filter(({ role }) => role === 'tool').map(({ tool_call_id }) => tool_call_id)
}
