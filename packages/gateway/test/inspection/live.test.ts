import { afterEach, describe, expect, it } from 'vitest'
import { ask, paths, post, weatherRequest, inTurn } from '../server/ask.ts'
import { startGateway, stopGateways } from '../server/running-gateway.ts'
import {
  chunk,
  completion,
  json,
  sse,
  startUpstream,
  stopUpstreams,
  until,
} from '../server/scripted-upstream.ts'
import { kimiCall } from '../cli/run-cli.ts'
import { ada, cookieFor } from './door.ts'
import { eventually, lookAt } from './look.ts'

afterEach(async () => {
  await stopGateways()
  stopUpstreams()
})

describe('an exchange that went through', () => {
  it('is shown with its four stages, its notes, and what was said of the answer', async () => {
    const upstream = await startUpstream((response) => {
      sse(response, chunk({ role: 'assistant', content: 'Sure.' }), chunk({ content: kimiCall }))
      sse(response, chunk({}, 'stop'), '[DONE]')
      response.end()
    })
    const { address } = await startGateway({ upstream: upstream.url })
    const look = lookAt(address)
    const headers = { 'user-agent': 'claude-cli/2.1.4 (external, cli)' }
    const answer = await ask(address, 'anthropic', { top_k: 3, tools: [timeTool] }, { headers })
    const newest = await look.newest()
    expect(newest).toMatchObject({
      id: answer.headers.get('x-request-id'),
      state: 'ended',
      client: 'claude-cli/2.1.4',
      clientDialect: 'anthropic-messages',
      model: 'kimi-k2',
      upstream: 'lab',
      upstreamModel: 'kimi-k2',
      format: 'kimi',
      formatFrom: 'stream',
      status: 200,
      finish: 'tool-calls',
      calls: 1,
      notes: 1,
      failure: null,
    })
    const details = await look.details(newest.id)
    expect(details).toMatchObject({
      client: { dialect: 'anthropic-messages', method: 'POST', path: '/v1/messages' },
      upstream: { dialect: 'openai-chat', url: `${upstream.url}/chat/completions`, status: 200 },
      notes: [{ kind: 'dropped', field: 'top_k' }],
    })
    expect(JSON.parse(await look.stageText(newest.id, 'client-request'))).toMatchObject({ top_k: 3 })
    expect(await look.stageText(newest.id, 'upstream-request')).toBe(upstream.requests[0]?.body)
    expect(await look.stageText(newest.id, 'client-response')).toBe(answer.body)
    const said = await look.stage(newest.id, 'upstream-response')
    expect(said.map(({ text }) => text).join('')).toContain('functions.get_time:0')
    const times = said.map(({ at }) => at ?? -1)
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    expect(times[0]).toBeGreaterThanOrEqual(0)
  })

  it('that failed tells why, also where no upstream was asked', async () => {
    const { address } = await startGateway({ upstream: 'http://127.0.0.1:9/v1' })
    const look = lookAt(address)
    await ask(address, 'openai')
    expect(await look.newest()).toMatchObject({ state: 'failed', status: 502, upstream: 'lab' })
    await post(address, paths.openai, '{ "model": ')
    const newest = await look.newest()
    expect(newest).toMatchObject({ state: 'failed', status: 400, upstream: null })
    expect(newest.failure).toContain('invalid_json')
    expect((await look.details(newest.id)).upstream).toBeNull()
  })

  it('tells of the problems and repairs in what the model wrote', async () => {
    const broken = kimiCall.replace('"UTC"}', '"UTC",}')
    const upstream = await startUpstream((response) => json(response, 200, completion(broken)))
    const { address } = await startGateway({ upstream: upstream.url })
    await ask(address, 'anthropic', { tools: [timeTool], stream: false })
    const look = lookAt(address)
    const newest = await look.newest()
    expect(newest).toMatchObject({ repairs: 1, problems: 0 })
    const { told } = await look.details(newest.id)
    expect(told).toMatchObject([{ kind: 'repair', code: 'trailing-comma' }])
    expect(told[0]?.message).not.toBe('')
  })

  it('counts the calls that are whole', async () => {
    const upstream = await startUpstream((response) => {
      const cut = kimiCall.slice(0, kimiCall.indexOf('UTC'))
      sse(response, chunk({ content: kimiCall + cut }), chunk({}, 'length'), '[DONE]')
      response.end()
    })
    const { address } = await startGateway({ upstream: upstream.url })
    await ask(address, 'anthropic', { tools: [timeTool] })
    expect(await lookAt(address).newest()).toMatchObject({ calls: 1, problems: 1, finish: 'length' })
  })

  it('that is still running shows what there is, and then the rest', async () => {
    let goOn: (() => void) | undefined
    const upstream = await startUpstream((response) => {
      sse(response, chunk({ content: 'first' }))
      goOn = () => {
        sse(response, chunk({ content: ' second' }, 'stop'), '[DONE]')
        response.end()
      }
    })
    const { address } = await startGateway({ upstream: upstream.url })
    const look = lookAt(address)
    const running = await post(address, paths.anthropic, weatherRequest('anthropic'))
    await eventually(async () => typeof (await look.list()).exchanges[0]?.firstByteMs === 'number')
    const [summary] = (await look.list()).exchanges
    expect(summary).toMatchObject({ state: 'running', durationMs: null, status: null })
    const id = summary?.id ?? ''
    expect(await look.stageText(id, 'client-response')).toContain('first')
    expect(await look.stageText(id, 'client-response')).not.toContain('second')
    goOn?.()
    await running.text()
    expect(await look.newest()).toMatchObject({ id, state: 'ended', status: 200 })
    expect(await look.stageText(id, 'client-response')).toContain('second')
  })

  it('whose client left is told from one that ended', async () => {
    const upstream = await startUpstream((response) => sse(response, chunk({ content: 'first' })))
    const { address } = await startGateway({ upstream: upstream.url })
    const leaving = new AbortController()
    await post(address, paths.openai, weatherRequest('openai'), { signal: leaving.signal })
    leaving.abort()
    const newest = await lookAt(address).newest()
    expect(newest).toMatchObject({
      state: 'failed',
      failure: 'The client left before the end of its answer.',
    })
  })
})

