import type { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { type Content, type DialectId, dialectIds } from '@dragoman/core'
import { afterEach, describe, expect, it } from 'vitest'
import { createSimulator, type Simulator } from '../../src/simulator/server.ts'
import { type Answer, at, inTurn, post, readAnswer } from '../server/ask.ts'
import { type RunningGateway, startGateway, stopGateways } from '../server/running-gateway.ts'
import {
  chunk,
  completion,
  json,
  type Script,
  type ScriptedUpstream,
  sse,
  startUpstream,
  stopUpstreams,
  until,
} from '../server/scripted-upstream.ts'
import { ask, understood, weatherIn } from '../simulator/speaking.ts'

const simulators: Simulator[] = []

afterEach(async () => {
  await stopGateways()
  stopUpstreams()
  await Promise.all(simulators.splice(0).map((simulator) => simulator.close()))
})

const base: Readonly<Record<string, string>> = { gemini: '/v1beta' }

/** The address of a simulated server, in the words of this dialect. */
async function simulated(dialect: DialectId = 'openai-chat'): Promise<{ url: string; dialect: DialectId }> {
  const simulator = createSimulator({ strict: true, pace: 0 })
  simulators.push(simulator)
  const url = await simulator.listen()
  return { url: url.replace(/\/v1$/, base[dialect] ?? '/v1'), dialect }
}

interface Team {
  readonly gateway: RunningGateway
  readonly main: ScriptedUpstream
  readonly spare: ScriptedUpstream
  readonly chat: (more?: object, init?: { signal?: AbortSignal }) => Promise<Answer>
}

/** Two scripted upstreams, the second one to fall back on. */
async function team(
  main: Script,
  spare: Script,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<Team> {
  const [first, second] = await Promise.all([startUpstream(main), startUpstream(spare)])
  const gateway = await startGateway({
    upstream: first.url,
    settings: {
      upstreams: { main: { url: first.url, kind: 'other' }, spare: { url: second.url, kind: 'other' } },
      models: [
        { match: '*', upstream: ['main', { name: 'spare', model: 'spare-model' }], model: 'main-model' },
      ],
      ...settings,
    },
  })
  const asked = { model: 'my-model', messages: [{ role: 'user', content: 'Hi' }] }
  return {
    gateway,
    main: first,
    spare: second,
    chat: async (more = {}, init = {}) =>
      readAnswer(await post(gateway.address, '/v1/chat/completions', { ...asked, ...more }, init)),
  }
}

const fine: Script = (response) => json(response, 200, completion('from the spare'))
const busy =
  (status: number, headers: object = {}): Script =>
  (response) =>
    json(response, status, { error: { message: `status ${status}`, type: 'any' } }, headers)

describe('a request whose upstream fails goes to the next one', () => {
  const rows = dialectIds.flatMap((client) =>
    dialectIds.flatMap((upstream) => [true, false].map((stream) => [client, upstream, stream] as const)),
  )
  it.each(rows)('from a client of %s to a server of %s, streamed: %s', async (client, upstream, stream) => {
    const failing = await startUpstream(busy(503))
    const { address, requestLine } = await startGateway({
      upstream: failing.url,
      settings: {
        upstreams: { main: { url: failing.url, kind: 'other' }, spare: await simulated(upstream) },
        models: [
          {
            match: '*',
            upstream: ['main', { name: 'spare', model: 'qwen3' }],
            model: 'kimi-k2',
            format: 'auto',
          },
        ],
      },
    })
    const request = weatherIn('my-model', { stream })
    const response = await ask(client, `${address}/v1`, request)
    const body = await response.text()
    expect({ status: response.status, body: response.status === 200 ? '' : body }).toMatchObject({
      status: 200,
      body: '',
    })
    expect(response.headers.get('x-dragoman-upstream')).toBe('spare')
    const said = understood(client, stream ? 'stream' : 'whole', body)
    expect(said).toMatchObject({ failure: null, finish: 'tool-calls' })
    expect(said.calls.map(({ name, isWhole }) => ({ name, isWhole }))).toEqual([
      { name: 'get_weather', isWhole: true },
    ])
    expect(body).toContain('my-model')
    expect(body).not.toContain('qwen3')
    await until(() => requestLine() !== undefined)
    expect(requestLine()).toMatchObject({
      upstream: 'spare',
      upstreamModel: 'qwen3',
      attempts: [expect.stringMatching(/^main: status-503: /), expect.stringMatching(/^spare: answered/)],
    })
  })
})

describe('a conversation that moves to the fallback and back', () => {
  it.each(dialectIds)('keeps its calls and their results, for a client of %s', async (client) => {
    let isDown = false
    const healthy = createSimulator({ strict: true, pace: 0 })
    simulators.push(healthy)
    const target = new URL(await healthy.listen())
    // In front of the first server stands a door that can be shut.
    const door = await startUpstream((response, nth) => {
      if (isDown) {
        json(response, 502, { error: { message: 'the door is shut' } })
        return
      }
      const { path, headers, body } = door.requests[nth - 1] ?? { path: '', headers: {}, body: '' }
      void fetch(new URL(path, target), {
        method: 'POST',
        headers: { 'content-type': headers['content-type'] ?? '' },
        body,
      }).then(async (came) => {
        response.writeHead(came.status, { 'content-type': came.headers.get('content-type') ?? '' })
        response.end(await came.text())
      })
    })
    const { address, lines } = await startGateway({
      upstream: door.url,
      settings: {
        upstreams: { main: { url: door.url, kind: 'other' }, spare: await simulated('anthropic-messages') },
        models: [{ match: '*', upstream: ['main', { name: 'spare', model: 'glm-4.6' }], model: 'kimi-k2' }],
      },
    })
    const first = weatherIn('my-model')
    const contents = [...first.contents]
    await inTurn([0, 1, 2], async (turn) => {
      isDown = turn === 1
      const request = { ...first, contents: [...contents] }
      const response = await ask(client, `${address}/v1`, request)
      const said = understood(client, 'stream', await response.text())
      expect([turn, response.status, said.failure]).toEqual([turn, 200, null])
      const call = said.calls[0]
      expect(call?.name).toBe('get_weather')
      contents.push(...carriedOut(call?.id ?? ''))
    })
    await until(() => lines.filter(({ msg }) => msg === 'request').length === 3)
    expect(lines.filter(({ msg }) => msg === 'request').map(({ upstream }) => upstream)).toEqual([
      'main',
      'spare',
      'main',
    ])
  })
})

/** A call with its result, and what the user asks next. */
function carriedOut(id: string): readonly Content[] {
  return [
    {
      speaker: 'ai',
      blocks: [{ type: 'tool_call', id, name: 'get_weather', parameters: { city: 'Paris' } }],
    },
    {
      speaker: 'tool',
      blocks: [{ type: 'tool_response', callId: id, toolName: 'get_weather', result: '18 °C' }],
    },
    { speaker: 'ai', blocks: [{ type: 'text', text: 'It is 18 °C.' }] },
    { speaker: 'human', blocks: [{ type: 'text', text: 'What is the weather in Lyon?' }] },
  ]
}

function series(upstream: string, outcome: string): string {
  return `dragoman_upstream_attempts_total{upstream="${upstream}",outcome="${outcome}"}`
}

describe('what moves a request on', () => {
  const failing: [what: string, script: Script, cause: string][] = [
    ...[408, 425, 429, 500, 502, 503, 504, 529].map((status): [string, Script, string] => [
      `a ${status}`,
      busy(status),
      `status-${status}`,
    ]),
    ['a connection that is closed before the answer', (response) => response.destroy(), 'closed'],
    [
      'an answer of nothing',
      (response) => response.writeHead(200, { 'content-type': 'application/json' }).end(),
      'empty',
    ],
    [
      'an answer of line breaks',
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).write('\n')
        setTimeout(() => response.end('\r\n'), 10)
      },
      'empty',
    ],
    [
      'a stream of nothing',
      (response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(),
      'empty',
    ],
    [
      'an error as the first event',
      (response) => {
        sse(response, { error: { message: 'no memory', type: 'server_error', code: 500 } })
        response.end()
      },
      'first-event',
    ],
    [
      'an error behind the first event, which says nothing yet',
      (response) => {
        sse(response, chunk({ role: 'assistant', content: '' }))
        setTimeout(() => {
          sse(response, { error: { message: 'overloaded', type: 'overloaded_error', code: 503 } })
          response.end()
        }, 20)
      },
      'first-event',
    ],
    [
      'a stream that breaks off before it says anything',
      (response) => {
        sse(response, chunk({ role: 'assistant', content: '' }))
        setTimeout(() => response.destroy(), 20)
      },
      'cut',
    ],
  ]
  const rows = failing.flatMap(([what, script, cause]) =>
    [true, false].map((stream) => [what, stream, script, cause] as const),
  )
  it.each(rows)('%s, streamed: %s', async (_what, stream, script, cause) => {
    const { chat, gateway, main, spare } = await team(script, (response) => {
      if (stream) {
        const [begin, said] = [
          chunk({ role: 'assistant', content: '' }),
          chunk({ content: 'from the spare' }),
        ]
        sse(response, begin, said, chunk({}, 'stop'), '[DONE]')
        response.end()
      } else {
        fine(response, 1)
      }
    })
    const answer = await chat({ stream })
    expect(answer).toMatchObject({ status: 200, text: 'from the spare', error: undefined })
    expect([main.requests.length, spare.requests.length]).toEqual([1, 1])
    expect(at(JSON.parse(spare.requests[0]?.body ?? ''), 'model')).toBe('spare-model')
    expect(answer.body).toContain('"my-model"')
    expect(await gateway.metric(series('main', cause))).toBe(1)
    expect(await gateway.metric(series('spare', 'answered'))).toBe(1)
  })

  it.each([
    ['a port that nobody listens on', () => 'http://127.0.0.1:9/v1', 'unreachable'],
    ['a server that does not speak TLS', (url: string) => url.replace('http:', 'https:'), 'tls'],
  ])('%s', async (_what, address, cause) => {
    const spare = await startUpstream(fine)
    const gateway = await startGateway({
      upstream: spare.url,
      settings: {
        upstreams: {
          main: { url: address(spare.url), kind: 'other' },
          spare: { url: spare.url, kind: 'other' },
        },
        models: [{ match: '*', upstream: ['main', 'spare'] }],
      },
    })
    const asked = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] }
    const answer = await readAnswer(await post(gateway.address, '/v1/chat/completions', asked))
    expect(answer).toMatchObject({ status: 200, text: 'from the spare' })
    expect(await gateway.metric(series('main', cause))).toBe(1)
  })

  it('no headers in time', async () => {
    const { chat } = await team(() => {}, fine, { timeouts: { headers: '50ms' } })
    expect(await chat()).toMatchObject({ status: 200, text: 'from the spare' })
  })

  it('a whole answer that breaks off in the middle, of which the client has nothing', async () => {
    const { chat } = await team((response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write(JSON.stringify(completion('from the main one')).slice(0, 60))
      setTimeout(() => response.destroy(), 20)
    }, fine)
    expect(await chat()).toMatchObject({ status: 200, text: 'from the spare' })
  })
})

