import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { startSimulator } from '../../src/cli/built-in-simulator.ts'
import { createMetrics, type Metrics } from '../../src/observe/metrics.ts'
import { type Service, startService } from '../../src/server/service.ts'
import { type CollectorStandIn, startCollector, takeAll } from '../observe/traces/collector-stand-in.ts'
import { type Answer, ask, at, clientDialects, post } from './ask.ts'
import { configFor, oneKey } from './running-gateway.ts'
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

const services: Service[] = []
const collectors: CollectorStandIn[] = []

afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.drain()))
  await Promise.all(collectors.splice(0).map((collector) => collector.close()))
  stopUpstreams()
})

async function collecting(...given: Parameters<typeof startCollector>): Promise<CollectorStandIn> {
  const collector = await startCollector(...given)
  collectors.push(collector)
  return collector
}

interface Traced {
  readonly service: Service
  readonly metrics: Metrics
  readonly ask: (more?: object, headers?: Record<string, string>) => Promise<Answer>
}

/** A gateway in front of this upstream, with these variables of the environment. */
async function traced(
  upstream: string,
  env: Readonly<Record<string, string>>,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<Traced> {
  const quiet = { log: { level: 'error' }, listen: { port: 0 } }
  const metrics = createMetrics('0.0.0')
  const service = await startService(await configFor({ upstream, settings: { ...quiet, ...settings } }), {
    metrics,
    now: () => performance.now(),
    isTerminal: false,
    workers: 1,
    startSimulator,
    tracing: { env: { OTEL_BSP_SCHEDULE_DELAY: '10', ...env }, version: () => Promise.resolve('9.9.9') },
  })
  services.push(service)
  return {
    service,
    metrics,
    ask: (more = {}, headers = {}) => ask(service.address, 'openai', more, { headers }),
  }
}

const to = (collector: CollectorStandIn) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })

async function spansOf(collector: CollectorStandIn, count: number) {
  await until(() => collector.spans().length >= count)
  const spans = collector.spans()
  expect(spans).toHaveLength(count)
  const request = spans.find(({ kind }) => kind === 'server')
  if (request === undefined) throw new Error('no span of a request')
  const attempts = spans
    .filter(({ kind }) => kind === 'client')
    .toSorted((a, b) => (a.start < b.start ? -1 : 1))
  return { request, attempts }
}

async function dropped(metrics: Metrics): Promise<number> {
  const { text } = await metrics.expose()
  return Number(/^dragoman_dropped_total\{sink="trace"\} (\d+)$/m.exec(text)?.[1])
}

const section = (call: string): string =>
  `<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>${call}<|tool_call_end|><|tool_calls_section_end|>`

const usage = {
  prompt_tokens: 100,
  completion_tokens: 20,
  total_tokens: 120,
  prompt_tokens_details: { cached_tokens: 60 },
  completion_tokens_details: { reasoning_tokens: 5 },
}

/** A stream with a call that is written as text, and with its usage. */
const callingStream: Script = async (response) => {
  sse(response, chunk({ role: 'assistant', content: 'Let me look. ' }))
  // What comes at once is read at once, and the call would be found before the first byte goes out.
  await sleep(20)
  sse(response, chunk({ content: section('{"city":"Paris"}') }))
  sse(response, chunk({}, 'stop'), { ...chunk({}), choices: [], usage }, '[DONE]')
  response.end()
}

