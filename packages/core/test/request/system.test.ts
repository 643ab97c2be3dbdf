import { describe, expect, it } from 'vitest'
import {
  anthropicToAnthropic,
  anthropicToChat,
  chatToAnthropic,
  chatToChat,
  notedFields,
} from './translation.ts'

const user = { role: 'user', content: 'hi' }

function reminder(text: string): string {
  return `<system-reminder>\n${text}\n</system-reminder>`
}

describe('instructions from Messages to Chat', () => {
  it('a text is the first message', () => {
    const { messages } = anthropicToChat({ system: 'Be brief.' })
    expect(messages).toEqual([{ role: 'system', content: 'Be brief.' }, user])
  })

  it('several blocks are one message, in order, bytes unchanged', () => {
    const system = [
      { type: 'text', text: ' one\n' },
      { type: 'text', text: '' },
      { type: 'text', text: 'two ' },
    ]
    expect(anthropicToChat({ system }).messages[0]).toEqual({ role: 'system', content: ' one\n\n\ntwo ' })
  })

  it('empty instructions make no message', () => {
    expect(anthropicToChat({ system: '' }).messages).toEqual([user])
    expect(anthropicToChat({ system: [] }).messages).toEqual([user])
  })

  it('the billing nonce is taken out, so that the prefix can be cached', () => {
    const { messages, notes } = anthropicToChat({
      system: [
        { type: 'text', text: 'x-anthropic-billing-header: cc_version=1; cch=abc;' },
        { type: 'text', text: 'Be brief.' },
      ],
    })
    expect(messages[0]).toEqual({ role: 'system', content: 'Be brief.' })
    expect(notedFields(notes)).toContain('dropped system[0]')
  })

  it('of a text that begins with the billing nonce only that line is taken out', () => {
    const text = 'x-anthropic-billing-header: cc_version=1; cch=abc;\nYou are a bot.\nBe brief.'
    const rest = { role: 'system', content: 'You are a bot.\nBe brief.' }
    expect(anthropicToChat({ system: text }).messages[0]).toEqual(rest)
    expect(anthropicToChat({ system: [{ type: 'text', text }] }).messages[0]).toEqual(rest)
  })

  it('the billing nonce stays for Anthropic, and for nobody else who speaks its dialect', () => {
    const text = 'x-anthropic-billing-header: cc_version=1; cch=abc;\nBe brief.'
    const system = [{ type: 'text', text }]
    expect(anthropicToAnthropic({ system }, { format: 'anthropic' }).body['system']).toEqual(system)
    const others = anthropicToAnthropic({ system }, { format: 'anthropic', signatures: 'unchecked' })
    expect(others.body['system']).toBe('Be brief.')
  })

  it('a system message inside the conversation becomes a reminder of the user at its place', () => {
    const { messages, notes } = anthropicToChat({
      messages: [
        user,
        { role: 'system', content: [{ type: 'text', text: 'It is Monday.' }] },
        { role: 'assistant', content: 'Hello.' },
        { role: 'system', content: 'It is Tuesday.' },
      ],
    })
    expect(messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'hi' },
          { type: 'text', text: reminder('It is Monday.') },
        ],
      },
      { role: 'assistant', content: 'Hello.' },
      { role: 'user', content: reminder('It is Tuesday.') },
    ])
    expect(notedFields(notes)).toEqual(['changed messages[1]', 'changed messages[3]'])
  })

  it('system messages in front of all others are instructions', () => {
    const { messages, notes } = anthropicToChat({
      system: 'one',
      messages: [{ role: 'system', content: 'two' }, user],
    })
    expect(messages).toEqual([{ role: 'system', content: 'one\n\ntwo' }, user])
    expect(notes).toEqual([])
  })

  it('a system message between a call and its result does not come between them', () => {
    const { messages } = anthropicToChat({
      messages: [
        user,
        { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: {} }] },
        { role: 'system', content: 'Mind the time.' },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'ok' }] },
      ],
    })
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
  })
})

describe('instructions between two sides that speak Messages', () => {
  it('hold no empty blocks, which Anthropic refuses', () => {
    const system = ['one', '', 'two'].map((text) => ({ type: 'text', text }))
    expect(anthropicToAnthropic({ system }).body['system']).toEqual([system[0], system[2]])
    expect(anthropicToAnthropic({ system: '' }).body).not.toHaveProperty('system')
  })
})

describe('instructions from Chat', () => {
  it('system and developer messages in front are all kept, in order', () => {
    const { body, messages } = chatToAnthropic({
      messages: [{ role: 'system', content: 'one' }, { role: 'developer', content: 'two' }, user],
    })
    expect(body['system']).toEqual([
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two' },
    ])
    expect(messages).toEqual([user])
  })

  it('a later system message becomes a reminder at its place', () => {
    const { body, messages } = chatToAnthropic({
      messages: [user, { role: 'assistant', content: 'Hello.' }, { role: 'system', content: 'Stop soon.' }],
    })
    expect(body['system']).toBeUndefined()
    expect(messages.at(-1)).toEqual({
      role: 'user',
      content: '<system-reminder>\nStop soon.\n</system-reminder>',
    })
  })

  it('a request of instructions alone gets a message of the user, which Anthropic demands', () => {
    const { messages } = chatToAnthropic({ messages: [{ role: 'system', content: 'Say hello.' }] })
    expect(messages).toEqual([{ role: 'user', content: 'Go on.' }])
  })
})

