import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSimulator } from '../../src/simulator/server.ts'
import { ask, clientDialects, post, weatherRequest } from './ask.ts'
import { type RunningGateway, startGateway, stopGateways } from './running-gateway.ts'
import { chunk, sse, startUpstream, stopUpstreams, until } from './scripted-upstream.ts'

const simulator = createSimulator()
let gateway: RunningGateway
beforeAll(async () => {
  const upstream = await simulator.listen()
  gateway = await startGateway({
    upstream,
    settings: {
      models: [
        { match: 'my-*', upstream: 'lab', model: 'kimi-k2' },
        { match: 'told', upstream: 'lab', model: 'qwen3-coder', format: 'qwen' },
        { match: 'kimi-*', upstream: 'lab' },
      ],
      timeouts: { idle: '600ms' },
      warnings: { conversationBytes: 1000 },
    },
  })
})
afterAll(async () => {
  await stopGateways()
  await simulator.close()
  stopUpstreams()
})

const requestLines = () => gateway.lines.filter(({ msg }) => msg === 'request')

async function lineOf(asking: Promise<unknown>) {
  const before = requestLines().length
  await asking
  await until(() => requestLines().length > before, 500)
  expect(requestLines()).toHaveLength(before + 1)
  return requestLines().at(-1)
}

function countTokens(model: string): Promise<Response> {
  return post(gateway.address, '/v1/messages/count_tokens', weatherRequest('anthropic', { model }))
}