describe('a request with a collector', () => {
  it.each(clientDialects)(
    'is one span with what was asked and answered, for a client of %s',
    async (dialect) => {
      const [collector, upstream] = await Promise.all([collecting(), startUpstream(callingStream)])
      const { service } = await traced(upstream.url, to(collector), {
        models: [{ match: 'my-model', upstream: 'lab', model: 'kimi-k2' }],
      })
      await ask(service.address, dialect, {
        model: 'my-model',
        temperature: 0.5,
        stream_options: { include_usage: true },
      })
      const { request, attempts } = await spansOf(collector, 2)
      expect(request).toMatchObject({ name: 'chat my-model', parentSpanId: null, status: { code: 0 } })
      expect(request.attributes).toMatchObject({
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': 'my-model',
        'gen_ai.request.temperature': 0.5,
        'gen_ai.response.model': 'm',
        'gen_ai.response.id': 'chatcmpl-1',
        'gen_ai.response.finish_reasons': ['tool_call'],
        'gen_ai.usage.input_tokens': 100,
        'gen_ai.usage.cache_read.input_tokens': 60,
        'gen_ai.usage.output_tokens': 20,
        'gen_ai.usage.reasoning.output_tokens': 5,
        'http.response.status_code': 200,
        'dragoman.upstream': 'lab',
        'dragoman.how': 'answered',
      })
      expect(request.attributes).not.toHaveProperty('error.type')
      expect(request.events.map(({ name }) => name)).toEqual(['dragoman.first_byte', 'dragoman.tool_call'])
      expect(request.events[1]?.attributes).toEqual({ 'gen_ai.tool.name': 'get_weather' })
      expect(attempts).toMatchObject([
        {
          name: 'POST lab',
          traceId: request.traceId,
          parentSpanId: request.spanId,
          attributes: {
            'http.response.status_code': 200,
            'server.address': '127.0.0.1',
            'server.port': Number(new URL(upstream.url).port),
            'gen_ai.request.model': 'kimi-k2',
          },
        },
      ])
      for (const { start, end, events } of [request, ...attempts]) {
        expect(end).toBeGreaterThan(start)
        for (const event of events) expect(event.at).toBeGreaterThanOrEqual(start)
      }
    },
  )

  it('says who sends it, in the words of the environment', async () => {
    const [collector, upstream] = await Promise.all([collecting(), startUpstream(callingStream)])
    const { ask: asking } = await traced(upstream.url, {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/in/here`,
      OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Bearer%20abc, x-scope = team',
      OTEL_SERVICE_NAME: 'gateway-of-ada',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=lab,service.name=lost',
    })
    await asking()
    await spansOf(collector, 2)
    expect(collector.posts[0]).toMatchObject({
      path: '/in/here',
      headers: { authorization: 'Bearer abc', 'x-scope': 'team', 'content-type': 'application/json' },
      resource: {
        'service.name': 'gateway-of-ada',
        'service.version': '9.9.9',
        'deployment.environment.name': 'lab',
      },
      scope: { name: 'dragoman', version: '9.9.9' },
    })
  })

  it('goes on in the trace of its client, and the upstream goes on in it', async () => {
    const [collector, upstream] = await Promise.all([collecting(), startUpstream(callingStream)])
    const { ask: asking } = await traced(upstream.url, to(collector))
    const traceId = '0af7651916cd43dd8448eb211c80319c'
    await asking({}, { traceparent: `00-${traceId}-b7ad6b7169203331-01`, tracestate: 'vendor=1' })
    const { request, attempts } = await spansOf(collector, 2)
    expect(request).toMatchObject({ traceId, parentSpanId: 'b7ad6b7169203331', traceState: 'vendor=1' })
    expect(upstream.requests[0]?.headers).toMatchObject({
      traceparent: `00-${traceId}-${attempts[0]?.spanId}-01`,
      tracestate: 'vendor=1',
    })
  })

  it('is not sent where its client keeps no trace, and the upstream is told so', async () => {
    const [collector, upstream] = await Promise.all([collecting(), startUpstream(callingStream)])
    const { service, ask: asking } = await traced(upstream.url, to(collector))
    await asking({}, { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00' })
    await service.drain()
    expect(collector.posts).toEqual([])
    expect(upstream.requests[0]?.headers['traceparent']).toMatch(
      /^00-0af7651916cd43dd8448eb211c80319c-.{16}-00$/,
    )
  })

  it('has a span for each attempt, with why it failed', async () => {
    const collector = await collecting()
    const upstream = await startUpstream((response, nth) =>
      nth === 1
        ? json(response, 400, {
            error: {
              message:
                "This model's maximum context length is 4096 tokens. However, you requested 33000 tokens (1000 in the messages, 32000 in the completion).",
            },
          })
        : callingStream(response, nth),
    )
    const { ask: asking } = await traced(upstream.url, to(collector))
    await asking({ max_tokens: 32_000 })
    const { request, attempts } = await spansOf(collector, 3)
    expect(attempts).toMatchObject([
      { attributes: { 'http.response.status_code': 400, 'error.type': '400' }, status: { code: 2 } },
      {
        attributes: { 'http.response.status_code': 200, 'http.request.resend_count': 1 },
        status: { code: 0 },
      },
    ])
    expect(request.status.code).toBe(0)
    expect(request.events.map(({ name }) => name)).toContain('dragoman.asked_again')
  })

  it('has a span for each upstream that was tried, and the answer of the last alone', async () => {
    const collector = await collecting()
    const busy = await startUpstream((response) => json(response, 503, { error: { message: 'busy' } }))
    const wrong = await startUpstream((response) => {
      sse(response, { error: { message: 'out of memory', code: 500 } })
      response.end()
    })
    const well = await startUpstream(callingStream)
    const { ask: asking } = await traced(well.url, to(collector), {
      upstreams: {
        busy: { url: busy.url, kind: 'other' },
        wrong: { url: wrong.url, kind: 'other' },
        well: { url: well.url, kind: 'other' },
      },
      models: [{ match: '*', upstream: ['busy', 'wrong', 'well'] }],
    })
    expect(await asking()).toMatchObject({ status: 200, hasCall: true })
    const { request, attempts } = await spansOf(collector, 4)
    expect(attempts.map(({ name }) => name)).toEqual(['POST busy', 'POST wrong', 'POST well'])
    expect(attempts.map(({ status }) => status.code)).toEqual([2, 2, 0])
    expect(attempts[0]?.attributes).toMatchObject({ 'error.type': '503' })
    expect(request).toMatchObject({ status: { code: 0 }, attributes: { 'dragoman.upstream': 'well' } })
    const ids = [busy, wrong, well].map(({ requests }) => requests[0]?.headers['traceparent'])
    expect(ids).toEqual(attempts.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`))
  })

  it('has the failure of an upstream that is gone, and none of its words', async () => {
    const collector = await collecting()
    const { ask: asking } = await traced('http://127.0.0.1:1/v1', to(collector))
    const answer = await asking()
    const { request, attempts } = await spansOf(collector, 2)
    expect(request.attributes).toMatchObject({
      'error.type': answer.error?.code,
      'http.response.status_code': answer.status,
    })
    expect(request.status).toEqual({ code: 2, message: answer.error?.code })
    expect(attempts[0]?.attributes).toMatchObject({ 'error.type': 'unreachable' })
  })

  it('tells a stream that broke off, and that its status was 200', async () => {
    const collector = await collecting()
    const upstream = await startUpstream((response) => {
      sse(response, chunk({ content: 'half' }))
      setTimeout(() => response.destroy(), 20)
    })
    const { ask: asking } = await traced(upstream.url, to(collector))
    await asking()
    const { request, attempts } = await spansOf(collector, 2)
    expect(request.attributes).toMatchObject({
      'http.response.status_code': 200,
      'error.type': 'upstream_truncated',
    })
    expect(attempts[0]).toMatchObject({ status: { code: 2 }, attributes: { 'error.type': 'cut' } })
  })

  it('ends with its client, and says that it left', async () => {
    const collector = await collecting()
    const upstream = await startUpstream((response) => sse(response, chunk({ content: 'wait' })))
    const { service } = await traced(upstream.url, to(collector))
    const leaving = new AbortController()
    const response = await post(
      service.address,
      '/v1/chat/completions',
      { model: 'm', stream: true, messages: [{ role: 'user', content: 'hi' }] },
      { signal: leaving.signal },
    )
    expect(response.status).toBe(200)
    leaving.abort()
    const { request } = await spansOf(collector, 2)
    expect(request.attributes).toMatchObject({ 'dragoman.how': 'left' })
  })

  it('has an event for each problem, with its code alone', async () => {
    const collector = await collecting()
    const upstream = await startUpstream((response) => {
      sse(response, chunk({ content: section('{"city": oops') }), chunk({}, 'stop'), '[DONE]')
      response.end()
    })
    const { ask: asking } = await traced(upstream.url, to(collector))
    await asking({ model: 'kimi-k2' })
    const { request } = await spansOf(collector, 2)
    const problems = request.events.filter(({ name }) => name === 'dragoman.problem')
    expect(problems.map(({ attributes }) => Object.keys(attributes))).toEqual([['dragoman.code']])
  })

  it('names the key and the session, but shows neither', async () => {
    const [collector, upstream] = await Promise.all([collecting(), startUpstream(callingStream)])
    const { ask: asking } = await traced(upstream.url, to(collector), { keys: oneKey.keys })
    await asking({}, { ...oneKey.headers, 'x-session-id': 'secret-session' })
    const { request } = await spansOf(collector, 2)
    expect(request.attributes).toMatchObject({
      'dragoman.key': 'ada',
      'gen_ai.conversation.id': expect.stringMatching(/^[0-9a-f]{32}$/),
    })
    expect(
      JSON.stringify(collector.posts, (_, value: unknown) => (typeof value === 'bigint' ? '' : value)),
    ).not.toContain('secret-session')
  })

  it('is a span where it was refused, too; a probe is none', async () => {
    const [collector, upstream] = await Promise.all([collecting(), startUpstream(callingStream)])
    const { service, ask: asking } = await traced(upstream.url, to(collector), { keys: oneKey.keys })
    await fetch(`${service.address}/health`)
    await asking()
    const { request } = await spansOf(collector, 1)
    expect(request).toMatchObject({ name: 'chat', attributes: { 'http.response.status_code': 401 } })
  })
})

