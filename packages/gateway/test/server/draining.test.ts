import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { ask, clientDialects, paths, post, readAnswer, weatherRequest, inTurn } from './ask.ts'
import { configFor, oneKey, startGateway, stopGateways } from './running-gateway.ts'
import { chunk, json, sse, startUpstream, stopUpstreams, until } from './scripted-upstream.ts'

afterEach(async () => {
  await stopGateways()
  stopUpstreams()
})

const says = chunk({ role: 'assistant', content: 'Paris is' })

describe('a gateway that is asked to end', () => {
  it('ends at once where nothing runs', async () => {
    const upstream = await startUpstream((response) => json(response, 500, {}))
    const { address, gateway } = await startGateway({
      upstream: upstream.url,
      settings: { timeouts: { drain: '60s' } },
    })
    await ask(address, 'openai')
    const started = performance.now()
    await gateway.drain()
    expect(performance.now() - started).toBeLessThan(1000)
    await expect(fetch(`${address}/health`)).rejects.toThrow()
  })

  it('says so to those who ask for its health, and takes nothing new', async () => {
    let finish: (() => void) | undefined
    const upstream = await startUpstream((response) => {
      sse(response, says)
      finish = () => response.end()
    })
    const { address, gateway } = await startGateway({
      upstream: upstream.url,
      settings: { timeouts: { drain: '60s' } },
    })
    const running = await post(address, paths.openai, weatherRequest('openai'))
    const drained = gateway.drain()
    await inTurn(['/health', '/health/ready'], async (path) => {
      const health = await fetch(address + path)
      expect(health.status).toBe(503)
      expect(await health.json()).toEqual({ status: 'draining' })
    })
    expect((await fetch(`${address}/health/live`)).status).toBe(200)
    await inTurn(clientDialects, async (dialect) => {
      const refused = await ask(address, dialect)
      expect(refused).toMatchObject({ status: 503, error: { type: 'overloaded_error' } })
      expect(refused.headers.get('retry-after')).toBe('1')
    })
    expect((await fetch(`${address}/v1/models`)).status).toBe(503)
    expect((await fetch(`${address}/metrics`)).status).toBe(200)
    expect(upstream.requests).toHaveLength(1)
    finish?.()
    await running.text()
    await drained
  })

  it('serves what comes while a balancer has not noticed, and is not ready from the first moment', async () => {
    const upstream = await startUpstream((response) => json(response, 200, { choices: [] }))
    const { address, gateway } = await startGateway({
      upstream: upstream.url,
      settings: { timeouts: { drain: '60s', drainGrace: '700ms' } },
    })
    const drained = gateway.drain()
    expect((await fetch(`${address}/health/ready`)).status).toBe(503)
    await inTurn(clientDialects, async (dialect) => {
      const served = await ask(address, dialect)
      expect(served.status).not.toBe(503)
      expect(served.headers.get('connection')).toBe('close')
    })
    expect(upstream.requests).toHaveLength(clientDialects.length)
    await drained
    await expect(fetch(`${address}/health`)).rejects.toThrow()
  })

  it('has that time by default where others than this machine can reach it', async () => {
    const upstream = 'http://127.0.0.1:9/v1'
    const listen = { host: '0.0.0.0', allowedHosts: ['gateway.example'] }
    const shared = await configFor({ upstream, settings: { listen, keys: oneKey.keys } })
    expect(shared.timeouts.drainGrace).toBe(3000)
    expect((await configFor({ upstream })).timeouts.drainGrace).toBe(0)
  })

  it('refuses a request whose body is still on its way', async () => {
    const upstream = await startUpstream((response) => json(response, 500, {}))
    const { address, gateway } = await startGateway({
      upstream: upstream.url,
      settings: { timeouts: { drain: '100ms' } },
    })
    const { port, host } = new URL(address)
    const client = connect({ port: Number(port), host: '127.0.0.1' })
    const head = ['POST /v1/messages HTTP/1.1', `host: ${host}`, 'content-type: application/json']
    const length = ['content-length: 1000', 'expect: 100-continue']
    client.write([...head, ...length, '', '{"model":'].join('\r\n'))
    let text = ''
    client.on('data', (piece: Buffer) => (text += piece.toString('utf8')))
    // The gateway says that it has the headers and waits for the body.
    await until(() => text === 'HTTP/1.1 100 Continue\r\n\r\n')
    text = ''
    await Promise.all([once(client, 'close'), gateway.drain()])
    expect(text).toMatch(/^HTTP\/1\.1 503 /)
    expect(text).toContain('overloaded_error')
    expect(upstream.requests).toHaveLength(0)
  })

  it.each(clientDialects)('lets a stream to a client of %s come to its end', async (dialect) => {
    let finish: (() => void) | undefined
    const upstream = await startUpstream((response) => {
      sse(response, says)
      finish = () => {
        sse(response, chunk({}, 'stop'), '[DONE]')
        response.end()
      }
    })
    const { address, gateway } = await startGateway({
      upstream: upstream.url,
      settings: { timeouts: { drain: '10s' } },
    })
    const running = await post(address, paths[dialect], weatherRequest(dialect))
    const started = performance.now()
    const drained = gateway.drain()
    expect((await fetch(`${address}/health`)).status).toBe(503)
    finish?.()
    expect(await readAnswer(running)).toMatchObject({
      text: 'Paris is',
      isMarkedDone: true,
      error: undefined,
    })
    await drained
    expect(performance.now() - started).toBeLessThan(1500)
  })

  it.each(clientDialects)(
    'cuts a stream to a client of %s that lasts too long, and says why',
    async (dialect) => {
      const upstream = await startUpstream((response) => sse(response, says))
      const { address, gateway } = await startGateway({
        upstream: upstream.url,
        settings: { timeouts: { drain: '200ms' } },
      })
      const running = await post(address, paths[dialect], weatherRequest(dialect))
      const started = performance.now()
      const drained = gateway.drain()
      const answer = await readAnswer(running)
      expect(answer).toMatchObject({
        text: 'Paris is',
        isMarkedDone: false,
        error: { type: 'overloaded_error' },
      })
      await drained
      expect(performance.now() - started).toBeLessThan(1200)
      await until(() => upstream.openRequests === 0, 250)
    },
  )

  it.each(clientDialects)('tells a client of %s whose request was not answered yet', async (dialect) => {
    const upstream = await startUpstream(() => {})
    const { address, gateway } = await startGateway({
      upstream: upstream.url,
      settings: { timeouts: { drain: '100ms' } },
    })
    const asking = ask(address, dialect, { stream: false })
    await until(() => upstream.openRequests === 1, 1000)
    const drained = gateway.drain()
    const answer = await asking
    expect(answer.status).toBe(dialect === 'anthropic' ? 529 : 503)
    expect(answer.error?.type).toBe('overloaded_error')
    await drained
  })
})
