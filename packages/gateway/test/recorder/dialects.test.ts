import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DialectId, dialectIds } from '@dragoman/core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createRecorder } from '../../src/recorder/recorder.ts'
import { parseRecording, type RecordedExchange } from '../../src/recorder/recording.ts'
import { replayExchange } from '../../src/recorder/replay.ts'
import { createRedactor } from '../../src/security/redact.ts'
import { createSimulator } from '../../src/simulator/server.ts'
import { startGateway, stopGateways } from '../server/running-gateway.ts'
import { ask, understood, type Understood, weatherIn } from '../simulator/speaking.ts'

const simulator = createSimulator()
let upstream = ''
beforeAll(async () => {
  upstream = await simulator.listen()
})
afterAll(() => simulator.close())

let dir = ''
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dragoman-record-'))
})
afterEach(async () => {
  await stopGateways()
  await rm(dir, { recursive: true })
})

type Send = (address: string) => Promise<Response>

/** Sends a request through a gateway that records, and reads the recording. */
async function recorded(
  dialect: DialectId,
  send: Send,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<{ exchange: RecordedExchange; file: string; body: string }> {
  const recorder = createRecorder({
    config: { dir, maxBytes: 1_000_000, maxAge: 60_000 },
    redact: createRedactor([]),
    now: Date.now,
    onDrop: () => {},
    onFault: () => {},
  })
  const { address } = await startGateway({ upstream, dialect, recorder, settings })
  const response = await send(address)
  expect(response.status).toBe(200)
  const body = await response.text()
  await stopGateways()
  await recorder.close()
  const [name] = await readdir(dir)
  const file = await readFile(join(dir, name ?? ''), 'utf8')
  const exchange = parseRecording(file)
  if (exchange === undefined) throw new Error('There is no recording.')
  return { exchange, file, body }
}

function replay(exchange: RecordedExchange, to?: DialectId): string {
  if (exchange.upstream === null) throw new Error('No upstream was asked.')
  const { status, body } = replayExchange(exchange, exchange.upstream, {
    ...(to === undefined ? {} : { to }),
    watcher: {},
  })
  expect(status).toBe(200)
  return body
}

/** Without the ids, which are made anew. */
function said({ text, reasoning, calls, finish }: Understood): object {
  return { text, reasoning, finish, calls: calls.map(({ name, json }) => ({ name, json })) }
}

const pairings = dialectIds.flatMap((client) => dialectIds.map((server) => [client, server] as const))

describe.each(pairings)('an exchange of a client of %s with an upstream of %s', (client, server) => {
  it.each(['stream', 'whole'] as const)('is recorded and replayed: %s', async (delivery) => {
    const request = weatherIn('kimi-k2+think', { stream: delivery === 'stream' })
    const { exchange, body } = await recorded(server, (address) => ask(client, `${address}/v1`, request))
    expect(exchange.client).toMatchObject({ dialect: client, status: 200, response: body })
    expect(exchange.upstream).toMatchObject({ dialect: server, model: 'kimi-k2+think', status: 200 })
    const got = said(understood(client, delivery, body))
    expect(got).toMatchObject({ calls: [{ name: 'get_weather' }], finish: 'tool-calls' })
    expect(said(understood(client, delivery, replay(exchange)))).toEqual(got)
    for (const other of dialectIds) {
      expect(said(understood(other, delivery, replay(exchange, other)))).toMatchObject({
        calls: [{ name: 'get_weather' }],
        finish: 'tool-calls',
      })
    }
  })
})

describe('a request that says in its address what it asks for', () => {
  const contents = [{ role: 'user', parts: [{ text: 'What is the weather in Paris?' }] }]
  const send =
    (method: string): Send =>
    (address) =>
      fetch(`${address}/v1beta/models/org/kimi-k2%3Afree:${method}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ contents }),
      })

  it('is recorded with that address, and without the key in it', async () => {
    const { exchange, file } = await recorded(
      'openai-chat',
      send('streamGenerateContent?alt=sse&key=hush-4711'),
    )
    expect(exchange.client.asked).toEqual({
      path: '/v1beta/models/org/kimi-k2%3Afree:streamGenerateContent',
      query: { alt: 'sse' },
    })
    expect(file).not.toContain('hush-4711')
    expect(exchange.upstream?.model).toBe('org/kimi-k2:free')
    expect(replay(exchange)).toMatch(/^data: \{/)
  })

  it('gets the array again that it asked for', async () => {
    const { exchange, body } = await recorded('openai-chat', send('streamGenerateContent'))
    const chunks: unknown = JSON.parse(body)
    expect(Array.isArray(chunks)).toBe(true)
    expect(JSON.parse(replay(exchange))).toHaveLength(Array.isArray(chunks) ? chunks.length : 0)
  })
})

describe('an exchange of a rule with several upstreams', () => {
  it.each(dialectIds)('is replayed with the name of the model that the client knows: %s', async (dialect) => {
    const url = dialect === 'gemini' ? upstream.replace(/v1$/, 'v1beta') : upstream
    const settings = {
      upstreams: {
        down: { url: 'http://127.0.0.1:9/v1', kind: 'other' },
        lab: { url, dialect, kind: 'other' },
      },
      models: [{ match: '*', upstream: ['down', 'lab'], model: 'qwen3' }],
    }
    const send: Send = (address) => ask(dialect, `${address}/v1`, weatherIn('my-model'))
    const { exchange, body } = await recorded(dialect, send, settings)
    expect(exchange.upstream).toMatchObject({ name: 'lab', model: 'qwen3', clientModel: 'my-model' })
    for (const text of [body, replay(exchange)]) {
      expect(text).toContain('my-model')
      expect(text).not.toContain('qwen3')
    }
  })
})