const half: Script = (response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  sse(response, chunk({ role: 'assistant', content: 'x'.repeat(3500) }))
  setTimeout(() => response.destroy(), 150)
}
const uncounted: Script = (response) => {
  sse(response, chunk({ role: 'assistant', content: 'y'.repeat(35) }), chunk({}, 'stop'), '[DONE]')
  response.end()
}

describe('an answer that broke off before its client had any of it', () => {
  it('is not counted: only the answer that took its place is', async () => {
    const { chat, gateway } = await team(half, uncounted, { store: 'memory' })
    expect(await chat()).toMatchObject({ status: 200, text: 'y'.repeat(35) })
    await until(() => gateway.requestLine() !== undefined)
    const { usage } = await (await fetch(`${gateway.address}/usage`)).json()
    expect(usage).toMatchObject([{ upstream: 'spare', requests: 1, output: 10 }])
  })

  it('costs nothing where no other came', async () => {
    const { chat, gateway } = await team(half, busy(503), { store: 'memory' })
    expect((await chat()).status).toBe(503)
    await until(() => gateway.requestLine() !== undefined)
    const { usage } = await (await fetch(`${gateway.address}/usage`)).json()
    expect(usage).toMatchObject([{ requests: 1, input: 0, output: 0, failures: 1 }])
  })

  it('is no time that the gateway itself took, and no stream that stays open', async () => {
    const { chat, gateway } = await team(half, uncounted)
    await chat()
    await until(() => gateway.requestLine() !== undefined)
    const route = '{route="/v1/chat/completions"}'
    expect(await gateway.metric(`dragoman_overhead_seconds_count${route}`)).toBe(1)
    expect(await gateway.metric(`dragoman_overhead_seconds_sum${route}`)).toBeLessThan(0.1)
    expect(await gateway.metric('dragoman_streams_active')).toBe(0)
  })
})

