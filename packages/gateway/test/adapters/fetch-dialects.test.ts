import { type ConversationRequest, type DialectId, dialectIds, dialects } from '@dragoman/core'
import { createFetch, type FetchOptions } from '@dragoman/core/fetch'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSimulator, type Simulator } from '../../src/simulator/server.ts'
import { understood, weatherIn } from '../simulator/speaking.ts'

let simulator: Simulator
let base = ''
beforeAll(async () => {
  simulator = createSimulator({ strict: true })
  base = await simulator.listen()
})
afterAll(() => simulator.close())

/** Asks as an SDK of this dialect does, through the adapter. */
function askThrough(
  client: DialectId,
  request: ConversationRequest,
  options: FetchOptions,
  init: RequestInit = {},
): Promise<Response> {
  const { request: writes, http } = dialects[client]
  const { body } = writes.encode(request, { model: request.model, format: writes.format ?? 'standard' })
  return createFetch(options)(base + http.upstreamPath('', request.model, request.stream), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...http.headers('the-key') },
    body: JSON.stringify(body),
    ...init,
  })
}

const pairings = dialectIds.flatMap((client) => dialectIds.map((server) => [client, server] as const))

describe.each(pairings)('createFetch for a client of %s and an upstream of %s', (client, server) => {
  const upstream = { dialect: server }

  it.each(['stream', 'whole'] as const)('gives calls in the text back as calls: %s', async (delivery) => {
    const reasoning = { mode: 'adaptive' } as const
    const request = weatherIn('kimi-k2+think', { stream: delivery === 'stream', reasoning })
    const response = await askThrough(client, request, { upstream })
    expect(response.status).toBe(200)
    const answer = understood(client, delivery, await response.text())
    expect(answer).toMatchObject({ calls: [{ name: 'get_weather' }], finish: 'tool-calls', failure: null })
    expect(JSON.parse(answer.calls[0]?.json ?? '')).toEqual({ city: 'Paris' })
    expect(answer.reasoning).toContain('simulated thought')
    expect(simulator.requests.at(-1)?.headers).toMatchObject(dialects[server].http.headers('the-key'))
  })

  it('keeps calls that the server has read', async () => {
    const response = await askThrough(client, weatherIn('standard'), { upstream })
    const answer = understood(client, 'stream', await response.text())
    expect(answer).toMatchObject({ calls: [{ name: 'get_weather' }], finish: 'tool-calls' })
  })

  it('tells a refusal in the words of the client', async () => {
    const response = await askThrough(client, weatherIn('standard+429'), { upstream })
    expect(response.status).toBe(429)
    const told = JSON.stringify(await response.json())
    expect(told).toContain('A simulated HTTP 429.')
  })

  it('fails where the upstream breaks off', async () => {
    const response = await askThrough(client, weatherIn('kimi-k2+error'), { upstream })
    const { failure, finish } = understood(client, 'stream', await response.text())
    expect(failure).not.toBeNull()
    expect(finish).toBeNull()
  })
})

describe('createFetch with an upstream of another dialect', () => {
  it('goes to another address, with another key, model and headers', async () => {
    const sent: Request[] = []
    const response = await askThrough('openai-responses', weatherIn('my-model', { stream: false }), {
      fetch: async (input, init) => {
        sent.push(new Request(input, init))
        return fetch(input, init)
      },
      upstream: {
        dialect: 'gemini',
        url: `${base}beta/`,
        apiKey: 'other-key',
        model: 'standard',
        headers: { 'x-lab': '1' },
      },
    })
    expect(response.status).toBe(200)
    expect(sent[0]?.url).toBe(`${base}beta/models/standard:generateContent`)
    expect(sent[0]?.headers.get('x-goog-api-key')).toBe('other-key')
    expect(sent[0]?.headers.get('x-lab')).toBe('1')
    expect(sent[0]?.headers.get('authorization')).toBeNull()
    expect(await response.json()).toMatchObject({ object: 'response', model: 'my-model' })
  })

  it('refuses a request that cannot be read, and asks nobody', async () => {
    const before = simulator.requests.length
    const answer = await askThrough(
      'openai-chat',
      weatherIn('standard'),
      { upstream: { dialect: 'gemini' } },
      { body: '{"model":"m","messages":[]}' },
    )
    expect(answer.status).toBe(400)
    expect(simulator.requests).toHaveLength(before)
  })

  it('tells what could not be said there', async () => {
    const warnings: string[] = []
    const request = weatherIn('standard', { topK: 7 })
    await (
      await askThrough('anthropic-messages', request, {
        upstream: { dialect: 'openai-responses' },
        onWarning: (message) => warnings.push(message),
      })
    ).text()
    expect(warnings.join('\n')).toContain('top_k')
  })

  it('leaves what asks for no answer alone', async () => {
    const list = await createFetch({ upstream: { dialect: 'gemini' } })(`${base}/models`)
    expect(await list.json()).toMatchObject({ object: 'list' })
  })
})
