import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { routeThroughProxy } from '../../src/upstream/proxy-route.ts'
import { allowedLookup } from '../../src/upstream/allowed-lookup.ts'
import { ask, clientDialects } from '../server/ask.ts'
import { oneKey, startGateway, stopGateways } from '../server/running-gateway.ts'
import { type ScriptedProxy, startProxy, stopProxies } from './scripted-proxy.ts'
import { completion, json, startUpstream, stopUpstreams } from '../server/scripted-upstream.ts'

afterEach(async () => {
  await stopGateways()
  stopUpstreams()
  stopProxies()
})

/** An upstream, and a proxy that leads to it whatever name is asked for. */
async function behindProxy(): Promise<{ proxy: ScriptedProxy; port: string; received: () => number }> {
  const upstream = await startUpstream((response) => json(response, 200, completion('hello')))
  const { port } = new URL(upstream.url)
  return { proxy: await startProxy(Number(port)), port, received: () => upstream.requests.length }
}

describe('an upstream behind a proxy', () => {
  it.each(clientDialects)(
    'answers a client of %s, and the proxy is told the whole address',
    async (dialect) => {
      const { proxy, received } = await behindProxy()
      const { address } = await startGateway({
        upstream: 'http://models.example/v1',
        env: { HTTP_PROXY: proxy.url.replace('//', '//ada:secret@') },
      })
      expect(await ask(address, dialect, { stream: false })).toMatchObject({ status: 200, text: 'hello' })
      expect(proxy.asked).toEqual(['POST http://models.example/v1/chat/completions'])
      expect(proxy.authorizations).toEqual([`Basic ${Buffer.from('ada:secret').toString('base64')}`])
      expect(received()).toBe(1)
    },
  )

  it('is asked for its models the same way', async () => {
    const { proxy } = await behindProxy()
    const { address } = await startGateway({
      upstream: 'http://models.example/v1',
      env: { http_proxy: proxy.url },
    })
    await fetch(`${address}/v1/models`)
    expect(proxy.asked).toEqual(['GET http://models.example/v1/models'])
  })

  it('that the proxy refuses is a 502 that tells those with a key no address', async () => {
    const { port } = await behindProxy()
    const proxy = await startProxy(Number(port), { refuses: true })
    const { address } = await startGateway({
      upstream: 'https://models.example/v1',
      env: { HTTPS_PROXY: proxy.url },
      settings: { keys: oneKey.keys },
    })
    const answer = await ask(address, 'openai', { stream: false }, { headers: oneKey.headers })
    expect(answer).toMatchObject({ status: 502, error: { code: 'upstream_unreachable' } })
    expect(answer.body).toContain('the proxy in front of it refused the connection')
    expect(answer.body).not.toMatch(/127\.0\.0\.1|models\.example/i)
    expect(proxy.asked).toEqual(['CONNECT models.example:443'])
  })

  it('that the proxy refuses is told with both addresses where nobody needs a key, without the password', async () => {
    const { port } = await behindProxy()
    const proxy = await startProxy(Number(port), { refuses: true })
    const { address } = await startGateway({
      upstream: 'https://models.example/v1',
      env: { HTTPS_PROXY: proxy.url.replace('//', '//ada:secret@') },
    })
    const { error } = await ask(address, 'openai', { stream: false })
    expect(error?.message).toContain(
      `The upstream at models.example:443 (through the proxy at ${new URL(proxy.url).host}) cannot be reached`,
    )
    expect(error?.message).not.toContain('secret')
  })

  it('is a 504 where the proxy does not connect in time', async () => {
    const { address } = await startGateway({
      upstream: 'https://models.example/v1',
      env: { HTTPS_PROXY: `http://127.0.0.1:${await silentPort()}` },
      settings: { timeouts: { connect: '200ms' } },
    })
    const started = performance.now()
    const answer = await ask(address, 'openai', { stream: false })
    expect(answer).toMatchObject({ status: 504, error: { code: 'upstream_connect_timeout' } })
    expect(performance.now() - started).toBeLessThan(2500)
  })
})

describe('an upstream that no proxy is for', () => {
  it('is called directly on this machine', async () => {
    const { proxy, port } = await behindProxy()
    const { address } = await startGateway({
      upstream: `http://127.0.0.1:${port}/v1`,
      env: { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url },
    })
    expect(await ask(address, 'openai', { stream: false })).toMatchObject({ status: 200, text: 'hello' })
    expect(proxy.asked).toEqual([])
  })

  it('is called directly where NO_PROXY names it', async () => {
    const { proxy } = await behindProxy()
    const { address } = await startGateway({
      upstream: 'http://nowhere.invalid/v1',
      env: { HTTP_PROXY: proxy.url, NO_PROXY: 'nowhere.invalid' },
    })
    expect(await ask(address, 'openai', { stream: false })).toMatchObject({
      status: 502,
      error: { code: 'upstream_unreachable' },
    })
    expect(proxy.asked).toEqual([])
  })
})

describe('a name that points at a refused address', () => {
  it.each(['https://metadata.example', 'http://metadata.example'])(
    'is not asked of a proxy either: %s',
    async (origin) => {
      const { proxy } = await behindProxy()
      const lookup = allowedLookup((_host, _options, callback) => {
        callback(null, [{ address: '169.254.169.254', family: 4 }])
      })
      const route = routeThroughProxy({
        proxy: { origin: proxy.url, authorization: null },
        origin,
        connectTimeout: 1000,
        lookup,
      })
      const { protocol, hostname, host } = new URL(origin)
      const error = await new Promise<Error | null>((resolve) => {
        route.connect({ protocol, hostname, host, port: '' }, (...[fault]) => resolve(fault))
      })
      expect(error?.message).toContain('refused address')
      expect(proxy.asked).toEqual([])
    },
  )
})

/** A port that takes connections and says nothing. */
async function silentPort(): Promise<number> {
  const server = createServer(() => {}).listen(0, '127.0.0.1')
  await once(server, 'listening')
  server.unref()
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}