/** A stream that begins as usual in its dialect and turns out to be an error before it has said anything. */
const errorsBehindBeginnings: Readonly<Record<DialectId, string>> = {
  'openai-chat': [
    { data: chunk({ role: 'assistant', content: '' }) },
    { data: { error: { message: 'no memory', type: 'server_error' } } },
  ]
    .map(event)
    .join(''),
  'anthropic-messages': [
    {
      event: 'message_start',
      data: {
        type: 'message_start',
        message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], usage: {} },
      },
    },
    { event: 'error', data: { type: 'error', error: { type: 'overloaded_error', message: 'no memory' } } },
  ]
    .map(event)
    .join(''),
  'openai-responses': [
    { data: { type: 'response.created', sequence_number: 0, response: responseObject('in_progress') } },
    { data: { type: 'response.in_progress', sequence_number: 1, response: responseObject('in_progress') } },
    { data: { type: 'response.failed', sequence_number: 2, response: responseObject('failed') } },
  ]
    .map(event)
    .join(''),
  gemini: event({ data: { error: { code: 503, status: 'UNAVAILABLE', message: 'no memory' } } }),
}

function event({ event: name, data }: { readonly event?: string; readonly data: object }): string {
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`
}

function responseObject(status: string): object {
  const error = status === 'failed' ? { code: 'server_error', message: 'no memory' } : null
  return { id: 'resp_1', object: 'response', created_at: 1, model: 'm', status, error, output: [] }
}

describe('an error behind the beginning of a stream', () => {
  const rows = dialectIds.flatMap((upstream) => dialectIds.map((client) => [upstream, client] as const))
  it.each(rows)('of %s moves a request on, for a client of %s', async (upstream, client) => {
    const failing = await startUpstream((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(errorsBehindBeginnings[upstream])
    })
    const main = {
      url: failing.url.replace(/\/v1$/, base[upstream] ?? '/v1'),
      dialect: upstream,
      kind: 'other',
    }
    const { address } = await startGateway({
      upstream: failing.url,
      settings: {
        upstreams: { main, spare: await simulated() },
        models: [{ match: '*', upstream: ['main', { name: 'spare', model: 'qwen3' }] }],
      },
    })
    const response = await ask(client, `${address}/v1`, weatherIn('my-model'))
    const said = understood(client, 'stream', await response.text())
    expect(said).toMatchObject({ failure: null, calls: [{ name: 'get_weather', isWhole: true }] })
    expect(failing.requests).toHaveLength(1)
  })
})

const late: Script = (response) => setTimeout(() => busy(503)(response, 1), 80)

describe('a stream that could be asked for elsewhere', () => {
  const contents = ['text', 'a call', 'thoughts'] as const

  // All at once, as each takes the time that its server takes to write.
  it.each(dialectIds)('comes as soon as it says something, for any client: %s', async (upstream) => {
    const simulator = createSimulator({ pace: 25, chunk: 'token' })
    simulators.push(simulator)
    const url = (await simulator.listen()).replace(/\/v1$/, base[upstream] ?? '/v1')
    const { address } = await startGateway({
      upstream: url,
      settings: {
        upstreams: { main: { url, dialect: upstream, kind: 'other' }, spare: await simulated() },
        models: [
          { match: 'thinking', upstream: ['main', 'spare'], model: 'qwen3+think' },
          { match: '*', upstream: ['main', 'spare'], model: 'standard' },
        ],
      },
    })
    const seen = await Promise.all(
      dialectIds.flatMap((client) =>
        contents.map(async (what) => {
          const request = weatherIn(
            what === 'thoughts' ? 'thinking' : 'my-model',
            what === 'a call' ? {} : { tools: [], reasoning: { mode: 'adaptive' } },
          )
          const response = await ask(client, `${address}/v1`, request)
          const times: number[] = []
          for await (const piece of response.body ?? []) if (piece.length > 0) times.push(performance.now())
          return { client, what, pieces: times.length, taken: (times.at(-1) ?? 0) - (times[0] ?? 0) }
        }),
      ),
    )
    expect(seen).toHaveLength(dialectIds.length * contents.length)
    // What was held back until the end would come in one piece, or in two.
    expect(seen.filter(({ pieces, taken }) => pieces <= 3 || taken <= 60)).toEqual([])
  })
})

describe('what does not move a request on', () => {
  it.each([400, 401, 403, 404, 413, 422])('a %i', async (status) => {
    const { chat, spare } = await team(busy(status), fine)
    const answer = await chat()
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.headers.get('x-dragoman-upstream')).toBe('main')
    expect(spare.requests).toEqual([])
  })

  it('a stream that breaks off after its first words', async () => {
    const { chat, spare, gateway } = await team((response) => {
      sse(response, chunk({ role: 'assistant', content: 'Hel' }))
      setTimeout(() => response.destroy(), 20)
    }, fine)
    const answer = await chat({ stream: true })
    expect(answer).toMatchObject({
      status: 200,
      text: 'Hel',
      isMarkedDone: false,
      error: { code: 'upstream_truncated' },
    })
    expect(spare.requests).toEqual([])
    await until(() => gateway.requestLine() !== undefined)
  })

  it('a finish by a content filter', async () => {
    const { chat, spare } = await team((response) => {
      sse(response, chunk({ role: 'assistant', content: '' }), chunk({}, 'content_filter'), '[DONE]')
      response.end()
    }, fine)
    expect(await chat({ stream: true })).toMatchObject({ status: 200, finish: 'content_filter' })
    expect(spare.requests).toEqual([])
  })

  it.each([true, false])(
    'an answer of nothing to a request that says where to stop, streamed: %s',
    async (stream) => {
      const { chat, spare } = await team((response) => {
        if (!stream) {
          json(response, 200, completion(''))
          return
        }
        sse(response, chunk({ role: 'assistant', content: '' }), chunk({}, 'stop'), '[DONE]')
        response.end()
      }, fine)
      expect(await chat({ stream, stop: ['END'] })).toMatchObject({ status: 200, text: '', finish: 'stop' })
      expect(spare.requests).toEqual([])
    },
  )

  it('retries: 0', async () => {
    const { chat, spare } = await team(busy(503), fine, { routing: { retries: 0 } })
    expect((await chat()).status).toBe(503)
    expect(spare.requests).toEqual([])
  })

  it('a failure that comes later than retryWithin', async () => {
    const { chat, spare } = await team(late, fine, { routing: { retryWithin: '20ms' } })
    expect((await chat()).status).toBe(503)
    expect(spare.requests).toEqual([])
  })

  it('a client that left', async () => {
    const waiting: ServerResponse[] = []
    const { chat, main, spare } = await team((response) => waiting.push(response), fine)
    const leaving = new AbortController()
    const asked = chat({}, { signal: leaving.signal }).catch(() => 'left')
    await until(() => main.requests.length === 1)
    leaving.abort()
    expect(await asked).toBe('left')
    await until(() => main.openRequests === 0)
    expect(spare.requests).toEqual([])
  })
})

describe('a rule with one upstream', () => {
  it('asks it once, whatever became of the requests before', async () => {
    const { gateway, main } = await team(busy(503), fine, {
      models: [{ match: '*', upstream: 'main' }],
      routing: { outAfter: 1 },
    })
    const asked = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] }
    await inTurn([1, 2, 3], async (nth) => {
      const { status } = await post(gateway.address, '/v1/chat/completions', asked)
      expect([status, main.requests.length]).toEqual([503, nth])
    })
    expect(gateway.requestLine()).toMatchObject({ attempts: null })
  })
})

describe('where all fail', () => {
  it('the client gets the most useful failure, with what belongs to it, and the log names every attempt', async () => {
    const { chat, gateway } = await team(busy(500), busy(429, { 'retry-after': '7' }))
    const answer = await chat()
    expect(answer).toMatchObject({ status: 429, error: { message: 'status 429' } })
    expect(answer.headers.get('retry-after')).toBe('7')
    expect(answer.headers.get('x-dragoman-upstream')).toBe('spare')
    await until(() => gateway.requestLine() !== undefined)
    expect(gateway.requestLine()).toMatchObject({
      attempts: [
        expect.stringMatching(/^main: status-500: .*status 500/),
        expect.stringMatching(/^spare: status-429: /),
      ],
    })
  })

  it('a failure before anything was said is a response of its own', async () => {
    const { chat } = await team((response) => {
      sse(response, chunk({ role: 'assistant', content: '' }))
      setTimeout(() => response.destroy(), 20)
    }, busy(503))
    expect(await chat({ stream: true })).toMatchObject({ status: 503, error: { message: 'status 503' } })
  })
})

describe('an upstream that fails again and again', () => {
  it('is left alone for a while, then tried by one request, and is in again when that one is answered', async () => {
    let isDown = true
    const waiting: (() => void)[] = []
    const { chat, gateway, main } = await team(
      (response) => {
        if (isDown) busy(503)(response, 1)
        else waiting.push(() => json(response, 200, completion('from the main one')))
      },
      fine,
      { routing: { outAfter: 2, outFor: '1s' } },
    )
    const status = async (): Promise<unknown> =>
      at(await (await fetch(`${gateway.address}/status`)).json(), 'upstreams', 0)
    await chat()
    expect(await status()).toMatchObject({ name: 'main', state: 'in', failuresInARow: 1, inFlight: 0 })
    await chat()
    expect(await status()).toMatchObject({
      state: 'out',
      why: 'failures in a row',
      lastFailure: { cause: 'status-503', message: 'status 503' },
    })
    expect(await chat()).toMatchObject({ text: 'from the spare' })
    expect(main.requests).toHaveLength(2)
    isDown = false
    await new Promise((resolve) => setTimeout(resolve, 1020))
    const herd = Array.from({ length: 5 }, () => chat())
    await until(() => waiting.length > 0 && gateway.lines.filter(({ msg }) => msg === 'request').length >= 7)
    expect(main.requests).toHaveLength(3)
    expect(await status()).toMatchObject({ state: 'on trial', inFlight: 1 })
    waiting[0]?.()
    const texts = (await Promise.all(herd)).map(({ text }) => text)
    expect(texts.filter((text) => text === 'from the main one')).toHaveLength(1)
    expect(await status()).toMatchObject({ state: 'in', inFlight: 0 })
  })

  it('is left alone for as long as it asked for', async () => {
    const { chat, gateway, main } = await team(busy(429, { 'retry-after': '60' }), fine)
    await chat()
    expect(await chat()).toMatchObject({ text: 'from the spare' })
    expect(main.requests).toHaveLength(1)
    expect(await (await fetch(`${gateway.address}/status`)).json()).toMatchObject({
      upstreams: [
        { name: 'main', state: 'out', why: 'Retry-After', backInSeconds: 60 },
        { name: 'spare', state: 'in' },
      ],
    })
  })

  it('is asked by nobody where every one asked to be left alone, and the client is told for how long', async () => {
    const { chat, main, spare } = await team(
      busy(429, { 'retry-after': '60' }),
      busy(429, { 'retry-after': '30' }),
    )
    await chat()
    const answer = await chat()
    expect(answer).toMatchObject({ status: 429, error: { code: 'upstreams_out' } })
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(25)
    expect([main.requests.length, spare.requests.length]).toEqual([1, 1])
  })

  it('is told of in the stream where the client reads no status: Codex', async () => {
    const { chat, gateway } = await team(
      busy(429, { 'retry-after': '60' }),
      busy(429, { 'retry-after': '30' }),
    )
    await chat()
    const asked = { model: 'my-model', input: 'Hi', stream: true }
    const headers = { originator: 'codex_cli_rs' }
    const refused = await post(gateway.address, '/v1/responses', asked, { headers })
    expect(refused.status).toBe(200)
    expect(await refused.text()).toMatch(
      /"code":"rate_limit_exceeded","message":"No upstream [^"]+ Please try again in (?:29|30)s\."/,
    )
  })

  it('is tried early where all are out for their failures', async () => {
    let isDown = true
    const script: Script = (response) =>
      isDown ? busy(503)(response, 1) : json(response, 200, completion('alive'))
    const { chat } = await team(script, script, { routing: { outAfter: 1, outFor: '60s' } })
    expect((await chat()).status).toBe(503)
    isDown = false
    expect(await chat()).toMatchObject({ status: 200, text: 'alive' })
  })
})

describe('the state of upstreams', () => {
  it('does not make the gateway unready', async () => {
    const { chat, gateway } = await team(busy(503), busy(503), { routing: { outAfter: 1 } })
    await chat()
    expect((await fetch(`${gateway.address}/health/ready`)).status).toBe(200)
  })

  it('is told to those who have a key, where keys are needed, and tells them no address', async () => {
    const { gateway } = await team(busy(503), fine, {
      keys: [{ name: 'ada', sha256: 'c'.repeat(64) }],
    })
    expect((await fetch(`${gateway.address}/status`)).status).toBe(401)
  })
})

describe('an answer to a client that can be asked nowhere else', () => {
  it('is not held back', async () => {
    const main = await startUpstream((response) => sse(response, chunk({ role: 'assistant', content: '' })))
    const { address } = await startGateway({ upstream: main.url })
    const body = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'Hi' }] })
    const { port } = new URL(address)
    const came = await new Promise<string>((resolve) => {
      let text = ''
      const socket = connect(Number(port), '127.0.0.1', () => {
        socket.write(
          `POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
        )
      })
      socket.on('data', (piece) => {
        text += piece.toString()
        if (!text.includes('assistant')) return
        socket.destroy()
        resolve(text)
      })
    })
    expect(came).toContain('"role":"assistant"')
    expect(came).not.toContain('x-dragoman-upstream')
  })
})
