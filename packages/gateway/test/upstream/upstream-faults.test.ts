import { once } from 'node:events'
import { createServer as createSecureServer } from 'node:https'
import { createServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { ask, clientDialects } from '../server/ask.ts'
import { certificate, expiredCertificate, privateKey } from '../server/certificates.ts'
import { oneKey, startGateway, stopGateways } from '../server/running-gateway.ts'
import {
  chunk,
  completion,
  json,
  sse,
  startUpstream,
  stopUpstreams,
  until,
} from '../server/scripted-upstream.ts'

const stops: (() => void)[] = []

afterEach(async () => {
  await stopGateways()
  stopUpstreams()
  for (const stop of stops.splice(0)) stop()
})

async function portOf(server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => {})))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  stops.push(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

function secure(cert: string): Promise<number> {
  return portOf(
    createSecureServer({ key: privateKey, cert }, (_request, response) => json(response, 200, {})),
  )
}

interface Trouble {
  readonly upstream: string
  /** Resolves to its address. */
  readonly start: () => Promise<string>
  readonly code: string
  readonly cause: string
  readonly timeouts?: object
}

const troubles: readonly Trouble[] = [
  {
    upstream: 'is not started',
    start: async () => 'http://127.0.0.1:1',
    code: 'upstream_unreachable',
    cause: 'cannot be reached: connection refused',
  },
  {
    upstream: 'has a name that nobody knows',
    start: async () => 'http://models.invalid:8000',
    code: 'upstream_unreachable',
    cause: 'name',
  },
  {
    upstream: 'has a certificate of an unknown authority',
    start: async () => `https://localhost:${await secure(certificate)}`,
    code: 'upstream_tls',
    cause: 'its certificate is from an authority that is not known here',
  },
  {
    upstream: 'has a certificate that nobody accepts',
    start: async () => `https://localhost:${await secure(expiredCertificate)}`,
    code: 'upstream_tls',
    cause: 'its certificate',
  },
  {
    upstream: 'speaks plain HTTP behind an address of https',
    start: async () => {
      const { url } = await startUpstream((response) => json(response, 200, completion('hello')))
      return new URL(url).origin.replace('http:', 'https:')
    },
    code: 'upstream_tls',
    cause: 'for plain HTTP its address begins with http://',
  },
  {
    upstream: 'closes the connection before it answers',
    start: async () => new URL((await startUpstream((response) => response.destroy())).url).origin,
    code: 'upstream_closed',
    cause: 'closed the connection before it answered',
  },
  {
    upstream: 'speaks something else than HTTP',
    start: async () => {
      const port = await portOf(createServer((socket) => socket.write('220 mail.example ESMTP\r\n')))
      return `http://127.0.0.1:${port}`
    },
    code: 'upstream_protocol_error',
    cause: 'what it sends is not HTTP',
  },
  {
    upstream: 'never finishes the handshake',
    start: async () => `https://127.0.0.1:${await portOf(createServer(() => {}))}`,
    code: 'upstream_connect_timeout',
    cause: 'no connection within 200 ms',
    timeouts: { connect: '200ms' },
  },
  {
    upstream: 'takes the request and is silent',
    start: async () => new URL((await startUpstream(() => {})).url).origin,
    code: 'upstream_timeout',
    cause: 'no answer within 250 ms',
    timeouts: { headers: '250ms' },
  },
]

describe('an upstream that', () => {
  it.each(troubles)(
    '$upstream is told with its address and the cause',
    async ({ start, code, cause, timeouts = {} }) => {
      const origin = await start()
      const { host } = new URL(origin)
      const { address, requestLine } = await startGateway({
        upstream: `${origin}/v1`,
        settings: { timeouts },
      })
      const { error } = await ask(address, 'openai', { stream: false })
      expect(error?.code).toBe(code)
      expect(error?.message).toContain(`The upstream at ${host} `)
      expect(error?.message).toContain(cause)
      await until(() => requestLine() !== undefined)
      expect(requestLine()).toMatchObject({
        failure: expect.stringContaining(host),
        reason: expect.stringContaining(host),
      })
    },
  )

  it.each(troubles)(
    '$upstream is told to those with a key by the cause alone, and the log has the address',
    async ({ start, code, cause, timeouts = {} }) => {
      const origin = await start()
      const { host, hostname } = new URL(origin)
      const { address, requestLine } = await startGateway({
        upstream: `${origin}/v1`,
        settings: { timeouts, keys: oneKey.keys },
      })
      const answer = await ask(address, 'openai', { stream: false }, { headers: oneKey.headers })
      expect(answer.error?.code).toBe(code)
      expect(answer.error?.message).toContain(cause)
      expect(answer.body).not.toContain(hostname)
      await until(() => requestLine() !== undefined)
      expect(requestLine()).toMatchObject({ reason: expect.stringContaining(host) })
    },
  )
})

describe.each(clientDialects)(
  'time-outs below a second hold for a client of %s:',
  { retry: 2 },
  (dialect) => {
    /** A loaded machine may be late, but not by as much as the coarse timers of a library. */
    const LATE_MS = 400

    async function timed(
      upstream: string,
      settings: object,
    ): Promise<{ ms: number; code: string | undefined }> {
      const { address } = await startGateway({ upstream, settings: { timeouts: settings } })
      const begin = performance.now()
      const { body } = await ask(address, dialect)
      return { ms: performance.now() - begin, code: /upstream_[a-z_]*timeout/.exec(body)?.[0] }
    }

    function within(ms: number, limit: number): void {
      expect(ms).toBeGreaterThan(limit - 20)
      expect(ms).toBeLessThan(limit + LATE_MS)
    }

    it('connect', async () => {
      const port = await portOf(createServer(() => {}))
      const { ms, code } = await timed(`https://127.0.0.1:${port}/v1`, { connect: '100ms' })
      expect(code).toBe('upstream_connect_timeout')
      within(ms, 100)
    })

    it('headers', async () => {
      const { url } = await startUpstream(() => {})
      const { ms, code } = await timed(url, { headers: '300ms' })
      expect(code).toBe('upstream_timeout')
      within(ms, 300)
    })

    it('idle, counted from the last byte', async () => {
      const { url } = await startUpstream((response) => {
        sse(response, chunk({ content: 'Paris' }))
        setTimeout(() => sse(response, chunk({ content: ' is' })), 150)
      })
      const { ms, code } = await timed(url, { idle: '200ms' })
      expect(code).toBe('upstream_idle_timeout')
      within(ms, 350)
    })
  },
)
