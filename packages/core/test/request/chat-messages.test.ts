import { describe, expect, it } from 'vitest'
import { decodeChatRequest } from '../../src/dialects/openai-chat/request/decode.ts'
import { chatBody, chatToAnthropic, chatToChat, notedFields, readable, valueAt } from './translation.ts'

const user = { role: 'user', content: 'hi' }

function call(args: unknown): Record<string, unknown> {
  return { id: 'call_1', type: 'function', function: { name: 'Bash', arguments: args } }
}

/** A turn with one call, around the message under test. */
function turn(message: Record<string, unknown>): { messages: unknown[] } {
  return {
    messages: [
      user,
      { role: 'assistant', ...message },
      { role: 'tool', tool_call_id: 'call_1', content: 'ok' },
    ],
  }
}

describe('messages of the model from a Chat client', () => {
  it('with content that is empty, null or absent beside calls are the same', () => {
    const tool_calls = [call('{}')]
    const sent = [{ content: '' }, { content: null }, {}].map(
      (content) => chatToAnthropic(turn({ ...content, tool_calls })).messages,
    )
    expect(sent[1]).toEqual(sent[0])
    expect(sent[2]).toEqual(sent[0])
  })

  it('with content in parts keep the parts for Chat, and are text elsewhere', () => {
    const content = [
      { type: 'text', text: 'a' },
      { type: 'refusal', refusal: 'b' },
    ]
    const messages = [user, { role: 'assistant', content }, user]
    expect(chatToChat({ messages }).messages).toEqual(messages)
    expect(chatToChat({ messages }, { format: 'mistral' }).messages[1]?.['content']).toBe('ab')
    expect(chatToAnthropic({ messages }).messages[1]?.['content']).toEqual([
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ])
  })

  it('that refuse have it in its field for Chat, and as text elsewhere', () => {
    const messages = [user, { role: 'assistant', content: null, refusal: 'No.' }, user]
    expect(chatToChat({ messages }).messages).toEqual(messages)
    expect(chatToAnthropic({ messages }).messages[1]?.['content']).toBe('No.')
  })

  it('that hold nothing go to Chat as they came, and nowhere else', () => {
    const messages = [user, { role: 'assistant', content: '' }, { role: 'user', content: [] }, user]
    expect(chatToChat({ messages }).messages).toEqual(messages)
    expect(chatToChat({ messages }, { format: 'gemma' }).messages).toHaveLength(1)
    expect(chatToAnthropic({ messages }).messages).toHaveLength(1)
  })

  it('whose reasoning alone is not for the upstream are left out', () => {
    const messages = [
      user,
      {
        role: 'assistant',
        content: null,
        reasoning_content: 'hm',
        tool_calls: [{ ...call('{}'), id: 'call_kimi_1' }],
      },
      { role: 'tool', tool_call_id: 'call_kimi_1', content: 'ok' },
      { role: 'assistant', content: null, reasoning_content: 'so' },
      user,
    ]
    const { messages: sent } = chatToChat({ messages }, { format: 'qwen' })
    expect(sent.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
  })

  it('with arguments that are no JSON object get an empty one, and a note', () => {
    const broken = ['{"a":', '[1]', '5', 7].map((args) => {
      const { messages, notes } = chatToAnthropic(turn({ tool_calls: [call(args)] }))
      return [valueAt(messages, 1, 'content', 0, 'input'), notedFields(notes)[0]]
    })
    expect(broken).toEqual(broken.map(() => [{}, 'changed messages[1].tool_calls[0].function.arguments']))
  })

  it('with arguments that are missing, empty, an object or encoded twice are understood', () => {
    const inputs = [undefined, '', ' ', { a: 1 }, '"{\\"a\\":1}"'].map((args) =>
      valueAt(chatToAnthropic(turn({ tool_calls: [call(args)] })).messages, 1, 'content', 0, 'input'),
    )
    expect(inputs).toEqual([{}, {}, {}, { a: 1 }, { a: 1 }])
  })

  it('keep the spelling of their arguments for Chat', () => {
    const spelled = '{ "n": 12345678901234567890, "e": 1e2 }'
    const { messages } = chatToChat(turn({ content: null, tool_calls: [call(spelled)] }))
    expect(valueAt(messages, 1, 'tool_calls', 0, 'function', 'arguments')).toBe(spelled)
  })

  it('never send empty or broken arguments to Chat', () => {
    const sent = ['', '{"a":', null].map((args) =>
      valueAt(
        chatToChat(turn({ tool_calls: [call(args)] })).messages,
        1,
        'tool_calls',
        0,
        'function',
        'arguments',
      ),
    )
    expect(sent).toEqual(['{}', '{}', '{}'])
  })

  it('with a call of a tool that takes a text keep it for Chat; elsewhere the text is an argument', () => {
    const custom = { id: 'call_1', type: 'custom', custom: { name: 'sql', input: 'SELECT 1' } }
    const { messages } = turn({ content: null, tool_calls: [custom] })
    expect(chatToChat({ messages }).messages).toEqual(messages)
    expect(valueAt(chatToAnthropic({ messages }).messages, 1, 'content', 0)).toMatchObject({
      type: 'tool_use',
      name: 'sql',
      input: { input: 'SELECT 1' },
    })
  })

  it('keep what else a vendor wrote into a call for Chat', () => {
    const vendor = { ...call('{}'), extra_content: { google: { thought_signature: 's' } } }
    expect(chatToChat(turn({ content: null, tool_calls: [vendor] })).messages[1]?.['tool_calls']).toEqual([
      vendor,
    ])
  })
})

describe('the request that a Chat body is read into', () => {
  it('holds the fields that have no place under their own names', () => {
    const { request } = readable(
      decodeChatRequest(chatBody({ seed: 1, prompt_cache_key: 'k', store: false })),
    )
    expect(request.extra).toEqual({ seed: 1, prompt_cache_key: 'k', store: false })
  })

  it('keeps the client’s ids and knows the names of the tools that answered', () => {
    const { request } = readable(decodeChatRequest(chatBody(turn({ tool_calls: [call('{"a":1}')] }))))
    expect(request.contents).toMatchObject([
      { speaker: 'human', blocks: [{ type: 'text', text: 'hi' }] },
      { speaker: 'ai', blocks: [{ type: 'tool_call', id: 'call_1', name: 'Bash', parameters: { a: 1 } }] },
      {
        speaker: 'tool',
        blocks: [{ type: 'tool_response', callId: 'call_1', toolName: 'Bash', result: 'ok' }],
      },
    ])
  })

  it('keeps parts that we do not know for Chat, and drops them elsewhere with a note', () => {
    const content = [
      { type: 'text', text: 'see' },
      { type: 'hologram', beam: 1 },
    ]
    expect(chatToChat({ messages: [{ role: 'user', content }] }).messages[0]).toEqual({
      role: 'user',
      content,
    })
    const { messages, notes } = chatToAnthropic({ max_tokens: 1, messages: [{ role: 'user', content }] })
    expect(messages[0]).toEqual({ role: 'user', content: 'see' })
    expect(notedFields(notes)).toEqual(['dropped messages'])
  })
})
