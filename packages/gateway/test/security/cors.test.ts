import { createHash } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { routes } from '../../src/server/route-table.ts'
import { weatherRequest } from '../server/ask.ts'
import { type RunningGateway, startGateway, stopGateways } from '../server/running-gateway.ts'
import { completion, json, startUpstream, stopUpstreams, until } from '../server/scripted-upstream.ts'

const app = 'https://app.example'
const key = 'a-client-key-of-some-length'
const keys = [{ name: 'page', sha256: createHash('sha256').update(key).digest('hex') }]
let listing: RunningGateway
let withList = ''
let withoutList = ''

beforeAll(async () => {
  const upstream = await startUpstream((response) => json(response, 200, completion('hello')))
  const listen = { allowedOrigins: [app, 'http://localhost:5173'] }
  listing = await startGateway({ upstream: upstream.url, settings: { keys, listen } })
  withList = listing.address
  withoutList = (await startGateway({ upstream: upstream.url, settings: { keys } })).address
})
afterAll(async () => {
  await stopGateways()
  stopUpstreams()
})

interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/** With headers that only browsers may set. */
function send(url: string, method: string, headers: Record<string, string>, body?: unknown): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sending = httpRequest(url, { method, headers, agent: false }, (response) => {
      response.resume().on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers })
      })
    })
    sending.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body))
  })
}

function corsOf({ headers }: Reply): Record<string, unknown> {
  const told = Object.entries(headers).filter(
    ([name]) => name.startsWith('access-control') || name === 'vary',
  )
  return Object.fromEntries(told)
}

/** The line of the log for it. */
function answered({ headers }: Reply) {
  return listing.lines.find(
    ({ msg, requestId }) => msg === 'request' && requestId === headers['x-request-id'],
  )
}

const preflight = {
  origin: app,
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'content-type,x-api-key,x-stainless-lang',
  'sec-fetch-site': 'cross-site',
}

const servedRoutes = routes.filter(({ serves }) => serves !== 'refusal')

describe('a page of an allowed origin', () => {
  it('may read an answer: its own origin is named, and no other', async () => {
    const headers = {
      origin: app,
      'sec-fetch-site': 'cross-site',
      'content-type': 'application/json',
      authorization: `Bearer ${key}`,
    }
    const body = weatherRequest('openai', { stream: false })
    const reply = await send(`${withList}/v1/chat/completions`, 'POST', headers, body)
    expect(reply.status).toBe(200)
    expect(corsOf(reply)).toEqual({
      'access-control-allow-origin': app,
      'access-control-expose-headers': 'x-request-id, request-id, retry-after',
      vary: 'Origin',
    })
  })

  it('may read why it is refused', async () => {
    const reply = await send(`${withList}/v1/models`, 'GET', { origin: app })
    expect(reply.status).toBe(401)
    expect(reply.headers['access-control-allow-origin']).toBe(app)
  })

  it.each(servedRoutes)(
    'may ask what it may send, without a key: $method $path',
    async ({ path, method }) => {
      const reply = await send(withList + path, 'OPTIONS', preflight)
      expect(reply.status).toBe(204)
      await until(() => answered(reply) !== undefined, 500)
      expect(answered(reply)).toMatchObject({ route: path, how: 'answered', failure: null })
      expect(corsOf(reply)).toEqual({
        'access-control-allow-origin': app,
        'access-control-allow-methods': method === 'GET' ? 'GET, HEAD' : 'POST',
        'access-control-allow-headers': 'content-type,x-api-key,x-stainless-lang',
        'access-control-expose-headers': 'x-request-id, request-id, retry-after',
        'access-control-max-age': '600',
        vary: 'Origin, Access-Control-Request-Headers',
      })
    },
  )

  it('learns that there is no such route', async () => {
    expect((await send(`${withList}/v1/nothing`, 'OPTIONS', preflight)).status).toBe(404)
  })
})

describe('a page of any other origin', () => {
  it.each(['https://evil.example', 'null', 'https://app.example.evil', 'https://APP.example', '*'])(
    'is refused without a word of CORS: %s',
    async (origin) => {
      for (const address of [withList, withoutList]) {
        const asked = await send(`${address}/v1/models`, 'OPTIONS', { ...preflight, origin })
        const read = await send(`${address}/v1/models`, 'GET', { origin, authorization: `Bearer ${key}` })
        expect([asked.status, read.status]).toEqual([403, 403])
        const told = { ...corsOf(asked), ...corsOf(read) }
        expect(Object.keys(told).filter((name) => name !== 'vary')).toEqual([])
      }
    },
  )

  it('is refused where it hides its origin', async () => {
    const headers = { 'sec-fetch-site': 'cross-site', authorization: `Bearer ${key}` }
    expect((await send(`${withList}/v1/models`, 'GET', headers)).status).toBe(403)
  })
})

describe('a program that is no page', () => {
  it('is told nothing of CORS, but caches are, where there are allowed origins', async () => {
    expect(corsOf(await send(`${withList}/health`, 'GET', {}))).toEqual({ vary: 'Origin' })
    expect(corsOf(await send(`${withoutList}/health`, 'GET', {}))).toEqual({})
  })
})