describe('what was said', () => {
  const words = ['What is the weather', 'Let me look', '"Paris"']

  it('is in no span unless it is asked for', async () => {
    const [collector, upstream] = await Promise.all([collecting(), startUpstream(callingStream)])
    const { ask: asking } = await traced(upstream.url, to(collector))
    await asking()
    const { request, attempts } = await spansOf(collector, 2)
    const text = JSON.stringify(
      [request, attempts]
        .flat()
        .map(({ attributes, events }) => [attributes, events.map((event) => event.attributes)]),
    )
    expect(words.filter((word) => text.includes(word))).toEqual([])
  })

  it.each(clientDialects.flatMap((dialect) => [true, false].map((stream) => ({ dialect, stream }))))(
    'is in the span where it is: %j',
    async ({ dialect, stream }) => {
      const collector = await collecting()
      const upstream = await startUpstream((response, nth) =>
        stream
          ? callingStream(response, nth)
          : json(response, 200, completion(`Let me look. ${section('{"city":"Paris"}')}`)),
      )
      const { service } = await traced(upstream.url, {
        ...to(collector),
        OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
      })
      await ask(service.address, dialect, { stream })
      const { request } = await spansOf(collector, 2)
      expect(JSON.parse(String(request.attributes['gen_ai.input.messages']))).toEqual([
        { role: 'user', parts: [{ type: 'text', content: 'What is the weather in Paris?' }] },
      ])
      const [said]: unknown[] = JSON.parse(String(request.attributes['gen_ai.output.messages']))
      expect(said).toMatchObject({ role: 'assistant', finish_reason: 'tool_call' })
      expect(at(said, 'parts', 0)).toMatchObject({
        type: 'text',
        content: expect.stringContaining('Let me look.'),
      })
      expect(at(said, 'parts', 1)).toMatchObject({
        type: 'tool_call',
        name: 'get_weather',
        arguments: { city: 'Paris' },
      })
    },
  )
})

