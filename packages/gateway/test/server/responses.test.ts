import OpenAI from 'openai'
import { afterEach, describe, expect, it } from 'vitest'
import { post } from './ask.ts'
import { startGateway, stopGateways } from './running-gateway.ts'
import { chunk, json, type Script, sse, startUpstream, stopUpstreams, until } from './scripted-upstream.ts'

afterEach(async () => {
  await stopGateways()
  stopUpstreams()
})

const request = {
  model: 'kimi-k2',
  input: 'What is the weather in Paris?',
  tools: [
    {
      type: 'function',
      name: 'get_weather',
      parameters: { type: 'object', properties: { city: { type: 'string' } } },
      strict: false,
    },
  ],
  stream: true,
}

async function gatewayTo(script: Script, settings: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const upstream = await startUpstream(script)
  const { address } = await startGateway({ upstream: upstream.url, settings })
  return address
}

/** The types of the events of a stream. */
function typesIn(stream: string): string[] {
  return [...stream.matchAll(/^event: (.*)$/gm)].map(([, type = '']) => type)
}

const call = chunk({
  tool_calls: [
    { index: 0, id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"city":' } },
  ],
})

const tooLong: Script = (response) =>
  json(response, 400, {
    error: {
      message:
        "This model's maximum context length is 4096 tokens. However, your messages resulted in 9000 tokens.",
    },
  })

describe('a client of responses', () => {
  it('gets text and calls of a chat upstream, as the SDK of its vendor reads them', async () => {
    const address = await gatewayTo((response) => {
      const rest = { tool_calls: [{ index: 0, function: { arguments: '"Paris"}' } }] }
      sse(response, chunk({ content: 'Let me see.' }), call, chunk(rest), chunk({}, 'tool_calls'), '[DONE]')
      response.end()
    })
    const client = new OpenAI({ apiKey: 'k', baseURL: `${address}/v1`, maxRetries: 0 })
    const answer = await client.responses
      .stream({ model: 'kimi-k2', input: 'What is the weather in Paris?' })
      .finalResponse()
    expect(answer.output).toMatchObject([
      { type: 'message', content: [{ text: 'Let me see.' }] },
      { type: 'function_call', call_id: 'call_1', name: 'get_weather', arguments: '{"city":"Paris"}' },
    ])
  })

  it('31. overflow, streamed: is told in the stream, where alone Codex makes its conversation shorter', async () => {
    const response = await post(await gatewayTo(tooLong), '/v1/responses', request)
    expect(response.status).toBe(200)
    const stream = await response.text()
    expect(typesIn(stream)).toEqual(['response.created', 'error', 'response.failed'])
    expect(stream).toContain('"code":"context_length_exceeded"')
    const ids = [...stream.matchAll(/"id":"(resp_\w+)"/g)].map(([, id]) => id)
    expect(ids).toEqual([ids[0], ids[0]])
    expect(ids[0]).toBe(`resp_${response.headers.get('x-request-id')?.replaceAll(/\W|_/g, '')}`)
  })

  it('31. overflow, not streamed: is told by a status', async () => {
    const response = await post(await gatewayTo(tooLong), '/v1/responses', { ...request, stream: false })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { code: 'context_length_exceeded' } })
  })

  it('gets a whole response where it does not stream', async () => {
    const address = await gatewayTo((response) => {
      json(response, 200, {
        id: 'c',
        choices: [{ index: 0, message: { role: 'assistant', content: 'Sunny.' }, finish_reason: 'stop' }],
      })
    })
    const answer = await post(address, '/v1/responses', { ...request, stream: false })
    expect(await answer.json()).toMatchObject({
      object: 'response',
      status: 'completed',
      model: 'kimi-k2',
      output: [{ type: 'message', content: [{ type: 'output_text', text: 'Sunny.' }] }],
    })
  })

  it('is told by an event that we live, once its response was created', async () => {
    let heard = ''
    const address = await gatewayTo(
      async (response) => {
        sse(response, chunk({ content: 'Sun' }))
        await until(() => heard.includes('event: keepalive')).catch(() => {})
        sse(response, chunk({ content: 'ny.' }, 'stop'), '[DONE]')
        response.end()
      },
      { timeouts: { ping: '40ms' } },
    )
    const answer = await post(address, '/v1/responses', request)
    const decoder = new TextDecoder()
    for await (const piece of answer.body ?? []) heard += decoder.decode(piece, { stream: true })
    const types = typesIn(heard)
    expect(types.indexOf('keepalive')).toBeGreaterThan(types.indexOf('response.created'))
    const numbers = [...heard.matchAll(/"sequence_number":(\d+)/g)].map(([, number]) => Number(number))
    expect(numbers).toEqual(numbers.map((_, at) => at))
    expect(types.at(-1)).toBe('response.completed')
  })

  it.each([
    [400, { error: { message: 'No.', type: 'invalid_request_error' } }, 400],
    [429, { error: { message: 'Slow down.', type: 'rate_limit_error' } }, 429],
    [503, { error: { message: 'Busy.' } }, 503],
    [401, { error: { message: 'Wrong key.' } }, 502],
  ])('gets the status of an upstream that answers %i at once', async (status, body, told) => {
    const address = await gatewayTo((response) => json(response, status, body))
    const answer = await post(address, '/v1/responses', request)
    expect(answer.status).toBe(told)
    expect(await answer.json()).toMatchObject({
      error: { message: expect.any(String), type: expect.any(String), code: expect.any(String), param: null },
    })
  })

  it('is told of a failure in the middle of a call, which is not done, and the stream ends', async () => {
    let isHeard = false
    const address = await gatewayTo(async (response) => {
      sse(response, chunk({ content: 'Let me see.' }), call)
      await until(() => isHeard)
      response.destroy()
    })
    const answer = await post(address, '/v1/responses', request)
    isHeard = true
    const stream = await answer.text()
    expect(typesIn(stream).slice(-2)).toEqual(['error', 'response.failed'])
    expect(typesIn(stream).filter((type) => type === 'response.output_item.done')).toHaveLength(1)
  })

  it('38. idle upstream: failed', async () => {
    const address = await gatewayTo((response) => sse(response, chunk({ content: 'Let me' })), {
      timeouts: { idle: '150ms' },
    })
    const stream = await (await post(address, '/v1/responses', request)).text()
    expect(typesIn(stream).slice(-2)).toEqual(['error', 'response.failed'])
  })

  it.each<[string, readonly object[]]>([
    ['before the first byte', []],
    ['in the middle of text', [chunk({ content: 'Let me' })]],
    ['in the middle of a call', [call]],
  ])('38. client gone %s: upstream aborted', async (_phase, events) => {
    let state: 'waiting' | 'asked' | 'closed' = 'waiting'
    const address = await gatewayTo((response) => {
      state = 'asked'
      response.on('close', () => {
        state = 'closed'
      })
      if (events.length > 0) sse(response, ...events)
    })
    const leaving = new AbortController()
    const answer = post(address, '/v1/responses', request, { signal: leaving.signal })
    if (events.length > 0) await (await answer).body?.getReader().read()
    await until(() => state === 'asked')
    leaving.abort()
    await answer.catch(() => {})
    await until(() => state === 'closed')
    expect(state).toBe('closed')
  })
})
