import { request as httpRequest } from 'node:http'
import OpenAI from 'openai'
import { afterEach, describe, expect, it } from 'vitest'
import { at, inTurn, post } from './ask.ts'
import { oneKey, startGateway, stopGateways } from './running-gateway.ts'
import {
  chunk,
  completion,
  json,
  type Script,
  sse,
  startUpstream,
  stopUpstreams,
} from './scripted-upstream.ts'

afterEach(async () => {
  await stopGateways()
  stopUpstreams()
})

const tool = {
  type: 'function',
  name: 'get_weather',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
  strict: false,
}
const request = { model: 'kimi-k2', input: 'What is the weather in Paris?', tools: [tool], stream: true }

async function gatewayTo(script: Script): Promise<string> {
  const upstream = await startUpstream(script)
  return (await startGateway({ upstream: upstream.url })).address
}

function typesIn(stream: string): string[] {
  return [...stream.matchAll(/^event: (.*)$/gm)].map(([, type = '']) => type)
}

/** The data of every event. */
function eventsIn(stream: string): unknown[] {
  return [...stream.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) => JSON.parse(data))
}

function listIn(value: unknown, ...path: string[]): unknown[] {
  const list = at(value, ...path)
  return Array.isArray(list) ? list : []
}

const limited: Script = (response) =>
  json(response, 429, { error: { message: 'Too fast.', type: 'rate_limit_error' } }, { 'retry-after': '12' })

const nothing: Script = (response) => json(response, 404, {})

describe('16. client_metadata and the headers of Codex', () => {
  it('reach no upstream', async () => {
    const upstream = await startUpstream((response) => {
      sse(response, chunk({ content: 'Sunny.' }, 'stop'), '[DONE]')
      response.end()
    })
    const { address } = await startGateway({ upstream: upstream.url })
    const secret = 'git@example.com:secret.git'
    const names = ['originator', 'session-id', 'thread-id', 'x-client-request-id', 'x-codex-window-id']
    const own = [...names, 'x-codex-turn-metadata', 'x-codex-turn-state', 'x-openai-subagent']
    const headers = Object.fromEntries(own.map((name) => [name, `codex ${secret}`]))
    const body = { ...request, client_metadata: { 'x-codex-turn-metadata': secret } }
    await (await post(address, '/v1/responses', body, { headers })).text()
    const [asked] = upstream.requests
    expect(asked).toBeDefined()
    expect(JSON.stringify(asked)).not.toContain('secret')
    expect(Object.keys(asked?.headers ?? {}).filter((name) => own.includes(name))).toEqual([])
  })
})

describe('30. an upstream that answers 4xx or 5xx before the first byte', () => {
  it.each([
    [400, 400, 'invalid_request_error'],
    [403, 502, 'upstream_error'],
    [404, 404, 'not_found_error'],
    [500, 500, 'upstream_error'],
    [503, 503, 'overloaded_error'],
    [504, 504, 'timeout'],
  ])('%i is a status of %i, and no stream', async (status, told, type) => {
    const address = await gatewayTo((response) => json(response, status, { error: { message: 'No.' } }))
    const answer = await post(address, '/v1/responses', request)
    expect(answer.headers.get('content-type')).toContain('application/json')
    const error = at(await answer.json(), 'error')
    expect([answer.status, at(error, 'type'), typeof at(error, 'code')]).toEqual([told, type, 'string'])
  })
})

describe('32. a rate limit', () => {
  it('is told to Codex in the stream, with how long to wait in the message', async () => {
    const headers = { originator: 'codex_exec' }
    const answer = await post(await gatewayTo(limited), '/v1/responses', request, { headers })
    expect(answer.status).toBe(200)
    const stream = await answer.text()
    expect(typesIn(stream)).toEqual(['response.created', 'error', 'response.failed'])
    expect(at(eventsIn(stream).at(-1), 'response', 'error')).toEqual({
      code: 'rate_limit_exceeded',
      message: expect.stringMatching(/try again in 12s/),
    })
  })

  it.each([
    ['to everybody else', request, {}],
    ['to Codex where it does not stream', { ...request, stream: false }, { originator: 'codex_exec' }],
  ])('is told %s by a status and a header', async (_whom, body, headers) => {
    const answer = await post(await gatewayTo(limited), '/v1/responses', body, { headers })
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '12'])
  })
})