describe('the log', () => {
  it.each(clientDialects)('has one line for a request of a client of %s', async (dialect) => {
    const line = await lineOf(ask(gateway.address, dialect, { model: 'my-model', frobnicate: 1 }))
    expect(line).toMatchObject({
      level: 'info',
      route: dialect === 'anthropic' ? '/v1/messages' : '/v1/chat/completions',
      model: 'my-model',
      upstream: 'lab',
      upstreamModel: 'kimi-k2',
      format: 'kimi',
      formatFrom: 'answer',
      status: 200,
      how: 'answered',
      calls: ['get_weather'],
      failure: null,
    })
    expect(line?.['requestId']).toMatch(/^[\da-f-]{36}$/)
    expect(line?.['ms']).toBeGreaterThanOrEqual(Number(line?.['firstByteMs']))
    if (dialect === 'anthropic') expect(line?.['changed']).toContain('dropped frobnicate')
  })

  it('names the first calls of an answer that has many, and counts the others', async () => {
    const calls = Array.from({ length: 40 }, (_, index) => ({
      index,
      id: `call_${index}`,
      type: 'function',
      function: { name: `tool_${index}`, arguments: '{}' },
    }))
    const upstream = await startUpstream((response) => {
      sse(response, chunk({ tool_calls: calls }), chunk({}, 'tool_calls'))
      response.end()
    })
    const own = await startGateway({ upstream: upstream.url })
    await ask(own.address, 'openai')
    await until(() => own.requestLine() !== undefined, 500)
    const named: unknown = own.requestLine()?.['calls']
    expect(named).toHaveLength(11)
    expect(named).toMatchObject({ 0: 'tool_0', 9: 'tool_9', 10: 'and 30 more' })
  })

  it('says where the format comes from', async () => {
    const quiet = { messages: [{ role: 'user', content: 'Hello.' }], tools: [] }
    const told = await lineOf(ask(gateway.address, 'openai', { ...quiet, model: 'told' }))
    expect(told).toMatchObject({ format: 'qwen', formatFrom: 'configuration' })
    const named = await lineOf(ask(gateway.address, 'openai', { ...quiet, model: 'kimi-k2' }))
    expect(named).toMatchObject({ format: 'kimi', formatFrom: 'model name' })
  })

  it('says what went wrong, whether the client saw a status or an event', async () => {
    const early = await lineOf(ask(gateway.address, 'openai', { model: 'kimi-k2+503' }))
    expect(early).toMatchObject({ level: 'warn', status: 503, how: 'answered' })
    expect(early?.['failure']).toContain('simulated')
    const late = await lineOf(ask(gateway.address, 'anthropic', { model: 'kimi-k2+cut' }))
    expect(late).toMatchObject({ level: 'warn', status: 200, how: 'answered' })
    expect(late?.['failure']).toContain('upstream_truncated')
    const unknown = await lineOf(ask(gateway.address, 'openai', { model: 'nobody' }))
    expect(unknown).toMatchObject({ level: 'warn', status: 404, model: 'nobody' })
  })

  it.each(clientDialects)('is a warning where a call was lost, for a client of %s', async (dialect) => {
    const nameless =
      '<|tool_call_begin|>call_abc123<|tool_call_argument_begin|>{"volume":11}<|tool_call_end|>'
    const upstream = await startUpstream((response, nth) => {
      const content = nth === 1 ? nameless : 'Paris is sunny.'
      sse(response, chunk({ role: 'assistant', content }), chunk({}, 'stop'), '[DONE]')
      response.end()
    })
    const own = await startGateway({ upstream: upstream.url })
    await ask(own.address, dialect)
    await until(() => own.requestLine() !== undefined)
    expect(own.requestLine()).toMatchObject({
      level: 'warn',
      status: 200,
      failure: null,
      problems: ['unresolved-name'],
    })
    await ask(own.address, dialect)
    await until(() => own.requestLine()?.['problems'] === null)
    expect(own.requestLine()).toMatchObject({ level: 'info' })
  })

  it('has a line before it where no tools were offered, as calls in the text stay text then', async () => {
    const upstream = await startUpstream((response) => {
      const call = '<|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{}<|tool_call_end|>'
      sse(response, chunk({ role: 'assistant', content: call }), chunk({}, 'stop'), '[DONE]')
      response.end()
    })
    const own = await startGateway({ upstream: upstream.url })
    const isTold = () => own.lines.some(({ msg, level }) => level === 'debug' && msg.startsWith('no tools'))
    expect((await ask(own.address, 'openai')).hasCall).toBe(true)
    expect(isTold()).toBe(false)
    expect(await ask(own.address, 'openai', { tools: undefined })).toMatchObject({
      hasCall: false,
      text: expect.stringContaining('functions.get_weather:0'),
    })
    expect(isTold()).toBe(true)
  })

  it('names the model whose tokens are counted, also where there is no such model', async () => {
    const route = '/v1/messages/count_tokens'
    expect(await lineOf(countTokens('kimi-k2'))).toMatchObject({ route, status: 200, model: 'kimi-k2' })
    expect(await lineOf(countTokens('nobody'))).toMatchObject({ route, status: 404, model: 'nobody' })
  })

  it('names the key that a request came with, and never shows it', async () => {
    const key = 'canary-of-a-client-0123456789'
    const keys = [
      { name: 'laptop', sha256: createHash('sha256').update(key).digest('hex') },
      { name: 'other', sha256: '0'.repeat(64) },
    ]
    const own = await startGateway({ upstream: simulator.address ?? '', settings: { keys } })
    const send = async (headers: Record<string, string>) => {
      const before = own.lines.length
      await ask(own.address, 'openai', {}, { headers })
      await until(() => own.lines.slice(before).some(({ msg }) => msg === 'request'), 500)
      return own.requestLine()
    }
    expect(await send({ 'x-api-key': key })).toMatchObject({ status: 200, key: 'laptop' })
    expect(await send({ 'x-api-key': 'wrong' })).toMatchObject({ status: 401, key: null })
    expect(JSON.stringify(own.lines)).not.toContain(key)
    expect(await lineOf(ask(gateway.address, 'openai'))).toMatchObject({ key: null })
  })

  it('is no warning where Claude Code asks whether there is a server', async () => {
    const hello = fetch(`${gateway.address}/api/hello`, { method: 'HEAD' })
    const line = await lineOf(hello)
    expect(line).toMatchObject({ level: 'debug', route: '/api/hello', status: 200, failure: null })
    expect(await (await fetch(`${gateway.address}/api/hello`)).text()).toBe('')
  })

  it('names the route that is asked for with a method that it does not take', async () => {
    const line = await lineOf(fetch(`${gateway.address}/v1/messages`))
    expect(line).toMatchObject({ level: 'warn', route: '/v1/messages', status: 405 })
  })

  it('has a line for what is turned away at the door, and none above debug for a probe', async () => {
    const refused = await lineOf(fetch(`${gateway.address}/admin`))
    expect(refused).toMatchObject({ level: 'warn', route: 'unknown', status: 404 })
    const probe = await lineOf(fetch(`${gateway.address}/health`))
    expect(probe).toMatchObject({ level: 'debug', route: '/health', status: 200 })
  })

  it('holds nothing that was said', async () => {
    await lineOf(ask(gateway.address, 'anthropic'))
    expect(JSON.stringify(gateway.lines)).not.toMatch(/What is the weather|"city"/)
  })

  it('warns of a long conversation', async () => {
    const messages = [{ role: 'user', content: 'x'.repeat(2000) }]
    await lineOf(ask(gateway.address, 'anthropic', { messages }))
    const warning = gateway.lines.findLast(({ msg }) => msg === 'the conversation is long')
    expect(warning).toMatchObject({ level: 'warn' })
    expect(warning?.['bytes']).toBeGreaterThan(2000)
  })
})

/** How much a series grows while something is asked. */
async function growth(series: readonly string[], asking: () => Promise<unknown>): Promise<number[]> {
  const values = () => Promise.all(series.map((each) => gateway.metric(each)))
  const before = await values()
  await lineOf(asking())
  const after = await values()
  return after.map((value, at) => value - (before[at] ?? 0))
}

