import type { ServerResponse } from 'node:http'
import { type DialectId, dialectIds } from '@dragoman/core'
import { afterEach, describe, expect, it } from 'vitest'
import { createSimulator, type Simulator } from '../../src/simulator/server.ts'
import { type RunningGateway, startGateway, stopGateways } from '../server/running-gateway.ts'
import { chunk, completion, json, startUpstream, stopUpstreams } from '../server/scripted-upstream.ts'
import { ask, understood, weatherIn } from '../simulator/speaking.ts'
import { isThorough } from '../thorough.ts'

const simulators: Simulator[] = []

afterEach(async () => {
  await stopGateways()
  stopUpstreams()
  await Promise.all(simulators.splice(0).map((simulator) => simulator.close()))
})

const modes = ['stream', 'whole'] as const
type Mode = (typeof modes)[number]

/** Fails as the name of the model says. */
type Fault = (response: ServerResponse, mode: Mode, dialect: DialectId) => unknown

const passing = [408, 425, 429, 500, 502, 503, 504, 529]
const lasting = [400, 401, 403, 404, 413, 422]

const refusal =
  (status: number, error: object = {}): Fault =>
  (response) =>
    json(response, status, { error: { message: `status ${status}`, type: 'any', ...error } })

/** An error in the place of an answer, as the servers of each dialect write it. */
const errors: Readonly<Record<DialectId, object>> = {
  'openai-chat': { error: { message: 'no memory', type: 'server_error', code: 500 } },
  'openai-responses': {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    model: 'm',
    status: 'failed',
    error: { code: 'server_error', message: 'no memory' },
    output: [],
  },
  'anthropic-messages': { type: 'error', error: { type: 'overloaded_error', message: 'no memory' } },
  gemini: { error: { code: 503, status: 'UNAVAILABLE', message: 'no memory' } },
}

/** An answer that a filter took away, as the servers of each dialect write it. */
const filtered: Readonly<Record<DialectId, { readonly whole: object; readonly events: readonly object[] }>> =
  {
    'openai-chat': {
      whole: {
        ...completion(''),
        choices: [{ index: 0, message: { role: 'assistant', content: '' }, finish_reason: 'content_filter' }],
      },
      events: [chunk({ role: 'assistant', content: '' }), chunk({}, 'content_filter')],
    },
    'openai-responses': {
      whole: cutResponse(),
      events: [
        {
          type: 'response.created',
          sequence_number: 0,
          response: { ...cutResponse(), status: 'in_progress' },
        },
        { type: 'response.incomplete', sequence_number: 1, response: cutResponse() },
      ],
    },
    'anthropic-messages': {
      whole: emptyMessage('refusal'),
      events: [
        { type: 'message_start', message: emptyMessage(null) },
        {
          type: 'message_delta',
          delta: { stop_reason: 'refusal', stop_sequence: null },
          usage: { output_tokens: 0 },
        },
        { type: 'message_stop' },
      ],
    },
    gemini: {
      whole: { promptFeedback: { blockReason: 'SAFETY' } },
      events: [{ promptFeedback: { blockReason: 'SAFETY' } }],
    },
  }

function cutResponse(): object {
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    model: 'm',
    status: 'incomplete',
    incomplete_details: { reason: 'content_filter' },
    error: null,
    output: [],
    usage: { input_tokens: 1, output_tokens: 0, total_tokens: 1 },
  }
}

function emptyMessage(stopReason: string | null): object {
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    stop_reason: stopReason,
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 0 },
  }
}

