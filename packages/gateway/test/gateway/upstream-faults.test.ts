import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSimulator } from '../../src/simulator/server.ts'
import { ask, type ClientDialect, clientDialects, inTurn } from './ask.ts'
import { startGateway, stopGateways } from './running-gateway.ts'
import {
  chunk,
  completion,
  json,
  type Script,
  sse,
  startUpstream,
  stopUpstreams,
  until,
} from './scripted-upstream.ts'

const timeouts = { idle: '150ms', headers: '150ms', connect: '300ms', finishGrace: '100ms', ping: '10s' }
const says = chunk({ role: 'assistant', content: 'Paris is' })

afterAll(async () => {
  await stopGateways()
  stopUpstreams()
})

/** What each client gets: the status, the type of the error and, for OpenAI's, its code. */
interface Outcome {
  readonly status: readonly [anthropic: number, openai: number]
  readonly type: readonly [anthropic: string, openai: string]
  readonly code: string
}

interface Fault {
  readonly upstream: string
  readonly script: Script
  readonly outcome: Outcome
  /** What the client is told contains this. */
  readonly says?: string
}

const broken = (code: string): Outcome => ({
  status: [502, 502],
  type: ['api_error', 'upstream_error'],
  code,
})
const late = (code: string): Outcome => ({ status: [504, 504], type: ['timeout_error', 'timeout'], code })

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
    upstream: 'answers 429',
    script: (response) =>
      json(response, 429, { error: { message: 'slow down', code: 'rate' } }, { 'retry-after': '7' }),
    outcome: { status: [429, 429], type: ['rate_limit_error', 'rate_limit_error'], code: 'rate' },
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
    outcome: broken('upstream_unreachable'),
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
      const { address } = await startGateway({ upstream: upstream.url, settings: { timeouts } })
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
    const { address } = await startGateway({ upstream: 'http://127.0.0.1:1/v1', settings: { timeouts } })
    const started = performance.now()
    const answer = await ask(address, dialect)
    expect(answer.status).toBe(502)
    if (dialect === 'openai') expect(answer.error?.code).toBe('upstream_unreachable')
    expect(performance.now() - started).toBeLessThan(1000)
  })

  it('gets a 504 where a connection cannot be made in time', async () => {
    const mute = await muteServer()
    const { address } = await startGateway({ upstream: mute.url, settings: { timeouts } })
    const answer = await ask(address, dialect)
    mute.stop()
    expect(answer.status).toBe(504)
    if (dialect === 'openai') expect(answer.error?.code).toBe('upstream_connect_timeout')
  })
})

const inStream: readonly (Fault & { readonly text: string })[] = [
  {
    upstream: 'breaks off between two events',
    script: (response) => {
      sse(response, says)
      response.write('\n', () => response.destroy())
    },
    text: 'Paris is',
    outcome: broken('upstream_truncated'),
  },
  {
    upstream: 'ends in an orderly way, but without having finished',
    script: (response) => {
      sse(response, says)
      response.end()
    },
    text: 'Paris is',
    outcome: broken('upstream_truncated'),
  },
  {
    upstream: 'breaks off in the middle of a line',
    script: (response) => {
      sse(response, says)
      response.write('data: {"choices":[{"ind', () => response.destroy())
    },
    text: 'Paris is',
    outcome: broken('upstream_truncated'),
  },
  {
    upstream: 'breaks off in the middle of what may be a marker',
    script: (response) => {
      sse(response, says, chunk({ content: ' <|tool_calls_sec' }))
      response.write('\n', () => response.destroy())
    },
    text: 'Paris is <|tool_calls_sec',
    outcome: broken('upstream_truncated'),
  },
  {
    upstream: 'breaks off in the middle of a character',
    script: (response) => {
      sse(response, says)
      const bytes = Buffer.from(`data: ${JSON.stringify(chunk({ content: 'é' }))}`)
      response.write(bytes.subarray(0, bytes.indexOf(0xc3) + 1), () => response.destroy())
    },
    text: 'Paris is',
    outcome: broken('upstream_truncated'),
  },
  {
    upstream: 'goes silent',
    script: (response) => sse(response, says),
    text: 'Paris is',
    outcome: late('upstream_idle_timeout'),
  },
  {
    upstream: 'sends data that is not JSON',
    script: (response) => sse(response, says, '{"choices":'),
    text: 'Paris is',
    outcome: broken('upstream_protocol_error'),
  },
  {
    upstream: 'sends an event that is too long',
    script: (response) => sse(response, says, chunk({ content: 'x'.repeat(70_000) })),
    text: 'Paris is',
    outcome: broken('upstream_limit'),
  },
  {
    upstream: 'reports that it is overloaded',
    script: (response) =>
      sse(response, says, { error: { type: 'overloaded_error', code: 'busy', message: 'busy' } }),
    text: 'Paris is',
    outcome: { status: [200, 200], type: ['overloaded_error', 'overloaded_error'], code: 'busy' },
  },
  {
    upstream: 'reports an error as an event of that name',
    script: (response) => {
      sse(response, says)
      response.write(
        'event: error\ndata: {"error":{"message":"sorry","type":"rate_limit_error","code":"slow"}}\n\n',
      )
    },
    text: 'Paris is',
    outcome: { status: [200, 200], type: ['rate_limit_error', 'rate_limit_error'], code: 'slow' },
  },
  {
    upstream: 'reports an error as vLLM does',
    script: (response) =>
      sse(response, says, { object: 'error', message: 'sorry', type: 'BadThing', code: 500 }),
    text: 'Paris is',
    outcome: broken('BadThing'),
  },
]

