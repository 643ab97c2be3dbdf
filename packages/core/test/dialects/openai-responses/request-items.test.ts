import { describe, expect, it } from 'vitest'
import { notedFields } from '../../request/translation.ts'
import { decoded, toChat, toOpenAi, toPlain, toResponses } from './requests.ts'

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

  it('become one text for a model that takes one system message', () => {
    const { body, items } = toPlain({ instructions: 'first', input }, { format: 'qwen' })
    expect(body['instructions']).toBe('first\n\nsecond\n\nthird')
    expect(items.every(({ role }) => role === 'user')).toBe(true)
  })
})

describe('the items of a turn', () => {
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
  it('of no known call, or without an id, are text of the user', () => {
    const event = { type: 'function_call_output', name: 'watch', output: 'changed' }
    const { items, notes } = toChat({ input: [user('hi'), output('x'), event] })
    expect(resultIds(items)).toEqual([])
    expect(JSON.stringify(items)).toMatch(/result of x.*Output of watch:.*changed/s)
    expect(notedFields(notes)).toContain('changed input[2]')
    expect(toOpenAi({ input: [user('hi'), event] }).items[1]).toEqual(event)
    expect(JSON.stringify(toPlain({ input: [user('hi'), event] }).items)).toContain('Output of watch:')
  })
})

describe('what is not known', () => {
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
    const message = { type: 'agent_message', author: 'planner', recipient: 'coder', content: 'look' }
    expect(JSON.stringify(toChat({ input: [message] }).items)).toContain('Message of planner to coder:')
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
