import { describe, expect, it } from 'vitest'
import { createFetch } from '../../src/adapters/fetch.ts'
import { chatChunk, chatRequest, events, json, kimiCall, upstream } from './upstream.ts'

const chatUrl = 'https://models.example/v1/chat/completions'
const messagesUrl = 'https://models.example/v1/messages'

const completion = (message: object, finish: string): object => ({
  id: 'c1',
  object: 'chat.completion',
  vendor: { kept: true },
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish, logprobs: null }],
})

const counter = (): (() => string) => {
  let count = 0
  return () => `n${++count}`
}

const post = (body: BodyInit): RequestInit => ({ method: 'POST', body })

describe('the answers that createFetch gives', () => {
  it('a call in the text of a completion is a tool call, and every other field stays', async () => {
    const { fetch } = upstream(() => json(completion({ content: kimiCall, refusal: null }, 'stop')))
    const answer = await createFetch({ fetch, newId: counter() })(chatUrl, post(chatRequest()))
    expect(await answer.json()).toEqual({
      id: 'c1',
      object: 'chat.completion',
      vendor: { kept: true },
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: 'Let me look.',
            refusal: null,
            tool_calls: [
              {
                id: 'call_kimi_n1',
                type: 'function',
                function: { name: 'get_weather', arguments: '{"city":"Paris"}' },
              },
            ],
          },
          finish_reason: 'tool_calls',
          logprobs: null,
        },
      ],
    })
  })

  it('a call in a stream is a tool call, wherever the stream is cut', async () => {
    const text = kimiCall
      .split('')
      .map((content) => chatChunk({ content }))
      .join('')
    const stream = `${text}${chatChunk({}, 'stop')}data: [DONE]\n\n`
    const pieces = stream.match(/[^]{1,7}/g) ?? []
    const { fetch } = upstream(() => events(pieces))
    const answer = await createFetch({ fetch, newId: counter() })(
      chatUrl,
      post(chatRequest({ stream: true })),
    )
    const read = await answer.text()
    expect(read).toContain('"id":"call_kimi_n1"')
    expect(read).toContain('"finish_reason":"tool_calls"')
    expect(read).not.toContain('tool_call_begin')
    expect(read).toMatch(/data: \[DONE\]\n\n$/)
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  })

  it('a call in the text of a message is a tool_use block', async () => {
    const message = {
      id: 'm1',
      type: 'message',
      role: 'assistant',
      model: 'kimi-k2',
      stop_sequence: null,
      usage: { input_tokens: 5, output_tokens: 3 },
    }
    const content = [{ type: 'text', text: kimiCall }]
    const { fetch } = upstream(() => json({ ...message, content, stop_reason: 'end_turn' }))
    const tools = [{ name: 'get_weather', input_schema: { type: 'object' } }]
    const answer = await createFetch({ fetch, newId: counter() })(
      messagesUrl,
      post(JSON.stringify({ model: 'kimi-k2', messages: [{ role: 'user', content: 'hi' }], tools })),
    )
    expect(await answer.json()).toEqual({
      ...message,
      content: [
        { type: 'text', text: 'Let me look.' },
        { type: 'tool_use', id: 'toolu_kimi_n1', name: 'get_weather', input: { city: 'Paris' } },
      ],
      stop_reason: 'tool_use',
    })
  })

  it('a number that is too long for ours stays as it was written, also in an answer that changes', async () => {
    const text = kimiCall.replace('"Paris"', '12345678901234567890')
    const content = JSON.stringify([{ type: 'text', text }])
    const message = `{"id":"m1","type":"message","role":"assistant","content":${content},"stop_reason":"end_turn"}`
    const { fetch } = upstream(
      () => new Response(message, { headers: { 'content-type': 'application/json' } }),
    )
    const answer = await createFetch({ fetch })(messagesUrl, post(chatRequest()))
    expect(await answer.text()).toContain('"input":{"city":12345678901234567890}')
  })

  it('an answer in which nothing has to change keeps its bytes', async () => {
    const text = `{ "id": 1e2,\n "choices": [{"message": {"content": "Hello."}, "finish_reason": "stop"}] }`
    const { fetch } = upstream(
      () => new Response(text, { headers: { 'content-type': 'application/json', 'x-request-id': 'r1' } }),
    )
    const answer = await createFetch({ fetch })(chatUrl, post(chatRequest()))
    expect(await answer.text()).toBe(text)
    expect(answer.headers.get('x-request-id')).toBe('r1')
  })

  it('a call that is cut off makes a status 502 that tells so, and no answer', async () => {
    const { fetch } = upstream(() => json(completion({ content: kimiCall.slice(0, -50) }, 'stop')))
    const answer = await createFetch({ fetch })(chatUrl, post(chatRequest()))
    expect(answer.status).toBe(502)
    expect(await answer.json()).toMatchObject({ error: { code: 'incomplete_tool_call' } })
  })

  it('where the client forbids tools, nothing is read as a call', async () => {
    const { fetch } = upstream(() => json(completion({ content: 'A <tool_call> is a tag.' }, 'stop')))
    const body = chatRequest({ model: 'qwen3', tool_choice: 'none' })
    const answer = await createFetch({ fetch })(chatUrl, post(body))
    expect(await answer.text()).toContain('A <tool_call> is a tag.')
  })

  it('an object alone is the arguments of the tool that the client named', async () => {
    const { fetch } = upstream(() => json(completion({ content: '{"city":"Dallas"}' }, 'stop')))
    const choice = { type: 'function', function: { name: 'get_weather' } }
    const body = chatRequest({ tool_choice: choice })
    const answer = await createFetch({ fetch })(chatUrl, post(body))
    expect(await answer.json()).toMatchObject({
      choices: [
        { message: { tool_calls: [{ function: { name: 'get_weather', arguments: '{"city":"Dallas"}' } }] } },
      ],
    })
  })

  it('where the client takes one call, the first goes on', async () => {
    const second = kimiCall.replace(':0', ':1')
    const { fetch } = upstream(() => json(completion({ content: kimiCall + second }, 'stop')))
    const body = chatRequest({ parallel_tool_calls: false })
    const told: string[] = []
    const client = createFetch({ fetch, onRecord: ({ code }) => told.push(code) })
    const answer = await client(chatUrl, post(body))
    expect(await answer.json()).toMatchObject({ choices: [{ message: { tool_calls: [expect.anything()] } }] })
    expect(told).toContain('forbidden-call')
  })

  it('problems and repairs are told', async () => {
    const { fetch } = upstream(() => json(completion({ content: `${kimiCall} And then?` }, 'stop')))
    const told: string[] = []
    const client = createFetch({ fetch, onRecord: ({ code }) => told.push(code) })
    await (await client(chatUrl, post(chatRequest()))).text()
    expect(told).toEqual(['stray-text'])
  })
})

