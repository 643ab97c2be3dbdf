import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import { afterEach, describe, expect, it } from 'vitest'
import { isGatewayAt, type KnownGateway, limitsOf, listedModels } from '../../src/launch/known-gateway.ts'

const stops: (() => void)[] = []

afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

async function server(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const listening = createServer(answer).listen(0, '127.0.0.1')
  await once(listening, 'listening')
  stops.push(() => {
    listening.close()
    listening.closeAllConnections()
  })
  const address = listening.address()
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
}

function answering(status: number, body: unknown, headers: Record<string, string> = {}): Promise<string> {
  return server((_request, response) => response.writeHead(status, headers).end(JSON.stringify(body)))
}

describe('a gateway of ours', () => {
  const ids = { 'x-request-id': 'a', 'request-id': 'a' }

  it('is known by what it says about its health, and by the id of the request in both headers', async () => {
    expect(await isGatewayAt(await answering(200, { status: 'ok' }, ids))).toBe(true)
  })

  it('is not another server that is well, nor one that is about to end, nor silence', async () => {
    expect(await isGatewayAt(await answering(200, { status: 'ok' }))).toBe(false)
    expect(await isGatewayAt(await answering(200, { status: 'ok' }, { 'x-request-id': 'a' }))).toBe(false)
    expect(await isGatewayAt(await answering(503, { status: 'draining' }, ids))).toBe(false)
    expect(await isGatewayAt('http://127.0.0.1:9')).toBe(false)
  })
})

async function gateway(status: number, body: unknown): Promise<KnownGateway> {
  return { base: await answering(status, body), key: undefined }
}

describe('what a gateway tells of its models', () => {
  it('is their names, in order', async () => {
    const listed = { data: [{ id: 'b' }, { id: 'a' }, { name: 'no id' }, null] }
    expect(await listedModels(await gateway(200, listed))).toEqual(['b', 'a'])
    expect(await listedModels(await gateway(200, []))).toEqual([])
  })

  it.each([
    [{ context_length: 4096 }, { window: 4096, maxOutput: null }],
    [
      { max_model_len: 4096, max_output_tokens: 512 },
      { window: 4096, maxOutput: 512 },
    ],
    [
      { context_length: null, context_window: 4096 },
      { window: 4096, maxOutput: null },
    ],
    [
      { context_length: '4096', max_output_tokens: 0 },
      { window: null, maxOutput: null },
    ],
    [{ id: 'm' }, { window: null, maxOutput: null }],
    ['nothing', { window: null, maxOutput: null }],
  ])('is the room that they have: %j', async (body, limits) => {
    expect(await limitsOf(await gateway(200, body), 'm')).toEqual(limits)
  })

  it('is nothing where the model is not known, or where it does not answer', async () => {
    const unknown = { window: null, maxOutput: null }
    expect(await limitsOf(await gateway(404, { context_length: 1 }), 'm')).toEqual(unknown)
    expect(await limitsOf({ base: 'http://127.0.0.1:9', key: undefined }, 'm')).toEqual(unknown)
  })

  it('is a failure where their names are needed', async () => {
    await expect(listedModels(await gateway(503, {}))).rejects.toThrow('lists no models: it answers 503')
    const silent = { base: 'http://127.0.0.1:9', key: undefined }
    await expect(listedModels(silent)).rejects.toThrow('the gateway at http://127.0.0.1:9 does not answer')
  })

  it('is asked for with the name in one piece, and with the key', async () => {
    const seen: unknown[] = []
    const base = await server(({ url, headers }, response) => {
      seen.push(url, headers.authorization)
      response.end('{}')
    })
    await limitsOf({ base, key: 'k' }, 'org/model')
    expect(seen).toEqual(['/v1/models/org%2Fmodel', 'Bearer k'])
  })

  it('is told to nobody without the right key', async () => {
    const { base } = await gateway(401, { error: {} })
    await expect(listedModels({ base, key: undefined })).rejects.toThrow('wants a key')
    await expect(limitsOf({ base, key: 'k' }, 'm')).rejects.toThrow('refuses the key')
  })
})