describe('what was said at length', () => {
  const captured = { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true' }

  it('is the end of a long conversation, and the span says how much is missing', async () => {
    const [collector, upstream] = await Promise.all([collecting(), startUpstream(callingStream)])
    const { ask: asking } = await traced(upstream.url, { ...to(collector), ...captured })
    const turns = Array.from({ length: 40 }, (_, turn) => [
      { role: 'user', content: `${turn} ${'q'.repeat(10_000)}` },
      { role: 'assistant', content: 'yes' },
    ])
    const last = { role: 'user', content: 'x'.repeat(100_000) }
    await asking({ messages: [...turns.flat(), last] })
    const { request } = await spansOf(collector, 2)
    const text = String(request.attributes['gen_ai.input.messages'])
    expect(text.length).toBeLessThan(270_000)
    const messages: unknown[] = JSON.parse(text)
    expect(messages.length).toBeGreaterThan(20)
    expect(request.attributes['dragoman.content.omitted_messages']).toBe(81 - messages.length)
    expect(String(at(messages.at(-1), 'parts', 0, 'content'))).toHaveLength(32_768 + 1)
  })

  it('is no answer that is too long to be kept', async () => {
    const collector = await collecting()
    const upstream = await startUpstream((response) =>
      json(response, 200, completion('long '.repeat(1_000_000))),
    )
    const { ask: asking } = await traced(upstream.url, { ...to(collector), ...captured })
    await asking({ stream: false })
    const { request } = await spansOf(collector, 2)
    expect(request.attributes).toMatchObject({ 'dragoman.content.omitted_answer': true })
    expect(request.attributes).not.toHaveProperty('gen_ai.output.messages')
  })
})

describe('a collector that does badly', () => {
  it('disturbs no request when it is gone, and gets the spans when it is back', async () => {
    const gone = await startCollector()
    await gone.close()
    const upstream = await startUpstream(callingStream)
    const { ask: asking } = await traced(upstream.url, to(gone))
    expect(await asking()).toMatchObject({ status: 200, isMarkedDone: true })
    await sleep(100)
    const back = await collecting(takeAll, Number(new URL(gone.url).port))
    await spansOf(back, 2)
  })

  it('gets the same spans again after 503, and not again after 400', async () => {
    const collector = await collecting((response, nth) => {
      if (nth === 1) response.writeHead(503, { 'retry-after': '1' }).end()
      else if (nth === 2) takeAll(response)
      else response.writeHead(400).end()
    })
    const upstream = await startUpstream(callingStream)
    const { ask: asking, metrics } = await traced(upstream.url, to(collector))
    await asking()
    await until(() => collector.posts.length >= 2)
    const [first, second] = collector.posts
    expect(second?.spans).toEqual(expect.arrayContaining([...(first?.spans ?? [])]))
    await asking()
    await until(() => collector.posts.length >= 3)
    await sleep(50)
    expect(collector.posts).toHaveLength(3)
    expect(await dropped(metrics)).toBe(2)
  })

  it('costs the spans for which there is no room, and each of them is counted', async () => {
    const collector = await collecting(() => {})
    const upstream = await startUpstream(callingStream)
    const { ask: asking, metrics } = await traced(upstream.url, {
      ...to(collector),
      OTEL_BSP_MAX_QUEUE_SIZE: '4',
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '2',
    })
    await Promise.all(Array.from({ length: 10 }, () => asking()))
    await sleep(50)
    expect(await dropped(metrics)).toBe(16)
    expect(collector.posts).toHaveLength(1)
  })

  it('does not keep the gateway from ending', async () => {
    const collector = await collecting(() => {})
    const upstream = await startUpstream(callingStream)
    const { service, ask: asking, metrics } = await traced(upstream.url, to(collector))
    await asking()
    const began = performance.now()
    await service.drain()
    expect(performance.now() - began).toBeLessThan(4500)
    expect(await dropped(metrics)).toBe(2)
  })

  it('is told the last spans before the gateway ends', async () => {
    const [collector, upstream] = await Promise.all([collecting(), startUpstream(callingStream)])
    const { service, ask: asking } = await traced(upstream.url, {
      ...to(collector),
      OTEL_BSP_SCHEDULE_DELAY: '60000',
    })
    await asking()
    expect(collector.posts).toEqual([])
    await service.drain()
    expect(collector.spans()).toHaveLength(2)
  })

  it('counts what it rejects', async () => {
    const collector = await collecting((response) =>
      json(response, 200, { partialSuccess: { rejectedSpans: '1', errorMessage: 'too old' } }),
    )
    const upstream = await startUpstream(callingStream)
    const {
      service,
      ask: asking,
      metrics,
    } = await traced(upstream.url, { ...to(collector), OTEL_BSP_SCHEDULE_DELAY: '200' })
    await asking()
    await service.drain()
    expect(await dropped(metrics)).toBe(1)
  })
})

describe('without traces', () => {
  it.each([
    ['nothing is set', () => ({})],
    [
      'the SDK is disabled',
      (url: string) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_SDK_DISABLED: 'true' }),
    ],
    [
      'the exporter is none',
      (url: string) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_TRACES_EXPORTER: 'none' }),
    ],
    ['the address is none', () => ({ OTEL_EXPORTER_OTLP_ENDPOINT: 'nowhere' })],
  ])('where %s, nothing is sent and the upstream is told nothing', async (_, env) => {
    const [collector, upstream] = await Promise.all([collecting(), startUpstream(callingStream)])
    const { service, ask: asking } = await traced(upstream.url, env(collector.url))
    await asking({}, { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' })
    await service.drain()
    expect(collector.posts).toEqual([])
    expect(upstream.requests[0]?.headers).not.toHaveProperty('traceparent')
  })
})
