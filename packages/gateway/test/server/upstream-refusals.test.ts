import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import { ask, clientDialects } from './ask.ts'
import { broken, type Fault, late, shortTimeouts } from './faults.ts'
import { startGateway, stopGateways } from './running-gateway.ts'
import { json, startUpstream, stopUpstreams, until } from './scripted-upstream.ts'

afterAll(async () => {
  await stopGateways()
  stopUpstreams()
})

function page(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-type': 'text/html' }).end('<html><script>alert(1)</script></html>')
}

const refusals: readonly Fault[] = [
  {
    upstream: 'answers 400 with a message',
    script: (response) =>
      json(response, 400, { error: { message: 'temperature is too hot', code: 'too_hot' } }),
    outcome: {
      status: [400, 400],
      type: ['invalid_request_error', 'invalid_request_error'],
      code: 'too_hot',
    },
    says: 'temperature is too hot',
  },
  {
    upstream: 'answers 404',
    script: (response) => json(response, 404, { error: { message: 'no such model', code: 'nope' } }),
    outcome: { status: [404, 404], type: ['not_found_error', 'not_found_error'], code: 'nope' },
    says: 'no such model',
  },
  {
    upstream: 'answers 422 as its framework does',
    script: (response) => json(response, 422, { detail: 'messages: wrong' }),
    outcome: {
      status: [422, 422],
      type: ['invalid_request_error', 'invalid_request_error'],
      code: 'upstream_422',
    },
    says: 'messages: wrong',
  },
  ...[401, 403].map((status) => ({
    upstream: `answers ${status} to the key of the gateway`,
    script: (response: ServerResponse) => json(response, status, { error: { message: 'bad key' } }),
    outcome: broken('upstream_credential'),
    says: 'credential of the gateway',
  })),
  {
    upstream: 'answers 413',
    script: (response) => json(response, 413, { error: { message: 'much too large', code: 'big' } }),
    outcome: { status: [413, 413], type: ['request_too_large', 'invalid_request_error'], code: 'big' },
  },
  {
    upstream: 'says that the prompt is too long',
    script: (response) =>
      json(response, 400, {
        error: {
          code: 400,
          message:
            'request (5024 tokens) exceeds the available context size (4096 tokens), try increasing it',
          type: 'exceed_context_size_error',
          n_prompt_tokens: 5024,
          n_ctx: 4096,
        },
      }),
    outcome: {
      status: [400, 400],
      type: ['invalid_request_error', 'invalid_request_error'],
      code: 'context_length_exceeded',
    },
    says: '5024 tokens',
  },
  {
    upstream: 'has filled its cache',
    script: (response) =>
      json(response, 500, {
        error: { code: 500, message: 'Context size has been exceeded.', type: 'server_error' },
      }),
    outcome: {
      status: [529, 503],
      type: ['overloaded_error', 'overloaded_error'],
      code: 'upstream_cache_full',
    },
  },
  {
    upstream: 'answers 429',
    script: (response) =>
      json(response, 429, { error: { message: 'slow down', code: 'rate' } }, { 'retry-after': '7' }),
    outcome: { status: [429, 429], type: ['rate_limit_error', 'rate_limit_error'], code: 'rate' },
  },
  {
    upstream: 'answers 200 and nothing',
    script: (response) => response.writeHead(200, { 'content-type': 'application/json' }).end(),
    outcome: { status: [502, 502], type: ['api_error', 'upstream_error'], code: 'upstream_empty' },
  },
  {
    upstream: 'answers 500',
    script: (response) => json(response, 500, { error: { message: 'oh', code: 'oh' } }),
    outcome: { status: [500, 500], type: ['api_error', 'upstream_error'], code: 'oh' },
  },
  {
    upstream: 'answers 503',
    script: (response) => json(response, 503, { error: { message: 'busy', code: 'busy' } }),
    outcome: { status: [529, 503], type: ['overloaded_error', 'overloaded_error'], code: 'busy' },
  },
  {
    upstream: 'answers 529',
    script: (response) => json(response, 529, { error: { message: 'busy', code: 'busy' } }),
    outcome: { status: [529, 529], type: ['overloaded_error', 'overloaded_error'], code: 'busy' },
  },
  {
    upstream: 'answers 500 in words that are not JSON',
    script: (response) =>
      response.writeHead(500, { 'content-type': 'text/plain' }).end('out of\u0007 cheese'),
    outcome: { status: [500, 500], type: ['api_error', 'upstream_error'], code: 'upstream_500' },
    says: 'out of cheese',
  },
  {
    upstream: 'answers 502 with a web page',
    script: (response) => page(response, 502),
    outcome: { status: [502, 502], type: ['api_error', 'upstream_error'], code: 'upstream_502' },
  },
  {
    upstream: 'begins an error and breaks off',
    script: (response) => {
      response.writeHead(500, { 'content-type': 'text/plain', 'content-length': '1000' })
      response.write('out of', () => response.destroy())
    },
    outcome: { status: [500, 500], type: ['api_error', 'upstream_error'], code: 'upstream_500' },
    says: 'out of',
  },
  {
    upstream: 'begins an error and never ends it',
    script: (response) => {
      response.writeHead(500, { 'content-type': 'text/plain' })
      response.write('out of')
    },
    outcome: { status: [500, 500], type: ['api_error', 'upstream_error'], code: 'upstream_500' },
    says: 'out of',
  },
  {
    upstream: 'sends an error without end',
    script: (response) => {
      response.writeHead(500, { 'content-type': 'text/plain' })
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(10_000)));
        response.once('drain', more)
      }
      more()
    },
    outcome: { status: [500, 500], type: ['api_error', 'upstream_error'], code: 'upstream_500' },
  },
  {
    upstream: 'answers 200 with a web page',
    script: (response) => page(response, 200),
    outcome: broken('upstream_protocol_error'),
  },
  {
    upstream: 'answers 200 with an error object',
    script: (response) => json(response, 200, { error: { message: 'sorry', code: 'sorry' } }),
    outcome: broken('sorry'),
    says: 'sorry',
  },
  {
    upstream: 'redirects',
    script: (response) => response.writeHead(307, { location: 'http://127.0.0.1:9/steal' }).end(),
    outcome: broken('upstream_redirect'),
  },
  {
    upstream: 'ends a stream before its first event',
    script: (response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(),
    outcome: broken('upstream_empty'),
  },
  {
    upstream: 'closes the connection instead of answering',
    script: (response) => response.destroy(),
    outcome: broken('upstream_closed'),
    says: 'closed the connection before it answered',
  },
  {
    upstream: 'does not answer in time',
    script: () => {},
    outcome: late('upstream_timeout'),
  },
]