describe.each(clientDialects)('a stream that fails, for a client of %s', (dialect) => {
  const which = dialect === 'anthropic' ? 0 : 1
  it.concurrent.each(inStream)('$upstream', async ({ script, outcome, text }) => {
    const upstream = await startUpstream(script)
    const settings = { timeouts, limits: { lineBytes: 65_536 } }
    const { address } = await startGateway({ upstream: upstream.url, settings })
    const answer = await ask(address, dialect)
    expect(answer.status).toBe(200)
    expect(answer.text).toBe(text)
    expect(answer.error?.type).toBe(outcome.type[which])
    if (dialect === 'openai') expect(answer.error?.code).toBe(outcome.code)
    expect(answer.last).toHaveProperty('error')
    expect(answer).toMatchObject({ finish: undefined, isMarkedDone: false, hasCall: false })
    await until(() => upstream.openRequests === 0, 1000)
  })

  it.concurrent.each(inStream)('$upstream, and the client wants no stream', async ({ script, outcome }) => {
    const upstream = await startUpstream(script)
    const settings = { timeouts, limits: { lineBytes: 65_536 } }
    const { address } = await startGateway({ upstream: upstream.url, settings })
    const answer = await ask(address, dialect, { stream: false })
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.error?.type).toBe(outcome.type[which])
    expect(answer.finish).toBeUndefined()
    await until(() => upstream.openRequests === 0, 1000)
  })
})

const endings: readonly {
  upstream: string
  script: Script
  text: string
  finish: readonly [string, string]
}[] = [
  {
    upstream: 'leaves out [DONE]',
    script: (response) => {
      sse(response, says, chunk({}, 'stop'))
      response.end()
    },
    text: 'Paris is',
    finish: ['end_turn', 'stop'],
  },
  {
    upstream: 'gives no finish_reason but [DONE]',
    script: (response) => {
      sse(response, says, '[DONE]')
      response.end()
    },
    text: 'Paris is',
    finish: ['end_turn', 'stop'],
  },
  {
    upstream: 'finishes twice',
    script: (response) => {
      sse(response, says, chunk({}, 'stop'), chunk({}, 'stop'), '[DONE]')
      response.end()
    },
    text: 'Paris is',
    finish: ['end_turn', 'stop'],
  },
  {
    upstream: 'goes on after it has finished',
    script: (response) => {
      sse(response, says, chunk({}, 'stop'), chunk({ content: ' nice' }), '[DONE]')
      response.end()
    },
    text: 'Paris is nice',
    finish: ['end_turn', 'stop'],
  },
  {
    upstream: 'keeps the connection open behind its last word',
    script: (response) => sse(response, says, chunk({}, 'stop')),
    text: 'Paris is',
    finish: ['end_turn', 'stop'],
  },
  {
    upstream: 'breaks off behind its last word',
    script: (response) => {
      sse(response, says, chunk({}, 'stop'))
      response.write('\n', () => response.destroy())
    },
    text: 'Paris is',
    finish: ['end_turn', 'stop'],
  },
  {
    upstream: 'answers with plain JSON',
    script: (response) => json(response, 200, completion('Paris is')),
    text: 'Paris is',
    finish: ['end_turn', 'stop'],
  },
]

describe.each(clientDialects)('an odd but whole answer, for a client of %s', (dialect) => {
  for (const stream of [true, false]) {
    it.concurrent.each(endings)(`$upstream (stream: ${stream})`, async ({ script, text, finish }) => {
      const upstream = await startUpstream(script)
      const { address } = await startGateway({ upstream: upstream.url, settings: { timeouts } })
      const answer = await ask(address, dialect, { stream })
      expect(answer).toMatchObject({ status: 200, error: undefined, text, isMarkedDone: stream })
      expect(answer.finish).toBe(finish[dialect === 'anthropic' ? 0 : 1])
      if (dialect === 'anthropic' && stream)
        expect(answer.body.match(/event: message_(?:delta|stop)/g)).toHaveLength(2)
      await until(() => upstream.openRequests === 0, 1000)
    })
  }
})

