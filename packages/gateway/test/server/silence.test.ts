import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import {
  type Answer,
  ask,
  type ClientDialect,
  clientDialects,
  inTurn,
  paths,
  post,
  readAnswer,
  weatherRequest,
} from './ask.ts'
import { startGateway, stopGateways } from './running-gateway.ts'
import { chunk, json, sse, startUpstream, stopUpstreams, until } from './scripted-upstream.ts'

afterEach(async () => {
  await stopGateways()
  stopUpstreams()
})

const PING_MS = 40
const IDLE_MS = 900
const settings = { timeouts: { ping: `${PING_MS}ms` } }

const signs = { anthropic: 'event: ping\n', openai: ': keep-alive\n' }

/** A client that counts the signs of life while it reads. */
class Listener {
  private text = ''
  private readonly dialect: ClientDialect

  constructor(dialect: ClientDialect) {
    this.dialect = dialect
  }

  get heard(): number {
    return this.text.split(signs[this.dialect]).length - 1
  }

  /** Resolves when so many signs have come, or clearly will not. */
  async hears(count: number): Promise<void> {
    await until(() => this.heard >= count).catch(() => {})
  }

  async ask(address: string): Promise<Answer> {
    const response = await post(address, paths[this.dialect], weatherRequest(this.dialect))
    const decoder = new TextDecoder()
    for await (const piece of response.body ?? []) this.text += decoder.decode(piece, { stream: true })
    return readAnswer(new Response(this.text, { status: response.status, headers: response.headers }))
  }
}

describe.each(clientDialects)('while the upstream is silent, a client of %s', (dialect) => {
  it('is told in the middle of an answer that we live', async () => {
    let silentFor = 0
    const client = new Listener(dialect)
    const upstream = await startUpstream(async (response) => {
      sse(response, chunk({ content: 'Paris' }))
      const begin = performance.now()
      await client.hears(3)
      silentFor = performance.now() - begin
      sse(response, chunk({ content: ' is' }, 'stop'), '[DONE]')
      response.end()
    })
    const { address } = await startGateway({ upstream: upstream.url, settings })
    expect(await client.ask(address)).toMatchObject({ status: 200, text: 'Paris is', isMarkedDone: true })
    expect(client.heard).toBeGreaterThanOrEqual(3)
    expect(client.heard).toBeLessThanOrEqual(silentFor / PING_MS + 2)
  })

  it('is told so before the first word, once the upstream has begun to answer', async () => {
    const client = new Listener(dialect)
    const upstream = await startUpstream(async (response) => {
      sse(response)
      await client.hears(3)
      sse(response, chunk({ content: 'Paris' }, 'stop'), '[DONE]')
      response.end()
    })
    const { address } = await startGateway({ upstream: upstream.url, settings })
    const answer = await client.ask(address)
    expect(answer).toMatchObject({ status: 200, text: 'Paris', isMarkedDone: true, error: undefined })
    expect(client.heard).toBeGreaterThanOrEqual(3)
  })

  it('gets an error event where the first word never comes', async () => {
    const client = new Listener(dialect)
    const upstream = await startUpstream(async (response) => {
      sse(response)
      await client.hears(1)
      response.end()
    })
    const { address } = await startGateway({ upstream: upstream.url, settings })
    const answer = await client.ask(address)
    expect(answer).toMatchObject({ status: 200, text: '', isMarkedDone: false })
    expect(answer.error?.type).toBe(dialect === 'anthropic' ? 'api_error' : 'upstream_error')
  })

  it('is told so before the upstream has sent its headers, and goes without its limits then', async () => {
    const client = new Listener(dialect)
    const upstream = await startUpstream(async (response) => {
      await client.hears(3)
      response.writeHead(200, {
        'content-type': 'text/event-stream',
        'x-ratelimit-remaining-requests': '7',
        'retry-after': '7',
      })
      sse(response, chunk({ content: 'Paris' }, 'stop'), '[DONE]')
      response.end()
    })
    const { address } = await startGateway({ upstream: upstream.url, settings })
    const answer = await client.ask(address)
    expect(answer).toMatchObject({ status: 200, text: 'Paris', isMarkedDone: true, error: undefined })
    expect(client.heard).toBeGreaterThanOrEqual(3)
    expect(answer.headers.has('retry-after')).toBe(false)
  })

  it('gets an error of the upstream as an event once it was told that we live', async () => {
    const client = new Listener(dialect)
    const upstream = await startUpstream(async (response) => {
      await client.hears(1)
      json(response, 429, { error: { message: 'slow down', code: 'rate' } }, { 'retry-after': '7' })
    })
    const { address, requestLine } = await startGateway({ upstream: upstream.url, settings })
    const answer = await client.ask(address)
    expect(answer).toMatchObject({ status: 200, text: '', isMarkedDone: false })
    expect(answer.error).toMatchObject({
      type: 'rate_limit_error',
      message: expect.stringContaining('slow down'),
    })
    expect(answer.headers.has('retry-after')).toBe(false)
    await until(() => requestLine() !== undefined)
    expect(requestLine()).toMatchObject({
      level: 'warn',
      status: 200,
      failure: expect.stringContaining('slow down'),
    })
  })

  it('gets an error with a status of its own where the upstream refuses before that', async () => {
    const upstream = await startUpstream((response) => json(response, 400, { error: { message: 'no' } }))
    const { address } = await startGateway({
      upstream: upstream.url,
      settings: { timeouts: { ping: '5s' } },
    })
    expect(await ask(address, dialect)).toMatchObject({ status: 400, pings: 0, comments: 0 })
  })

  it('is told nothing while it waits for a whole answer', async () => {
    const upstream = await startUpstream(async (response) => {
      await sleep(5 * PING_MS)
      json(response, 400, { error: { message: 'no' } })
    })
    const { address } = await startGateway({ upstream: upstream.url, settings })
    expect(await ask(address, dialect, { stream: false })).toMatchObject({ status: 400 })
  })

  it('waits as long as the upstream sends signs of life', async () => {
    const upstream = await startUpstream(async (response) => {
      sse(response)
      // Longer than twice the time that it may be silent, in steps of a third of that.
      await inTurn([...Array(8).keys()], async () => {
        await sleep(IDLE_MS / 3)
        response.write(': alive\n\n')
      })
      sse(response, chunk({ content: 'Paris' }, 'stop'), '[DONE]')
      response.end()
    })
    const { address } = await startGateway({
      upstream: upstream.url,
      settings: { timeouts: { idle: `${IDLE_MS}ms` } },
    })
    expect(await ask(address, dialect)).toMatchObject({ status: 200, text: 'Paris', isMarkedDone: true })
  })
})
