import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type HttpRoute, routes } from '../../src/server/route-table.ts'
import { createSimulator } from '../../src/simulator/server.ts'
import { at, weatherRequest, inTurn } from '../server/ask.ts'
import { type RunningGateway, startGateway, stopGateways } from '../server/running-gateway.ts'

const key = 'a-client-key-of-some-length'
const sha256 = createHash('sha256').update(key).digest('hex')
const simulator = createSimulator()
let open: RunningGateway
let locked: RunningGateway
let limited: RunningGateway

beforeAll(async () => {
  const upstream = await simulator.listen()
  const keys = [
    { name: 'other', sha256: createHash('sha256').update('another-key-of-some-length').digest('hex') },
    { name: 'laptop', sha256 },
  ]
  open = await startGateway({ upstream })
  locked = await startGateway({ upstream, settings: { keys, limits: { authFailuresPerMinute: 1000 } } })
  limited = await startGateway({ upstream, settings: { keys, limits: { authFailuresPerMinute: 3 } } })
})
afterAll(async () => {
  await stopGateways()
  await simulator.close()
})

interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

/** Any headers at all, also those that `fetch` does not let one set. */
function send(
  { address }: RunningGateway,
  { method, path }: { method: string; path: string },
  headers: Readonly<Record<string, string>> = {},
  body?: string,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sending = httpRequest(`${address}${path}`, { method, headers, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece
      })
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text })
      })
    })
    sending.on('error', reject).end(body)
  })
}

/** A request that its route answers with 200. */
function sendRight(
  gateway: RunningGateway,
  route: HttpRoute,
  headers: Readonly<Record<string, string>> = {},
) {
  if (route.method === 'GET') return send(gateway, route, headers)
  const body = JSON.stringify(bodyFor(route))
  return send(gateway, route, { 'content-type': 'application/json', ...headers }, body)
}

function bodyFor({ dialect }: HttpRoute): object {
  if (dialect === 'gemini') return { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }
  if (dialect === 'openai-responses') return { model: 'kimi-k2', input: 'hi' }
  return weatherRequest(dialect === 'openai-chat' ? 'openai' : 'anthropic', { stream: false })
}

/** Clients of Gemini may show their key in the address. */
function isOfGemini({ dialect, path }: HttpRoute): boolean {
  return dialect === 'gemini' || path.startsWith('/v1beta/')
}

/** In the place of a stream that would have been an array, an error stands in one as well. */
function errorIn({ body }: Reply): unknown {
  const [told]: unknown[] = [JSON.parse(body)].flat()
  return at(told, 'error')
}

function expectNoCors({ headers }: Reply): void {
  expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
}

const reachedRoutes = routes.map((route): HttpRoute =>
  Object.assign({}, route, { path: route.path.replaceAll(/\{\w+\}/g, 'kimi-k2') }),
)
const askedRoutes = reachedRoutes.filter(({ serves }) => serves !== 'refusal')
const refusedRoutes = reachedRoutes.flatMap((route) => (route.serves === 'refusal' ? [route] : []))