describe('/metrics', () => {
  const names = [
    'dragoman_requests_total',
    'dragoman_request_duration_seconds',
    'dragoman_time_to_first_event_seconds',
    'dragoman_overhead_seconds',
    'dragoman_formats_detected_total',
    'dragoman_upstream_errors_total',
    'dragoman_tool_calls_total',
    'dragoman_parse_problems_total',
    'dragoman_parser_held_bytes',
    'dragoman_dropped_total',
    'dragoman_streams_active',
    'dragoman_build_info',
  ]

  it('has every name', async () => {
    const response = await fetch(`${gateway.address}/metrics`)
    expect(response.headers.get('content-type')).toContain('text/plain')
    const text = await response.text()
    for (const name of names) expect(text).toContain(`# TYPE ${name} `)
  })

  it('counts what was dropped from zero, so that the first drop shows in a rate', async () => {
    const text = await (await fetch(`${gateway.address}/metrics`)).text()
    expect(text).toContain('dragoman_dropped_total{sink="log"} 0\n')
    expect(text).toContain('dragoman_dropped_total{sink="record"} 0\n')
  })

  it.each(clientDialects)('counts a call for a client of %s', async (dialect) => {
    const route = dialect === 'anthropic' ? '/v1/messages' : '/v1/chat/completions'
    const series = [
      `dragoman_requests_total{route="${route}",status="200"}`,
      `dragoman_request_duration_seconds_count{route="${route}"}`,
      `dragoman_time_to_first_event_seconds_count{route="${route}"}`,
      `dragoman_overhead_seconds_count{route="${route}"}`,
      'dragoman_formats_detected_total{format="kimi"}',
      'dragoman_tool_calls_total{format="kimi",outcome="complete"}',
      'dragoman_streams_active',
      'dragoman_upstream_errors_total{kind="upstream"}',
    ]
    expect(await growth(series, () => ask(gateway.address, dialect))).toEqual([1, 1, 1, 1, 1, 1, 0, 0])
  })

  it.each(clientDialects)('tells whole calls from half ones, for a client of %s', async (dialect) => {
    const call = '<|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city":'
    const upstream = await startUpstream((response) => {
      const text = `<|tool_calls_section_begin|>${call}"Paris"}<|tool_call_end|>${call}`
      sse(response, chunk({ role: 'assistant', content: text }), chunk({}, 'stop'), '[DONE]')
      response.end()
    })
    const own = await startGateway({ upstream: upstream.url })
    const answer = await ask(own.address, dialect)
    expect(answer).toMatchObject({ isMarkedDone: false, hasCall: true })
    await until(() => own.requestLine() !== undefined, 1000)
    expect(await own.metric('dragoman_tool_calls_total{format="kimi",outcome="complete"}')).toBe(1)
    expect(await own.metric('dragoman_tool_calls_total{format="kimi",outcome="incomplete"}')).toBe(1)
    expect(await own.metric('dragoman_parse_problems_total{format="kimi",code="truncated-call"}')).toBe(1)
  })

  it.each(clientDialects)(
    'shows what parsers hold, while they hold it, for a client of %s',
    async (dialect) => {
      let finish: (() => void) | undefined
      const upstream = await startUpstream((response) => {
        const header = '<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0'
        const content = `${header}<|tool_call_argument_begin|>{"city":"${'x'.repeat(500)}`
        sse(response, chunk({ role: 'assistant', content }))
        finish = () => {
          sse(response, chunk({}, 'stop'), '[DONE]')
          response.end()
        }
      })
      const own = await startGateway({ upstream: upstream.url, settings: { delivery: 'complete' } })
      const answering = ask(own.address, dialect)
      await until(() => finish !== undefined, 2000)
      const held = async (): Promise<number> => own.metric('dragoman_parser_held_bytes')
      await expect.poll(held, { timeout: 2000 }).toBeGreaterThan(400)
      expect(await held()).toBeLessThan(2000)
      finish?.()
      await answering
      await expect.poll(held, { timeout: 2000 }).toBe(0)
    },
  )

  it('counts what upstreams do wrong once, and not what clients do', async () => {
    const series = [
      'dragoman_upstream_errors_total{kind="upstream"}',
      'dragoman_upstream_errors_total{kind="rate-limit"}',
      'dragoman_upstream_errors_total{kind="invalid-request"}',
      'dragoman_streams_active',
    ]
    const { address } = gateway
    expect(await growth(series, () => ask(address, 'anthropic', { model: 'kimi-k2+cut' }))).toEqual([
      1, 0, 0, 0,
    ])
    expect(await growth(series, () => ask(address, 'openai', { model: 'kimi-k2+429' }))).toEqual([0, 1, 0, 0])
    expect(await growth(series, () => ask(address, 'openai', { messages: 7 }))).toEqual([0, 0, 0, 0])
  })

  it('counts problems by format and code', async () => {
    const read = async () => (await fetch(`${gateway.address}/metrics`)).text()
    await lineOf(ask(gateway.address, 'anthropic', { model: 'kimi-k2+char+length' }))
    expect(await read()).toMatch(/^dragoman_parse_problems_total\{format="kimi",code="[a-z-]+"\} \d+$/m)
  })
})

describe('the lag of the event loop', () => {
  it('is none where nothing runs', async () => {
    await sleep(350)
    expect(await gateway.metric('dragoman_nodejs_eventloop_lag_min_seconds')).toBeLessThan(0.09)
  })
})