describe('instructions between two sides that speak Chat', () => {
  const one = { role: 'system', content: 'one', name: 'first' }
  const two = {
    role: 'developer',
    content: [{ type: 'text', text: 'two', cache_control: { type: 'ephemeral' } }],
  }
  const later = { role: 'system', content: 'Stop soon.' }
  const all = [one, two, user, { role: 'assistant', content: 'Hello.' }, later, user]

  it('stay as they came where the format says nothing: roles, places and parts', () => {
    const { messages, notes } = chatToChat({ messages: all })
    expect(messages).toEqual(all)
    expect(notes).toEqual([])
  })

  it.each(['kimi', 'deepseek', 'glm'] as const)(
    'stay where they are for %s, all as system messages',
    (format) => {
      const { messages, notes } = chatToChat({ messages: all }, { format })
      expect(messages).toEqual(all.map((each) => (each === two ? { ...two, role: 'system' } : each)))
      expect(notes.map(({ reason }) => reason)).toEqual([expect.stringContaining('"developer"')])
    },
  )

  it.each(['qwen', 'minimax', 'gpt-oss', 'llama'] as const)(
    'are one message in front for %s, and reminders behind it, which is noted',
    (format) => {
      const { messages, notes } = chatToChat({ messages: all }, { format })
      expect(messages).toEqual([
        { role: 'system', content: 'one\n\ntwo' },
        user,
        { role: 'assistant', content: 'Hello.' },
        { role: 'user', content: reminder('Stop soon.') },
        user,
      ])
      expect(notes.map(({ reason }) => reason)).toEqual(
        expect.arrayContaining([
          'The system messages in front became one.',
          'A system message inside the conversation became a reminder in a user message.',
        ]),
      )
      expect(notedFields(notes)).toContain('dropped messages.name')
    },
  )

  it('are joined with what the user says where turns have to alternate', () => {
    const { messages } = chatToChat({ messages: all }, { format: 'gemma' })
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user'])
  })

  it.each([
    ['standard', 'developer'],
    ['gpt-oss', 'developer'],
    ['qwen', 'system'],
    ['mistral', 'system'],
  ] as const)('a developer message alone is, for %s, one of the role %s', (format, role) => {
    const { messages, notes } = chatToChat(
      { messages: [{ role: 'developer', content: 'Be brief.' }, user] },
      { format },
    )
    expect(messages[0]).toEqual({ role, content: 'Be brief.' })
    expect(notes).toHaveLength(role === 'developer' ? 0 : 1)
  })

  it.each(['qwen', 'llama', 'gemma'] as const)(
    'the only one goes to the front for %s, wherever it stood, which is noted',
    (format) => {
      const asked = [user, { role: 'assistant', content: 'Hello.' }, later, user]
      const { messages, notes } = chatToChat({ messages: asked }, { format })
      expect(messages).toEqual([later, user, { role: 'assistant', content: 'Hello.' }, user])
      expect(notes).toEqual([
        {
          kind: 'changed',
          field: 'messages',
          reason: 'The only system message was put in front, where the template wants it.',
        },
      ])
    },
  )

  it('the only one stays where it is for a template that takes it anywhere', () => {
    const asked = [user, later, user]
    for (const format of ['kimi', 'standard'] as const) {
      expect(chatToChat({ messages: asked }, { format }).messages).toEqual(asked)
    }
  })

  it('two inside are reminders for a strict template, and none goes to the front', () => {
    const { messages } = chatToChat({ messages: [user, later, user, later, user] }, { format: 'qwen' })
    expect(messages.map(({ role }) => role)).toEqual(['user', 'user', 'user', 'user', 'user'])
  })

  it('take a further instruction into the last message in front', () => {
    const tools = [
      { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } },
    ]
    const ask = { tools, tool_choice: 'required' }
    const texts = [one, { role: 'system', content: [{ type: 'text', text: 'two' }] }].map((front) => {
      const { messages } = chatToChat({ ...ask, messages: [front, user] }, { forcedToolChoice: 'nudge' })
      return [messages.length, messages[0]?.['content']]
    })
    expect(texts).toEqual([
      [2, expect.stringMatching(/^one\n\nAnswer the next message with a call/)],
      [
        2,
        [
          { type: 'text', text: 'two' },
          { type: 'text', text: expect.stringContaining('with a call') },
        ],
      ],
    ])
  })

  it('a message between a call and its result does not come between them', () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }
    const { messages } = chatToChat({
      messages: [
        user,
        { role: 'assistant', content: null, tool_calls: [call] },
        later,
        { role: 'tool', tool_call_id: 'call_1', content: 'ok' },
      ],
    })
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'system'])
  })
})

describe('cache marks', () => {
  const mark = { type: 'ephemeral' }
  const marked = {
    system: [{ type: 'text', text: 'Be brief.', cache_control: mark }],
    tools: [{ name: 'Bash', input_schema: { type: 'object', properties: {} }, cache_control: mark }],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'hi', cache_control: mark }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'So.', cache_control: mark },
          { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: {}, cache_control: mark },
        ],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'ok', cache_control: mark }],
      },
    ],
  }

  it('are removed everywhere for an upstream that does not understand them, which is told once', () => {
    const { body, notes } = anthropicToChat(marked)
    expect(JSON.stringify(body)).not.toContain('cache_control')
    expect(notes.map(({ kind, field }) => `${kind} ${field}`)).toEqual(['dropped cache_control'])
  })

  it('stay at their places for a chat upstream that does', () => {
    const { body, messages } = anthropicToChat(marked, { cacheControl: true })
    const part = (text: string): unknown => [{ type: 'text', text, cache_control: mark }]
    expect(messages.map(({ content }) => content)).toEqual([
      part('Be brief.'),
      part('hi'),
      part('So.'),
      part('ok'),
    ])
    expect(body['tools']).toMatchObject([{ type: 'function', cache_control: mark }])
  })

  it('stay as they were for Anthropic', () => {
    const { body } = anthropicToAnthropic(marked)
    expect(body).toMatchObject(marked)
  })
})