/** An answer that ends well and holds nothing. */
const empty: typeof filtered = {
  'openai-chat': {
    whole: completion(''),
    events: [chunk({ role: 'assistant', content: '' }), chunk({}, 'stop')],
  },
  'openai-responses': {
    whole: emptyResponse('completed'),
    events: [
      { type: 'response.created', sequence_number: 0, response: emptyResponse('in_progress') },
      { type: 'response.completed', sequence_number: 1, response: emptyResponse('completed') },
    ],
  },
  'anthropic-messages': {
    whole: emptyMessage('end_turn'),
    events: [
      { type: 'message_start', message: emptyMessage(null) },
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: { output_tokens: 0 },
      },
      { type: 'message_stop' },
    ],
  },
  gemini: {
    whole: { candidates: [{ content: { role: 'model', parts: [] }, finishReason: 'STOP' }] },
    events: [{ candidates: [{ content: { role: 'model', parts: [] }, finishReason: 'STOP' }] }],
  },
}

function emptyResponse(status: string): object {
  return { ...cutResponse(), status, incomplete_details: null }
}

/** The last word of a stream, where the dialect has one. */
const lastWords: Readonly<Partial<Record<DialectId, string>>> = { 'openai-chat': 'data: [DONE]\n\n' }

function events(response: ServerResponse, dialect: DialectId, all: readonly object[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const named = all.map((data) => {
    const name = 'type' in data && dialect !== 'gemini' ? `event: ${String(data.type)}\n` : ''
    return `${name}data: ${JSON.stringify(data)}\n\n`
  })
  response.end(named.join('') + (lastWords[dialect] ?? ''))
}

const moving: Readonly<Record<string, { readonly fail: Fault; readonly cause: string }>> = {
  ...Object.fromEntries(
    passing.map((status) => [`s${status}`, { fail: refusal(status), cause: `status-${status}` }]),
  ),
  closed: { fail: (response) => response.destroy(), cause: 'closed' },
  reset: { fail: (response) => response.socket?.resetAndDestroy(), cause: 'closed' },
  silent: { fail: () => {}, cause: 'headers-timeout' },
  nothing: {
    fail: (response, mode, dialect) =>
      mode === 'whole'
        ? json(response, 200, empty[dialect].whole)
        : events(response, dialect, empty[dialect].events),
    cause: 'empty',
  },
  empty: {
    fail: (response, mode) =>
      response
        .writeHead(200, { 'content-type': mode === 'stream' ? 'text/event-stream' : 'application/json' })
        .end(),
    cause: 'empty',
  },
  error: {
    fail: (response, mode, dialect) => {
      if (mode === 'whole') json(response, 200, errors[dialect])
      else if (dialect === 'openai-responses')
        events(response, dialect, [
          { type: 'response.failed', sequence_number: 0, response: errors[dialect] },
        ])
      else events(response, dialect, [errors[dialect]])
    },
    cause: 'first-event',
  },
}

const staying: Readonly<Record<string, Fault>> = {
  ...Object.fromEntries(lasting.map((status) => [`s${status}`, refusal(status)])),
  policy: refusal(400, { code: 'content_policy_violation' }),
  'policy-as-fault': refusal(500, { code: 'content_filter' }),
  filtered: (response, mode, dialect) =>
    mode === 'whole'
      ? json(response, 200, filtered[dialect].whole)
      : events(response, dialect, filtered[dialect].events),
}

interface Team extends RunningGateway {
  /** How often the spare was asked. */
  readonly spared: () => number
}

const elsewhere = {
  refused: { url: 'http://127.0.0.1:9/v1', cause: 'unreachable' },
  nameless: { url: 'http://no-such-machine.invalid/v1', cause: 'unreachable' },
  untrusted: { url: '', cause: 'tls' },
}

/** A server of this dialect that fails as it is asked to, and another to fall back on. */
async function team(dialect: DialectId, faults: Readonly<Record<string, Fault>>): Promise<Team> {
  const failing = await startUpstream((response, nth) => {
    const { path, body } = failing.requests[nth - 1] ?? { path: '', body: '{}' }
    const model = /models\/([^:]+):/.exec(path)?.[1] ?? String(JSON.parse(body).model)
    const isStream = path.includes('streamGenerate') || JSON.parse(body).stream === true
    faults[model]?.(response, isStream ? 'stream' : 'whole', dialect)
  })
  const simulator = createSimulator({ pace: 0 })
  simulators.push(simulator)
  const url = dialect === 'gemini' ? failing.url.replace(/\/v1$/, '/v1beta') : failing.url
  const others = { ...elsewhere, untrusted: { url: url.replace('http:', 'https:') } }
  const spare = { name: 'spare', model: 'qwen3' }
  const gateway = await startGateway({
    upstream: url,
    settings: {
      upstreams: {
        main: { url, dialect, kind: 'other' },
        ...Object.fromEntries(
          Object.entries(others).map(([name, { url: address }]) => [
            name,
            { url: address, dialect, kind: 'other' },
          ]),
        ),
        spare: { url: await simulator.listen(), kind: 'other' },
      },
      models: [
        ...Object.keys(others).map((name) => ({ match: name, upstream: [name, spare] })),
        { match: 'silent', upstream: [{ name: 'main', timeouts: { headers: '80ms' } }, spare] },
        { match: '*', upstream: ['main', spare] },
      ],
      routing: { outAfter: 1000 },
    },
  })
  return {
    ...gateway,
    spared: () => gateway.lines.filter(({ upstream }) => upstream === 'spare').length,
  }
}

/** Every pairing, in both modes or in turns in one of them: each dialect has both on either side. */
const rows = dialectIds.flatMap((client, row) =>
  dialectIds.flatMap((upstream, column) =>
    modes
      .filter((_, at) => isThorough || (row + column) % modes.length === at)
      .map((mode) => [client, upstream, mode] as const),
  ),
)

function series(upstream: string, outcome: string): string {
  return `dragoman_upstream_attempts_total{upstream="${upstream}",outcome="${outcome}"}`
}

describe.each(rows)('from a client of %s to a server of %s, %s', (client, upstream, mode) => {
  it('moves on with every failure that may be over elsewhere', async () => {
    const faults = Object.fromEntries(Object.entries(moving).map(([name, { fail }]) => [name, fail]))
    const { address, metric } = await team(upstream, faults)
    const causes: readonly [model: string, from: string, cause: string][] = [
      ...Object.entries(moving).map(([name, { cause }]): [string, string, string] => [name, 'main', cause]),
      ...Object.entries(elsewhere).map(([name, { cause }]): [string, string, string] => [name, name, cause]),
    ]
    const seen = await Promise.all(
      causes.map(async ([model]) => {
        const response = await ask(client, `${address}/v1`, weatherIn(model, { stream: mode === 'stream' }))
        const body = await response.text()
        const { calls, failure } = understood(client, mode, body)
        const by = response.headers.get('x-dragoman-upstream')
        return { model, status: response.status, by, names: calls.map(({ name }) => name), failure }
      }),
    )
    expect(seen).toEqual(
      causes.map(([model]) => ({
        model,
        status: 200,
        by: 'spare',
        names: ['get_weather'],
        failure: null,
      })),
    )
    const counts = new Map<string, number>()
    for (const [, from, cause] of causes) {
      counts.set(series(from, cause), (counts.get(series(from, cause)) ?? 0) + 1)
    }
    await Promise.all(
      Array.from(counts, async ([name, count]) => {
        expect([name, await metric(name)]).toEqual([name, count])
      }),
    )
  })

  it('stays with every failure that says something about the request, the key or the content', async () => {
    const { address, spared, lines } = await team(upstream, staying)
    const models = Object.keys(staying)
    const seen = await Promise.all(
      models.map(async (model) => {
        const response = await ask(client, `${address}/v1`, weatherIn(model, { stream: mode === 'stream' }))
        const said = await response.text()
        return { model, by: response.headers.get('x-dragoman-upstream'), isSaid: said !== '' }
      }),
    )
    expect(seen).toEqual(models.map((model) => ({ model, by: 'main', isSaid: true })))
    await expect.poll(() => lines.filter(({ msg }) => msg === 'request').length).toBe(models.length)
    expect(spared()).toBe(0)
  })
})