describe('a secret', () => {
  it('is in nothing that is shown, also where it lies across chunks', async () => {
    const apiKey = 'hush-hush-of-the-upstream'
    const upstream = await startUpstream((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'x-note': apiKey })
      response.write('data: {"choices":[{"index":0,"delta":{"content":"it is hush-hush-')
      setTimeout(() => {
        response.write('of-the-upstream, né')
        setTimeout(() => response.end(' so"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'), 30)
      }, 30)
    })
    const { address } = await startGateway({ upstream: upstream.url, apiKey })
    await ask(address, 'anthropic', { system: `The key is ${apiKey}; sk-abcdefghijklmnop too.` })
    const look = lookAt(address)
    const { id } = await look.newest()
    const stages = await Promise.all(
      (['client-request', 'upstream-request', 'upstream-response', 'client-response'] as const).map((stage) =>
        look.stageText(id, stage),
      ),
    )
    const recording = await fetch(`${address}/inspector/api/v1/exchanges/${id}/recording`)
    const all = [...stages, JSON.stringify(await look.details(id)), await recording.text()]
    expect(all.filter((text) => text.includes(apiKey) || text.includes('sk-abc'))).toEqual([])
    expect(stages[2]).toContain('it is [redacted], né so')
    // What lies across two chunks is shown as one; the rest keeps its times.
    expect((await look.stage(id, 'upstream-response')).length).toBeGreaterThanOrEqual(2)
  })

  it('is taken out of a failure that quotes it', async () => {
    const apiKey = 'hush-hush-of-the-upstream'
    const upstream = await startUpstream((response) =>
      json(response, 401, { error: { message: `Incorrect key: ${apiKey}` } }),
    )
    const { address } = await startGateway({ upstream: upstream.url, apiKey })
    await ask(address, 'openai')
    const { failure } = await lookAt(address).newest()
    expect(failure).toContain('[redacted]')
    expect(failure).not.toContain(apiKey)
  })
})

describe('the memory', () => {
  it('is bounded: the oldest exchanges make room, and a running one too', async () => {
    const upstream = await startUpstream((response) => json(response, 200, completion('x'.repeat(20_000))))
    const { address } = await startGateway({
      upstream: upstream.url,
      settings: { inspector: { memory: 400_000 } },
    })
    const look = lookAt(address)
    await inTurn(
      Array.from({ length: 30 }, (_, at) => at),
      async () => {
        await ask(address, 'openai', { stream: false })
      },
    )
    await look.newest()
    const { exchanges } = await look.list()
    expect(exchanges.length).toBeGreaterThan(2)
    expect(exchanges.length).toBeLessThan(15)
    await ask(address, 'openai', { stream: false, padding: 'y'.repeat(500_000) })
    await eventually(async () => (await look.list()).exchanges.length === 0)
  })

  it('gives a long stage in parts', async () => {
    const upstream = await startUpstream((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (let at = 0; at < 300; at++) sse(response, chunk({ content: `${at} ${'é'.repeat(5000)}` }))
      sse(response, chunk({}, 'stop'), '[DONE]')
      response.end()
    })
    const { address } = await startGateway({ upstream: upstream.url })
    const look = lookAt(address)
    const { body } = await ask(address, 'openai')
    const { id } = await look.newest()
    const first = await look.part(id, 'client-response', 0)
    expect(first.next).not.toBeNull()
    expect(JSON.stringify(first).length).toBeLessThan(3_000_000)
    expect(await look.stageText(id, 'client-response')).toBe(body)
    expect(await look.stageText(id, 'upstream-response')).not.toContain('\ufffd')
  })

  it('is not there where the inspector is off', async () => {
    const upstream = await startUpstream((response) => json(response, 200, completion('hi')))
    const { address } = await startGateway({
      upstream: upstream.url,
      settings: { inspector: { enabled: false } },
    })
    await ask(address, 'openai', { stream: false })
    const refused = await fetch(`${address}/inspector/api/v1/exchanges`)
    expect(refused.status).toBe(404)
    expect(await refused.json()).toMatchObject({
      error: { message: 'The inspector is off (inspector.enabled).' },
    })
    expect((await fetch(`${address}/inspector`)).status).toBe(404)
  })
})