describe('the faults of the simulator', () => {
  const simulator = createSimulator()
  let upstream = ''
  beforeAll(async () => {
    upstream = await simulator.listen()
  })
  afterAll(async () => {
    await until(() => simulator.openRequests === 0, 1000)
    await simulator.close()
  })

  const cases: readonly { model: string; type: Record<ClientDialect, string> }[] = [
    { model: 'kimi-k2+cut', type: { anthropic: 'api_error', openai: 'upstream_error' } },
    { model: 'kimi-k2+stall', type: { anthropic: 'timeout_error', openai: 'timeout' } },
    {
      model: 'kimi-k2+error',
      type: { anthropic: 'api_error', openai: expect.stringMatching(/^(?:server|upstream)_error$/) },
    },
    { model: 'kimi-k2+garbage', type: { anthropic: 'api_error', openai: 'upstream_error' } },
    { model: 'standard+cut', type: { anthropic: 'api_error', openai: 'upstream_error' } },
    { model: 'deepseek-v4+char+cut', type: { anthropic: 'api_error', openai: 'upstream_error' } },
  ]
  describe.each(clientDialects)('for a client of %s', (dialect) => {
    it.concurrent.each(cases)('$model ends in an error, not in a success', async ({ model, type }) => {
      const gateway = await startGateway({ upstream, settings: { timeouts } })
      await inTurn([true, false], async (stream) => {
        const answer = await ask(gateway.address, dialect, { model, stream })
        expect(answer.error?.type).toEqual(type[dialect])
        expect(answer).toMatchObject({ finish: undefined, isMarkedDone: false })
        expect(answer.status === 200).toBe(stream)
      })
    })

    it.each(['kimi-k2+no-done', 'kimi-k2+no-finish', 'kimi-k2+json'])(
      '%s is a whole answer',
      async (model) => {
        const gateway = await startGateway({ upstream, settings: { timeouts } })
        await inTurn([true, false], async (stream) => {
          const answer = await ask(gateway.address, dialect, { model, stream })
          expect(answer).toMatchObject({ status: 200, error: undefined, hasCall: true, isMarkedDone: stream })
          expect(answer.finish).toBe(dialect === 'anthropic' ? 'tool_use' : 'tool_calls')
        })
      },
    )

    it('a call cut by the length limit is never called whole', async () => {
      const gateway = await startGateway({ upstream, settings: { timeouts } })
      const answer = await ask(gateway.address, dialect, { model: 'kimi-k2+char+length' })
      expect(answer).toMatchObject({ status: 200, error: undefined, isMarkedDone: true })
      expect(answer.finish).toBe(dialect === 'anthropic' ? 'max_tokens' : 'length')
    })
  })
})

describe('a connection that is used again', () => {
  it('may have died meanwhile: the request is sent once more on a new one', async () => {
    const upstream = await startUpstream((response, nth) => {
      if (nth === 2) response.socket?.resetAndDestroy()
      else json(response, 200, completion(`answer ${nth}`))
    })
    const { address } = await startGateway({ upstream: upstream.url, settings: { timeouts } })
    expect((await ask(address, 'openai', { stream: false })).text).toBe('answer 1')
    expect(await ask(address, 'openai', { stream: false })).toMatchObject({ status: 200, text: 'answer 3' })
    expect(upstream.requests).toHaveLength(3)
  })

  it('is tried once more only, and a new one that dies not at all', async () => {
    const upstream = await startUpstream((response, nth) => {
      if (nth > 1) response.socket?.destroy()
      else json(response, 200, completion('first'))
    })
    const { address } = await startGateway({ upstream: upstream.url, settings: { timeouts } })
    await ask(address, 'openai', { stream: false })
    expect(await ask(address, 'openai', { stream: false })).toMatchObject({ status: 502 })
    expect(upstream.requests).toHaveLength(3)
    expect(await ask(address, 'openai', { stream: false })).toMatchObject({ status: 502 })
    expect(upstream.requests).toHaveLength(4)
  })

  it('serves one stream after the other', async () => {
    const ports = new Set<number | undefined>()
    const upstream = await startUpstream((response) => {
      ports.add(response.socket?.remotePort)
      sse(response, says, chunk({}, 'stop'), '[DONE]')
      response.end()
    })
    const { address } = await startGateway({ upstream: upstream.url, settings: { timeouts } })
    await inTurn([1, 2, 3, 4], async () => {
      expect(await ask(address, 'anthropic')).toMatchObject({ text: 'Paris is' })
    })
    expect(ports.size).toBe(1)
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
