import { describe, expect, it } from 'vitest'
import { createFetch } from '../../src/adapters/fetch.ts'
import { chatRequest, json, upstream } from './upstream.ts'

const chatUrl = 'https://models.example/v1/chat/completions'
const messagesUrl = 'https://models.example/v1/messages'

const call = (id: string, name: string): object => ({
  id,
  type: 'function',
  function: { name, arguments: '{}' },
  vendor: 'kept',
})

const chatHistory = [
  { role: 'user', content: 'go', name: 'ann' },
  { role: 'assistant', content: null, tool_calls: [call('call_x', 'look'), call('call_y', 'find')] },
  { role: 'tool', tool_call_id: 'call_y', content: 'found', vendor: 'kept' },
  { role: 'tool', tool_call_id: 'call_x', content: 'seen' },
]

async function sentFor(url: string, body: object, options = {}): Promise<unknown> {
  const { fetch, sent } = upstream(() => json({}))
  await createFetch({ fetch, ...options })(url, { method: 'POST', body: JSON.stringify(body) })
  return JSON.parse(sent[0]?.body ?? 'null')
}

describe('tool ids on their way out', () => {
  it('are those of Kimi for Kimi, and nothing else in the messages changes but the reasoning it demands', async () => {
    const body = { model: 'moonshotai/kimi-k2', seed: 3, vendor: { kept: true }, messages: chatHistory }
    expect(await sentFor(chatUrl, body)).toEqual({
      ...body,
      messages: [
        chatHistory[0],
        {
          role: 'assistant',
          content: null,
          tool_calls: [call('functions.look:0', 'look'), call('functions.find:1', 'find')],
          reasoning_content: 'The reasoning for this step was not kept.',
        },
        { role: 'tool', tool_call_id: 'functions.find:1', content: 'found', vendor: 'kept' },
        { role: 'tool', tool_call_id: 'functions.look:0', content: 'seen' },
      ],
    })
  })

  it('an explicit format wins over the name of the model', async () => {
    const sent = await sentFor(chatUrl, { model: 'kimi-k2', messages: chatHistory }, { format: 'mistral' })
    expect(JSON.stringify(sent)).toMatch(/"tool_call_id":"[a-zA-Z0-9]{9}"/)
  })

  it('an override names the format of a model whose name says nothing', async () => {
    const options = { overrides: { 'house-*': 'kimi' } }
    const sent = await sentFor(chatUrl, { model: 'house-7', messages: chatHistory }, options)
    expect(JSON.stringify(sent)).toContain('functions.look:0')
  })

  it('an override is law also where it names the format that the name suggests', async () => {
    const messages = [
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'look', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'seen' }] },
    ]
    const body = { model: 'kimi-k2', messages }
    expect(await sentFor(messagesUrl, body)).toEqual(body)
    const sent = await sentFor(messagesUrl, body, { overrides: { 'kimi-*': 'kimi' } })
    expect(JSON.stringify(sent)).toContain('"tool_use_id":"functions.look:0"')
  })

  it('where the name says nothing, the newest call of the conversation does', async () => {
    const messages = [
      { role: 'assistant', tool_calls: [call('call_kimi_abc', 'look')] },
      { role: 'tool', tool_call_id: 'call_kimi_abc', content: 'seen' },
    ]
    const sent = await sentFor(chatUrl, { model: 'my-model', messages })
    expect(JSON.stringify(sent)).toContain('"tool_call_id":"functions.look:0"')
  })

  it('where the name says that the model is nobody’s, they stay, whatever the newest call was', async () => {
    const messages = [
      { role: 'assistant', tool_calls: [call('call_kimi_abc', 'look')] },
      { role: 'tool', tool_call_id: 'call_kimi_abc', content: 'seen' },
    ]
    expect(await sentFor(chatUrl, { model: 'openai/gpt-4o', messages })).toEqual({
      model: 'openai/gpt-4o',
      messages,
    })
  })

  it('in Anthropic’s dialect they are Anthropic’s, and tools that the server runs keep theirs', async () => {
    const messages = [
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: [
          { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} },
          { type: 'tool_use', id: 'functions.look:0', name: 'look', input: {}, cache_control: {} },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'functions.look:0', content: 'seen' }] },
    ]
    const sent = JSON.stringify(await sentFor(messagesUrl, { model: 'claude-x', messages }))
    const ids = [...sent.matchAll(/"(?:id|tool_use_id)":"([^"]+)"/g)].map(([, id]) => id)
    expect(ids).toEqual(['srvtoolu_1', expect.stringMatching(/^toolu_[a-zA-Z0-9_-]+$/), ids[1]])
    expect(sent).toContain('"cache_control":{}')
  })
})

describe('a request goes out', () => {
  const mapped = JSON.stringify({ model: 'kimi-k2', messages: chatHistory })
  const plain = chatRequest({ note: 'no ids in it', big: 1 }).replace(
    '"big":1',
    '"big": 12345678901234567890',
  )

  it('byte for byte where nothing has to change', async () => {
    const { fetch, sent } = upstream(() => json({}))
    await createFetch({ fetch })(chatUrl, { method: 'POST', body: plain })
    expect(sent[0]?.body).toBe(plain)
  })

  const bytes = new TextEncoder().encode(mapped)
  const bodies: [string, () => BodyInit][] = [
    ['text', () => mapped],
    ['bytes', () => bytes],
    ['a buffer', () => bytes.buffer],
    ['a blob', () => new Blob([bytes])],
    ['a stream', () => new Blob([bytes]).stream()],
  ]
  it.each(bodies)('with its ids mapped when its body is %s', async (_, make) => {
    const { fetch, sent } = upstream(() => json({}))
    const init = {
      method: 'POST',
      body: make(),
      duplex: 'half',
      headers: { 'content-length': '7', 'x-key': 'k' },
    }
    await createFetch({ fetch })(new URL(`${chatUrl}?version=1`), init)
    expect(sent[0]?.body).toContain('functions.look:0')
    expect(sent[0]?.url).toBe(`${chatUrl}?version=1`)
    expect(sent[0]?.headers.get('x-key')).toBe('k')
    expect(sent[0]?.headers.get('content-length')).toBeNull()
  })

  it('whole when its body is a stream that is no JSON', async () => {
    const { fetch, sent } = upstream(() => json({}))
    const init = { method: 'POST', body: new Blob(['not JSON']).stream(), duplex: 'half' }
    await createFetch({ fetch })(chatUrl, init)
    expect(sent[0]?.body).toBe('not JSON')
  })

  it('from a Request, with its method, its headers and its signal', async () => {
    const { fetch, sent } = upstream(() => json({}))
    const abort = new AbortController()
    const headers = { authorization: 'Bearer k', 'content-type': 'application/json' }
    const request = new Request(chatUrl, { method: 'POST', headers, body: mapped, signal: abort.signal })
    await createFetch({ fetch })(request)
    expect(sent[0]).toMatchObject({ url: chatUrl, method: 'POST' })
    expect(sent[0]?.body).toContain('functions.look:0')
    expect(sent[0]?.headers.get('authorization')).toBe('Bearer k')
    abort.abort()
    expect(sent[0]?.signal.aborted).toBe(true)
  })

  it('from a Request in which nothing has to change', async () => {
    const { fetch, sent } = upstream(() => json({}))
    await createFetch({ fetch })(new Request(chatUrl, { method: 'POST', body: plain }))
    expect(sent[0]?.body).toBe(plain)
  })
})