describe('the stream of changes', () => {
  it('tells of a new exchange and of what becomes of it, and ends with the gateway', async () => {
    const upstream = await startUpstream((response) => json(response, 200, completion('hi')))
    const { address, gateway } = await startGateway({ upstream: upstream.url })
    const stream = await fetch(`${address}/inspector/api/v1/changes`)
    expect(stream.headers.get('content-type')).toContain('text/event-stream')
    let heard = ''
    const reading = (async () => {
      const decoder = new TextDecoder()
      for await (const piece of stream.body ?? []) heard += decoder.decode(piece, { stream: true })
    })()
    const { headers } = await ask(address, 'openai', { stream: false })
    await until(() => heard.includes('"state":"ended"'), 2000)
    expect(heard).toContain('event: exchange\n')
    expect(heard).toContain(`"id":"${headers.get('x-request-id')}"`)
    await gateway.drain()
    await reading
  })

  it('tells what was forgotten', async () => {
    const upstream = await startUpstream((response) => json(response, 200, completion('hi')))
    const { address } = await startGateway({
      upstream: upstream.url,
      settings: { inspector: { memory: 60_000 } },
    })
    const { headers } = await ask(address, 'openai', { stream: false })
    const stream = await fetch(`${address}/inspector/api/v1/changes`)
    let heard = ''
    const reading = (async () => {
      for await (const piece of stream.body ?? []) heard += new TextDecoder().decode(piece)
    })().catch(() => {})
    await inTurn([1, 2, 3, 4], async () => {
      await ask(address, 'openai', { stream: false })
    })
    await until(() => heard.includes(`event: gone\ndata: {"id":"${headers.get('x-request-id')}"}`), 2000)
    await stopGateways()
    await reading
  })
})

describe('to ask again', () => {
  it('sends the same request anew and tells its id, and only by POST', async () => {
    const upstream = await startUpstream((response) => json(response, 200, completion('hi')))
    const keys = { keys: [{ ...ada, inspector: true }] }
    const { address } = await startGateway({ upstream: upstream.url, settings: keys })
    const cookie = await cookieFor(address, 'the-key-of-ada')
    const look = lookAt(address, { cookie })
    await ask(address, 'openai', { stream: false }, { headers: { authorization: 'Bearer the-key-of-ada' } })
    const { id } = await look.newest()
    const again = `${address}/inspector/api/v1/exchanges/${id}/again`
    expect((await fetch(again, { headers: { cookie } })).status).toBe(405)
    expect((await fetch(again, { method: 'POST' })).status).toBe(401)
    expect(upstream.requests).toHaveLength(1)
    const asked: unknown = await (await fetch(again, { method: 'POST', headers: { cookie } })).json()
    await until(() => upstream.requests.length === 2, 2000)
    expect(upstream.requests[1]?.body).toBe(upstream.requests[0]?.body)
    const newest = await look.newest()
    expect(asked).toEqual({ id: newest.id })
    expect(newest).toMatchObject({ client: 'dragoman-inspector', state: 'ended', status: 200 })
  })
})

describe('the list', () => {
  it('has a cursor that new exchanges do not move', async () => {
    const upstream = await startUpstream((response) => json(response, 200, completion('hi')))
    const { address } = await startGateway({ upstream: upstream.url })
    const look = lookAt(address)
    await inTurn([1, 2, 3, 4, 5], async () => {
      await ask(address, 'openai', { stream: false })
    })
    const first = await look.list('limit=2')
    await ask(address, 'openai', { stream: false })
    const second = await look.list(`limit=2&cursor=${encodeURIComponent(first.next ?? '')}`)
    const third = await look.list(`limit=2&cursor=${encodeURIComponent(second.next ?? '')}`)
    expect(third.next).toBeNull()
    const ids = [first, second, third].flatMap(({ exchanges }) => exchanges.map(({ id }) => id))
    expect(new Set(ids).size).toBe(5)
    expect((await look.list()).exchanges).toHaveLength(6)
  })
})

const timeTool = {
  name: 'get_time',
  input_schema: { type: 'object', properties: { zone: { type: 'string' } } },
}