describe('what createFetch leaves alone', () => {
  const answers: [string, () => Response][] = [
    ['an HTTP error', () => json({ error: { message: 'no' } }, 429, { 'retry-after': '7' })],
    ['an error with status 200', () => json({ error: { message: kimiCall } })],
    ['JSON of another shape', () => json({ data: [kimiCall] })],
    [
      'what says it is JSON and is not',
      () => new Response('<html>', { headers: { 'content-type': 'application/json' } }),
    ],
    ['plain text', () => new Response(kimiCall, { headers: { 'content-type': 'text/plain' } })],
  ]
  it.each(answers)('%s', async (_, make) => {
    const { fetch } = upstream(make)
    const [answer, expected] = [await createFetch({ fetch })(chatUrl, post(chatRequest())), make()]
    expect(answer.status).toBe(expected.status)
    expect(await answer.text()).toBe(await expected.text())
    expect(answer.headers.get('retry-after')).toBe(expected.headers.get('retry-after'))
  })

  it('an answer without a body', async () => {
    const { fetch } = upstream(() => new Response(null, { status: 204 }))
    expect((await createFetch({ fetch })(chatUrl, post(chatRequest()))).status).toBe(204)
  })

  const requests: [string, string, RequestInit | undefined][] = [
    ['another path', 'https://models.example/v1/embeddings', post(chatRequest())],
    ['a list of models', 'https://models.example/v1/models', undefined],
    ['another method', chatUrl, { method: 'PUT', body: chatRequest() }],
    ['a body that is no JSON', chatUrl, post('messages')],
    [
      'a message of a thread',
      'https://models.example/v1/threads/t/messages',
      post('{"role":"user","content":"hi"}'),
    ],
  ]
  it.each(requests)('%s', async (_, url, init) => {
    const answer = json(completion({ content: kimiCall }, 'stop'))
    const calls: unknown[][] = []
    const client = createFetch({
      fetch: (...args) => {
        calls.push(args)
        return Promise.resolve(answer)
      },
    })
    expect(await client(url, init)).toBe(answer)
    expect(calls).toEqual([[url, init]])
    expect(calls[0]?.[1]).toBe(init)
  })

  it('the failure of the fetch itself', async () => {
    const failure = new TypeError('fetch failed')
    const client = createFetch({ fetch: () => Promise.reject(failure) })
    await expect(client(chatUrl, post(chatRequest()))).rejects.toBe(failure)
  })
})

describe('a stream that createFetch passes on', () => {
  it('is read no faster than its reader reads', async () => {
    let pulled = 0
    const source = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          pulled++
          controller.enqueue(new TextEncoder().encode(chatChunk({ content: `word ${pulled} ` })))
        },
      },
      { highWaterMark: 0 },
    )
    const headers = { 'content-type': 'text/event-stream' }
    const client = createFetch({ fetch: () => Promise.resolve(new Response(source, { headers })) })
    const answer = await client(chatUrl, post(chatRequest({ stream: true })))
    const reader = answer.body?.getReader()
    await reader?.read()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(pulled).toBeLessThan(5)
    await reader?.cancel()
  })

  it('ends the upstream when its reader leaves', async () => {
    const source = new TransformStream<Uint8Array, Uint8Array>()
    const headers = { 'content-type': 'text/event-stream' }
    const client = createFetch({ fetch: () => Promise.resolve(new Response(source.readable, { headers })) })
    const answer = await client(chatUrl, post(chatRequest({ stream: true })))
    await answer.body?.cancel('enough')
    await expect(source.writable.getWriter().closed).rejects.toBe('enough')
  })

  it('fails with the very error of the upstream', async () => {
    const failure = new DOMException('stopped', 'AbortError')
    const source = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(failure) })
    const headers = { 'content-type': 'text/event-stream' }
    const client = createFetch({ fetch: () => Promise.resolve(new Response(source, { headers })) })
    const answer = await client(chatUrl, post(chatRequest({ stream: true })))
    await expect(answer.text()).rejects.toBe(failure)
  })
})

it('wrong options fail when the fetch is made, not when it is used', () => {
  expect(() => createFetch({ limits: { toolCallBytes: -1 } })).toThrow(/toolCallBytes/)
})
