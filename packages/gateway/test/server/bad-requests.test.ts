import { request as httpRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSimulator } from '../../src/simulator/server.ts'
import { ask, at, clientDialects, paths, post, readAnswer, weatherRequest } from './ask.ts'
import { type RunningGateway, startGateway, stopGateways } from './running-gateway.ts'

const simulator = createSimulator()
let gateway: RunningGateway
beforeAll(async () => {
  const upstream = await simulator.listen()
  gateway = await startGateway({
    upstream,
    settings: {
      models: [{ match: 'kimi-*', upstream: 'lab' }],
      limits: { bodyBytes: 20_000, jsonDepth: 32 },
      strictHistory: true,
    },
  })
})
afterAll(async () => {
  await stopGateways()
  await simulator.close()
})

const user = { role: 'user', content: 'hi' }
const fields: readonly (readonly [param: string | null, body: unknown])[] = [
  [null, []],
  [null, '{"model":'],
  ['model', { messages: [user] }],
  ['messages', { model: 'kimi-k2' }],
  ['messages[1].role', { model: 'kimi-k2', messages: [user, { role: 'nobody', content: 'hi' }] }],
  ['tools[0].function.name', { model: 'kimi-k2', messages: [user], tools: [{ function: {} }] }],
  [
    'tools[0].function.parameters',
    { model: 'kimi-k2', messages: [user], tools: [{ function: { name: 'a', parameters: 'x' } }] },
  ],
  [
    'messages',
    { model: 'kimi-k2', messages: [user, { role: 'tool', tool_call_id: 'call_x', content: 'sunny' }] },
  ],
]

describe('the error that a client of OpenAI gets', () => {
  it.each(fields)('names the field that is wrong: %s', async (param, body) => {
    const { status, last } = await readAnswer(await post(gateway.address, paths.openai, body))
    expect([status, at(last, 'error', 'param')]).toEqual([400, param])
  })
})

describe('a client that leaves its conversation with the server', () => {
  const thread = { thread: { id: 'thread_1' }, stream: false }

  it('is told to send all of it where the upstream speaks another dialect', async () => {
    const { status, last } = await ask(gateway.address, 'anthropic', thread)
    expect(status).toBe(400)
    expect(at(last, 'error', 'details', 'error_code')).toBe('thread_unsupported_request')
    expect(at(last, 'error', 'details', 'unsupported')).toEqual(['thread'])
  })

  it('is answered where the upstream speaks its dialect', async () => {
    const upstream = simulator.address ?? ''
    const { address } = await startGateway({ upstream, dialect: 'anthropic-messages' })
    expect((await ask(address, 'anthropic', thread)).status).toBe(200)
    expect(simulator.requests.at(-1)?.body).toMatchObject({ thread: thread.thread })
  })

  it('is not meant where the dialect has no such field', async () => {
    expect((await ask(gateway.address, 'openai', thread)).status).toBe(200)
  })
})

const deep = '['.repeat(200_000)
const bodies: readonly (readonly [name: string, body: string])[] = [
  ['nothing', ''],
  ['no JSON', '{"model": kimi}'],
  ['an array', '[]'],
  ['a number', '7'],
  ['null', 'null'],
  ['text', '"hello"'],
  ['brackets nested too deep', `{"model":"kimi-k2","messages":${deep.slice(0, 5000)}`],
  ['messages that are no list', '{"model":"kimi-k2","max_tokens":5,"messages":{}}'],
  ['no messages', '{"model":"kimi-k2","max_tokens":5}'],
  ['a message that is no object', '{"model":"kimi-k2","max_tokens":5,"messages":["hi"]}'],
  ['a model that is no text', '{"model":7,"max_tokens":5,"messages":[{"role":"user","content":"hi"}]}'],
  [
    'tools that are no list',
    '{"model":"kimi-k2","max_tokens":5,"messages":[{"role":"user","content":"hi"}],"tools":5}',
  ],
]