describe.each(clientDialects)('an upstream that refuses, for a client of %s', (dialect) => {
  const which = dialect === 'anthropic' ? 0 : 1
  for (const stream of [true, false]) {
    it.concurrent.each(refusals)(`$upstream (stream: ${stream})`, async ({ script, outcome, says: told }) => {
      const upstream = await startUpstream(script)
      const { address } = await startGateway({
        upstream: upstream.url,
        settings: { timeouts: shortTimeouts },
      })
      const answer = await ask(address, dialect, { stream })
      expect(answer.status).toBe(outcome.status[which])
      expect(answer.error?.type).toBe(outcome.type[which])
      if (dialect === 'openai') expect(answer.error?.code).toBe(outcome.code)
      if (told !== undefined) expect(answer.error?.message).toContain(told)
      expect(answer.body).not.toContain('<')
      expect(answer.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/)
      expect(upstream.requests).toHaveLength(1)
      await until(() => upstream.openRequests === 0, 1000)
    })
  }

  it('is told when to try again', async () => {
    const upstream = await startUpstream((response) =>
      json(
        response,
        429,
        {},
        { 'retry-after': '7', 'x-ratelimit-remaining': '0', 'set-cookie': 'a=b', server: 'x' },
      ),
    )
    const { address } = await startGateway({ upstream: upstream.url })
    const { headers } = await ask(address, dialect)
    expect(headers.get('retry-after')).toBe('7')
    expect(headers.get('x-ratelimit-remaining')).toBe('0')
    expect(headers.get('set-cookie')).toBeNull()
    expect(headers.get('server')).toBeNull()
  })

  it('gets a 502 at once where nobody listens', async () => {
    const { address } = await startGateway({
      upstream: 'http://127.0.0.1:1/v1',
      settings: { timeouts: shortTimeouts },
    })
    const started = performance.now()
    const answer = await ask(address, dialect)
    expect(answer.status).toBe(502)
    if (dialect === 'openai') expect(answer.error?.code).toBe('upstream_unreachable')
    expect(performance.now() - started).toBeLessThan(1000)
  })

  it('gets a 504 where a connection cannot be made in time', async () => {
    const mute = await muteServer()
    const { address } = await startGateway({ upstream: mute.url, settings: { timeouts: shortTimeouts } })
    const answer = await ask(address, dialect)
    mute.stop()
    expect(answer.status).toBe(504)
    if (dialect === 'openai') expect(answer.error?.code).toBe('upstream_connect_timeout')
  })
})

/** Takes connections, but never answers the handshake that makes them usable. */
async function muteServer(): Promise<{ url: string; stop: () => void }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => sockets.add(socket.on('error', () => {})))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `https://127.0.0.1:${port}/v1`,
    stop: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