describe('33, 34. an answer that breaks', () => {
  const half = chunk({
    tool_calls: [
      { index: 0, id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"ci' } },
    ],
  })
  const text = chunk({ content: 'Let me see.' })

  it.each<[string, Script]>([
    [
      'an error in the middle of text',
      (response) => (sse(response, text, { error: { message: 'x' } }), response.end()),
    ],
    [
      'an error in the middle of a call',
      (response) => (sse(response, half, { error: { message: 'x' } }), response.end()),
    ],
    ['garbage', (response) => (sse(response, text, '{"choices": [', '[DONE]'), response.end())],
    ['no finish_reason', (response) => (sse(response, text), response.end())],
  ])('%s: error, failed, and nothing behind it', async (_what, script) => {
    const stream = await (await post(await gatewayTo(script), '/v1/responses', request)).text()
    const types = typesIn(stream)
    expect(types.slice(-2)).toEqual(['error', 'response.failed'])
    expect(types).not.toContain('response.completed')
    expect(stream).not.toContain('[DONE]')
    const done = eventsIn(stream).filter((event) => at(event, 'type') === 'response.output_item.done')
    expect(done.map((event) => at(event, 'item', 'type'))).not.toContain('function_call')
  })

  it('35. nothing after failed; socket closed', async () => {
    // The upstream itself goes on, and does not close.
    const address = await gatewayTo((response) =>
      sse(
        response,
        text,
        { error: { message: 'x' } },
        chunk({ content: 'more' }),
        chunk({}, 'stop'),
        '[DONE]',
      ),
    )
    const stream = await (await post(address, '/v1/responses', request)).text()
    expect(stream.trimEnd().split('\n\n').at(-1)).toMatch(/^event: response\.failed\n/)
    expect(stream).not.toContain('more')
  })

  it('36. the items that were done before it are a history that works', async () => {
    const upstream = await startUpstream((response, nth) => {
      if (nth === 1) {
        const rest = { tool_calls: [{ index: 0, function: { arguments: 'ty":"Oslo"}' } }] }
        sse(response, text, half, chunk(rest), chunk({ content: 'And' }), { error: { message: 'x' } })
      } else {
        sse(response, chunk({ content: 'Sunny.' }, 'stop'), '[DONE]')
      }
      response.end()
    })
    const { address } = await startGateway({ upstream: upstream.url })
    const first = await (await post(address, '/v1/responses', request)).text()
    const items = eventsIn(first)
      .filter((event) => at(event, 'type') === 'response.output_item.done')
      .map((event) => at(event, 'item'))
    const calls = items.filter((item) => at(item, 'type') === 'function_call')
    const results = calls.map((call) => ({
      type: 'function_call_output',
      call_id: at(call, 'call_id'),
      output: '21',
    }))
    const question = { type: 'message', role: 'user', content: 'What is the weather in Paris?' }
    const again = { ...request, input: [question, ...items, ...results] }
    const second = await (await post(address, '/v1/responses', again)).text()
    expect(typesIn(second).at(-1)).toBe('response.completed')
  })
})

describe('37. a sign of life', () => {
  it('is no event before the response was created', async () => {
    const upstream = await startUpstream((response) => {
      setTimeout(() => {
        sse(response, chunk({ content: 'Sunny.' }, 'stop'), '[DONE]')
        response.end()
      }, 200)
    })
    const settings = { timeouts: { ping: '30ms' } }
    const { address } = await startGateway({ upstream: upstream.url, settings })
    const stream = await (await post(address, '/v1/responses', request)).text()
    expect(stream.indexOf(':')).toBe(0)
    expect(typesIn(stream)[0]).toBe('response.created')
    expect(at(eventsIn(stream)[0], 'sequence_number')).toBe(0)
  })
})

describe('41. the ids of calls', () => {
  it('are unique over ten turns, though the upstream repeats its own', async () => {
    const address = await gatewayTo((response) => {
      const call = { name: 'get_weather', arguments: '{}' }
      const calls = [{ index: 0, id: 'functions.get_weather:0', type: 'function', function: call }]
      sse(response, chunk({ tool_calls: calls }), chunk({}, 'tool_calls'), '[DONE]')
      response.end()
    })
    const input: unknown[] = [{ role: 'user', content: 'What is the weather in Paris?' }]
    await inTurn([...Array(10).keys()], async () => {
      const stream = await (await post(address, '/v1/responses', { ...request, input })).text()
      const output = listIn(eventsIn(stream).at(-1), 'response', 'output')
      const ids = output.map((item) => at(item, 'call_id')).filter((id) => id !== undefined)
      const results = ids.map((id) => ({ type: 'function_call_output', call_id: id, output: '21' }))
      input.push(...output, ...results)
    })
    const ids = input
      .filter((item) => at(item, 'type') === 'function_call')
      .map((item) => at(item, 'call_id'))
    expect(ids).toHaveLength(10)
    expect(new Set(ids).size).toBe(10)
  })
})

describe('43. what stands around the answers', () => {
  it.each([
    ['GET', '/v1/responses/resp_1'],
    ['DELETE', '/v1/responses/resp_1'],
    ['GET', '/v1/responses/resp_1/input_items?limit=3'],
    ['POST', '/v1/responses/resp_1/cancel'],
    ['GET', '/responses/resp_1'],
  ])('%s %s is a 404: nothing is kept', async (method, path) => {
    const answer = await fetch(`${await gatewayTo(nothing)}${path}`, { method })
    expect(answer.status).toBe(404)
    expect(await answer.json()).toMatchObject({
      error: { type: 'invalid_request_error', code: 'response_not_found', message: expect.any(String) },
    })
  })

  it('the SDK of its vendor takes them for responses that are not there', async () => {
    const client = new OpenAI({ apiKey: 'k', baseURL: `${await gatewayTo(nothing)}/v1`, maxRetries: 0 })
    await expect(client.responses.retrieve('resp_1')).rejects.toMatchObject({ status: 404 })
    await expect(client.responses.delete('resp_1')).rejects.toMatchObject({ status: 404 })
    await expect(client.responses.cancel('resp_1')).rejects.toMatchObject({ status: 404 })
    await expect(client.responses.inputItems.list('resp_1')).rejects.toMatchObject({ status: 404 })
  })

  it('needs a key where answers need one', async () => {
    const { keys, headers } = oneKey
    const { address } = await startGateway({ upstream: 'http://127.0.0.1:1/v1', settings: { keys } })
    expect((await fetch(`${address}/v1/responses/resp_1`)).status).toBe(401)
    expect((await fetch(`${address}/v1/responses/resp_1`, { headers })).status).toBe(404)
  })

  it('a handshake for a WebSocket is a 426, and any other GET a 405', async () => {
    const address = await gatewayTo(nothing)
    const headers = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    }
    const status = await new Promise((resolve, fail) => {
      httpRequest(`${address}/v1/responses`, { headers }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
        .on('error', fail)
        .end()
    })
    expect(status).toBe(426)
    const plain = await fetch(`${address}/v1/responses`)
    expect([plain.status, plain.headers.get('allow')]).toEqual([405, 'POST'])
  })

  it('a method keeps its address: no response is called so', async () => {
    const address = await gatewayTo(nothing)
    const answers = await Promise.all(
      ['compact', 'input_tokens'].map((name) => fetch(`${address}/v1/responses/${name}`)),
    )
    expect(answers.map(({ status }) => status)).toEqual([405, 405])
  })

  it.each([
    ['a text', 'Hi'],
    ['items', [{ role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }]],
  ])('input_tokens counts %s, and never nothing', async (_what, input) => {
    const address = await gatewayTo(nothing)
    const answer = await post(address, '/v1/responses/input_tokens', { model: 'kimi-k2', input })
    const body: unknown = await answer.json()
    expect(body).toEqual({ object: 'response.input_tokens', input_tokens: expect.any(Number) })
    expect(Number(at(body, 'input_tokens'))).toBeGreaterThan(0)
  })

  it('input_tokens is what the server counts, where it can', async () => {
    const upstream = await startUpstream((response) => json(response, 200, { input_tokens: 4321 }))
    const { address } = await startGateway({ upstream: upstream.url, kind: 'vllm' })
    const answer = await post(address, '/v1/responses/input_tokens', { model: 'kimi-k2', input: 'Hi' })
    expect(at(await answer.json(), 'input_tokens')).toBe(4321)
  })

  it.each([
    ['the header of Codex', '', { originator: 'codex_cli_rs' }],
    ['its parameter', '?client_version=0.166.0', {}],
  ])('models has the catalogue of Codex for %s', async (_how, query, headers) => {
    const settings = { models: [{ match: 'kimi-k2', upstream: 'lab', window: 65_536 }] }
    const { address } = await startGateway({ upstream: 'http://127.0.0.1:1/v1', settings })
    const list: unknown = await (await fetch(`${address}/v1/models${query}`, { headers })).json()
    expect(list).toMatchObject({ object: 'list', data: [{ id: 'kimi-k2' }] })
    const [entry] = listIn(list, 'models')
    expect(entry).toMatchObject({
      slug: 'kimi-k2',
      context_window: 65_536,
      apply_patch_tool_type: 'freeform',
      shell_type: 'unified_exec',
      visibility: 'list',
      supported_in_api: true,
      support_verbosity: false,
      truncation_policy: { mode: 'tokens', limit: expect.any(Number) },
      experimental_supported_tools: [],
    })
    for (const field of ['display_name', 'supported_reasoning_levels', 'priority', 'base_instructions']) {
      expect(at(entry, field)).toBeDefined()
    }
  })

  it('models has it for nobody else', async () => {
    const list: unknown = await (await fetch(`${await gatewayTo(nothing)}/v1/models`)).json()
    expect(at(list, 'models')).toBeUndefined()
  })
})

describe('the headers of an answer', () => {
  it.each([true, false])('say that reasoning is counted, and name no model (stream: %s)', async (stream) => {
    const address = await gatewayTo((response) => {
      const headers = { 'openai-model': 'm', 'x-models-etag': 'e' }
      json(response, 200, completion('Sunny.'), headers)
    })
    const { headers } = await post(address, '/v1/responses', { ...request, stream })
    expect(headers.get('x-reasoning-included')).toBe('true')
    expect([headers.get('openai-model'), headers.get('x-models-etag')]).toEqual([null, null])
  })

  it('say nothing of the kind to clients of other dialects', async () => {
    const address = await gatewayTo((response) => json(response, 200, completion('Sunny.')))
    const body = { model: 'kimi-k2', messages: [{ role: 'user', content: 'Hi' }] }
    const { headers } = await post(address, '/v1/chat/completions', body)
    expect(headers.get('x-reasoning-included')).toBeNull()
  })
})