describe.each(clientDialects)('a request that makes no sense, from a client of %s', (dialect) => {
  it.each(bodies)('%s is a 400', async (_name, body) => {
    const asked = simulator.requests.length
    const answer = await readAnswer(await post(gateway.address, paths[dialect], body))
    expect(answer.status).toBe(400)
    expect(answer.error?.type).toBe('invalid_request_error')
    expect(answer.error?.message).not.toBe('')
    const id = answer.headers.get('x-request-id')
    if (dialect === 'anthropic') expect(answer.last).toMatchObject({ type: 'error', request_id: id })
    expect(simulator.requests).toHaveLength(asked)
  })

  it('a tool without a name is a 400 that says so', async () => {
    const tools = dialect === 'anthropic' ? [{ input_schema: {} }] : [{ type: 'function', function: {} }]
    const answer = await ask(gateway.address, dialect, { tools })
    expect(answer.status).toBe(400)
    expect(answer.error?.message).toMatch(/name/)
  })

  it('a byte order mark before the JSON says nothing', async () => {
    const body = `\uFEFF${JSON.stringify(weatherRequest(dialect, { stream: false }))}`
    const answer = await readAnswer(await post(gateway.address, paths[dialect], body))
    expect(answer).toMatchObject({ status: 200, hasCall: true })
  })

  it('a schema that is no object is a 400', async () => {
    const tools =
      dialect === 'anthropic'
        ? [{ name: 'a', input_schema: 'x' }]
        : [{ type: 'function', function: { name: 'a', parameters: 'x' } }]
    expect((await ask(gateway.address, dialect, { tools })).status).toBe(400)
  })

  it('a model that nobody has is a 404 that names it', async () => {
    const answer = await ask(gateway.address, dialect, { model: 'gpt-9' })
    expect(answer).toMatchObject({ status: 404, error: { type: 'not_found_error' } })
    expect(answer.error?.message).toContain('gpt-9')
  })

  it('a field that we do not know is no reason to refuse', async () => {
    expect(
      (await ask(gateway.address, dialect, { frobnicate: { api_base: 'http://127.0.0.1:1' } })).status,
    ).toBe(200)
  })

  it('a result without its call is a 400 that names the id, where the history must be strict', async () => {
    const orphan =
      dialect === 'anthropic'
        ? [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_lost', content: 'x' }] }]
        : [
            { role: 'user', content: 'hi' },
            { role: 'tool', tool_call_id: 'toolu_lost', content: 'x' },
          ]
    const answer = await ask(gateway.address, dialect, { messages: orphan })
    expect(answer.status).toBe(400)
    expect(answer.error?.message).toContain('toolu_lost')
  })

  it('a body that is declared too large is a 413 before it is read', async () => {
    const asked = simulator.requests.length
    const text = JSON.stringify(weatherRequest(dialect, { padding: 'x'.repeat(30_000) }))
    const answer = await readAnswer(await post(gateway.address, paths[dialect], text))
    const type = dialect === 'anthropic' ? 'request_too_large' : 'invalid_request_error'
    expect(answer).toMatchObject({ status: 413, error: { type } })
    expect(simulator.requests).toHaveLength(asked)
  })

  it('a body that grows too large is a 413 while it still grows', async () => {
    const asked = simulator.requests.length
    const { status, body } = await endlessPost(gateway.address + paths[dialect])
    expect(status).toBe(413)
    expect(at(JSON.parse(body), 'error', 'message')).toContain('20000')
    expect(simulator.requests).toHaveLength(asked)
  })
})

/** Sends a chunked body that never ends. */
function endlessPost(url: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const sending = httpRequest(url, { method: 'POST', headers: { 'content-type': 'application/json' } })
    const timer = setInterval(() => sending.write('x'.repeat(5000)), 5)
    sending.on('error', reject).on('response', (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text
      })
      response.on('end', () => {
        clearInterval(timer)
        sending
          .off('error', reject)
          .on('error', () => {})
          .destroy()
        resolve({ status: response.statusCode ?? 0, body })
      })
    })
  })
}

async function count(more: object): Promise<number> {
  const body = { model: 'kimi-k2', messages: [{ role: 'user', content: 'hi' }], ...more }
  const response = await post(gateway.address, '/v1/messages/count_tokens', body)
  expect(response.status).toBe(200)
  return Number(at(await response.json(), 'input_tokens'))
}

function result(content: unknown) {
  return { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content }] }
}

describe('count_tokens', () => {
  it('is never 0', async () => {
    expect(await count({ messages: [{ role: 'user', content: '.' }] })).toBeGreaterThan(0)
  })

  it('counts system, tools, calls and results', async () => {
    const long = 'word '.repeat(200)
    const bare = await count({})
    expect(await count({ system: long })).toBeGreaterThan(bare + 200)
    const tool = { name: 'a', description: long, input_schema: { type: 'object' } }
    expect(await count({ tools: [tool] })).toBeGreaterThan(bare + 200)
    const use = { type: 'tool_use', id: 'toolu_1', name: 'a', input: { text: long } }
    const call = { role: 'assistant', content: [use] }
    const withCall = await count({ messages: [call, result('ok')] })
    expect(withCall).toBeGreaterThan(200)
    expect(await count({ messages: [call, result(long)] })).toBeGreaterThan(withCall + 200)
    expect(await count({ messages: [call, result([{ type: 'text', text: long }])] })).toBeGreaterThan(
      withCall + 200,
    )
  })

  it('counts a picture as a picture, not as the letters that encode it', async () => {
    const source = { type: 'base64', media_type: 'image/png', data: 'A'.repeat(16_000) }
    const image = { type: 'image', source }
    const alone = await count({ messages: [{ role: 'user', content: [image] }] })
    const use = { type: 'tool_use', id: 'toolu_1', name: 'a', input: {} }
    const inResult = await count({
      messages: [
        { role: 'assistant', content: [use] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [image] }] },
      ],
    })
    for (const tokens of [alone, inResult]) {
      expect(tokens).toBeGreaterThan(1000)
      expect(tokens).toBeLessThan(3000)
    }
  })
})

describe('the name of a model that is too long', () => {
  it.each(clientDialects)('is a 400 that does not repeat it, to a client of %s', async (dialect) => {
    const { status, body } = await ask(gateway.address, dialect, { model: 'kimi-'.padEnd(5000, 'x') })
    expect(status).toBe(400)
    expect(body.length).toBeLessThan(1000)
    const line = JSON.stringify(gateway.requestLine())
    expect(line.length).toBeLessThan(2000)
  })
})