describe.each(askedRoutes.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s',
  (_name, route) => {
    it('answers, with an id of the request', async () => {
      const reply = await sendRight(open, route)
      expect(reply.status).toBe(200)
      expect(reply.headers['x-request-id']).toMatch(/^[\da-f-]{36}$/)
      expectNoCors(reply)
    })

    it('refuses a Host that is not ours, unless probes ask there', async () => {
      const isProbed = route.path.startsWith('/health')
      const asked = simulator.requests.length
      await inTurn(
        ['evil.example', '127.0.0.1.evil.example', `localhost:1`, '169.254.169.254', '0.0.0.0'],
        async (host) => {
          const reply = await sendRight(open, route, { host })
          expect(reply.status).toBe(isProbed ? 200 : 403)
          expect(errorIn(reply) === undefined).toBe(isProbed)
        },
      )
      expect(simulator.requests).toHaveLength(asked)
    })

    it('takes every name of the loopback, with the own port or none', async () => {
      const { port } = new URL(open.address)
      await inTurn(
        ['localhost', '127.0.0.1', '[::1]', `localhost:${port}`, `LOCALHOST:${port}`, `[::1]:${port}`],
        async (host) => {
          expect((await sendRight(open, route, { host })).status).toBe(200)
        },
      )
    })

    it('refuses two Hosts', async () => {
      const socket = connect(Number(new URL(open.address).port), '127.0.0.1')
      socket.write(`${route.method} ${route.path} HTTP/1.1\r\nhost: localhost\r\nhost: localhost\r\n\r\n`)
      const [reply] = await once(socket, 'data')
      socket.destroy()
      expect(String(reply)).toMatch(/^HTTP\/1.1 400 /)
    })

    it('refuses what comes from a web page', async () => {
      await inTurn(['https://evil.example', 'null', open.address], async (origin) => {
        const reply = await sendRight(open, route, { origin })
        expect(reply.status).toBe(403)
        expectNoCors(reply)
      })
      expect((await sendRight(open, route, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    })

    it('refuses a preflight without a word about CORS', async () => {
      const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' }
      const reply = await send(open, { method: 'OPTIONS', path: route.path }, headers)
      expect(reply.status).toBe(403)
      expectNoCors(reply)
      const bare = await send(open, { method: 'OPTIONS', path: route.path })
      expect(bare.status).toBe(405)
      expectNoCors(bare)
    })

    it('refuses every other method and says which it takes', async () => {
      await inTurn(['PUT', 'DELETE', 'PATCH', route.method === 'GET' ? 'POST' : 'GET'], async (method) => {
        const reply = await send(open, { method, path: route.path }, { 'content-type': 'application/json' })
        expect(reply.status).toBe(405)
        expect(reply.headers['allow']).toBe(route.method === 'GET' ? 'GET, HEAD' : 'POST')
      })
    })

    it('answers HEAD like GET, without the body', async () => {
      const reply = await send(open, { method: 'HEAD', path: route.path })
      expect(reply.status).toBe(route.method === 'GET' ? 200 : 405)
      expect(reply.body).toBe('')
    })

    it('asks for a key where keys are configured, unless it tells nothing but that we live', async () => {
      const isOpen = route.path.startsWith('/health') || route.path === '/api/hello'
      const asked = simulator.requests.length
      await inTurn(
        [
          {},
          { authorization: 'Bearer wrong' },
          { 'x-api-key': 'wrong' },
          { authorization: `Basic ${key}` },
          { 'x-api-key': sha256 },
        ],
        async (headers) => {
          const reply = await sendRight(locked, route, headers)
          expect(reply.status).toBe(isOpen ? 200 : 401)
          expect(reply.body).not.toContain('wrong')
        },
      )
      const query = await send(locked, { ...route, path: `${route.path}?key=${key}` }, {})
      const isLetIn = isOpen || isOfGemini(route)
      expect(query.status).toBe(isLetIn ? (route.method === 'GET' ? 200 : 415) : 401)
      expect(simulator.requests).toHaveLength(asked)
      const both = { authorization: 'Bearer for-somebody-else', 'x-api-key': key }
      await inTurn([{ authorization: `Bearer ${key}` }, { 'x-api-key': key }, both], async (headers) => {
        expect((await sendRight(locked, route, headers)).status).toBe(200)
      })
    })

    if (route.method === 'POST') {
      it('takes nothing but JSON that is not compressed', async () => {
        const asked = simulator.requests.length
        await inTurn(
          ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=latin1', ''],
          async (type) => {
            const reply = await sendRight(open, route, { 'content-type': type })
            expect(reply.status).toBe(415)
            const word = isOfGemini(route)
              ? ['status', 'INVALID_ARGUMENT']
              : ['type', 'invalid_request_error']
            expect(errorIn(reply)).toMatchObject(Object.fromEntries([word]))
          },
        )
        expect((await sendRight(open, route, { 'content-encoding': 'gzip' })).status).toBe(415)
        expect((await sendRight(open, route, { 'content-encoding': 'identity' })).status).toBe(415)
        expect(simulator.requests).toHaveLength(asked)
        await inTurn(
          ['Application/JSON; charset=UTF-8', 'application/json;charset="utf-8"'],
          async (type) => {
            expect((await sendRight(open, route, { 'content-type': type })).status).toBe(200)
          },
        )
      })
    }
  },
)

describe.each(refusedRoutes.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s, where nothing is served',
  (_name, route) => {
    const ways = route.only === 'web-sockets' ? { connection: 'Upgrade', upgrade: 'websocket' } : {}

    it('is told so, whatever the body is', async () => {
      const reply = await send(open, route, ways)
      expect(reply.status).toBe(route.failure.status)
      expect(errorIn(reply)).toMatchObject({ message: expect.stringContaining(route.failure.message) })
    })

    it('passes the same checks as all others before', async () => {
      expect((await send(open, route, { ...ways, host: 'evil.example' })).status).toBe(403)
      expect((await send(open, route, { ...ways, origin: 'https://evil.example' })).status).toBe(403)
      expect((await send(locked, route, ways)).status).toBe(401)
      expect((await send(locked, route, { ...ways, authorization: 'Bearer wrong' })).status).toBe(401)
      const right = { ...ways, authorization: `Bearer ${key}` }
      expect((await send(locked, route, right)).status).toBe(route.failure.status)
    })
  },
)

describe('what is no route', () => {
  it.each(['/', '/v1', '/v2/messages', '/v1/messages/', '/admin', '/v1/chat/completions/x', '/api/hello/x'])(
    '%s is a 404',
    async (path) => {
      await inTurn(['GET', 'POST', 'HEAD'], async (method) => {
        expect((await send(open, { method, path })).status).toBe(404)
      })
    },
  )

  it('is refused in the words of the dialect that its path belongs to', async () => {
    const anthropic = await send(open, { method: 'GET', path: '/v1/messages/batches' })
    expect(JSON.parse(anthropic.body)).toMatchObject({ type: 'error', error: { type: 'not_found_error' } })
    const chat = await send(open, { method: 'GET', path: '/v1/nothing' })
    expect(JSON.parse(chat.body)).toMatchObject({ error: { type: 'not_found_error', code: 'unknown_route' } })
  })

  it('includes /metrics where it is turned off', async () => {
    const gateway = await startGateway({ upstream: simulator.address ?? '', settings: { metrics: false } })
    expect((await send(gateway, { method: 'GET', path: '/metrics' })).status).toBe(404)
  })
})

describe('someone who tries keys', () => {
  it('is stopped, while health routes and whoever has a key are answered', async () => {
    const models = { method: 'GET', path: '/v1/models' }
    const wrong = { authorization: 'Bearer nope' }
    const statuses: number[] = []
    await inTurn([1, 2, 3, 4, 5], async () => {
      statuses.push((await send(limited, models, wrong)).status)
    })
    expect(statuses).toEqual([401, 401, 401, 429, 429])
    expect((await send(limited, models, wrong)).headers['retry-after']).toBe('60')
    expect((await send(limited, models, { authorization: `Bearer ${key}` })).status).toBe(200)
    expect((await send(limited, { method: 'GET', path: '/health' })).status).toBe(200)
  })
})

describe('someone who has no key at all', () => {
  it('is refused, and shuts nobody out', async () => {
    const gateway = await startGateway({
      upstream: simulator.address ?? '',
      settings: { keys: [{ name: 'laptop', sha256 }], limits: { authFailuresPerMinute: 2 } },
    })
    const models = { method: 'GET', path: '/v1/models' }
    const statuses: number[] = []
    await inTurn([{}, {}, {}, { 'x-api-key': '' }, { authorization: `Basic ${key}` }], async (headers) => {
      statuses.push((await send(gateway, models, headers)).status)
    })
    expect(statuses).toEqual([401, 401, 401, 401, 401])
    expect((await send(gateway, models, { 'x-api-key': key })).status).toBe(200)
  })
})

describe('allowed names', () => {
  it('lets in the hosts and origins that are configured, and the loopback beside them', async () => {
    const gateway = await startGateway({
      upstream: simulator.address ?? '',
      settings: { listen: { allowedHosts: ['gateway.lan'], allowedOrigins: ['https://app.example'] } },
    })
    const models = { method: 'GET', path: '/v1/models' }
    expect((await send(gateway, models, { host: 'gateway.lan' })).status).toBe(200)
    expect((await send(gateway, models, { host: 'gateway.lan:8080' })).status).toBe(200)
    expect((await send(gateway, models, { host: 'localhost' })).status).toBe(200)
    expect((await send(gateway, models, { host: 'evil.lan' })).status).toBe(403)
    expect((await send(gateway, models, { origin: 'https://app.example' })).status).toBe(200)
    expect((await send(gateway, models, { origin: 'https://app.example.evil' })).status).toBe(403)
  })
})

describe('a probe', () => {
  it.each(['/health', '/health/live', '/health/ready'])(
    'of %s is answered under any name and without a key',
    async (path) => {
      for (const host of ['10.42.0.7:12377', 'pod.cluster.local', 'evil.lan']) {
        expect((await send(locked, { method: 'GET', path }, { host })).status).toBe(200)
      }
    },
  )

  it('without a Host is answered too, where its HTTP is so old that it may have none', async () => {
    const socket = connect(Number(new URL(locked.address).port), '127.0.0.1')
    socket.end('GET /health HTTP/1.0\r\n\r\n')
    const [reply] = await once(socket.setEncoding('utf8'), 'data')
    expect(reply).toMatch(/^HTTP\/1.1 200 /)
  })

  it('from a web page of another site is refused', async () => {
    const health = { method: 'GET', path: '/health' }
    expect((await send(open, health, { origin: 'https://evil.example' })).status).toBe(403)
    expect((await send(open, health, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  })
})
