import { type DialectId, dialectIds, dialects } from '@dragoman/core'
import { afterEach, describe, expect, it } from 'vitest'
import { accepted, load } from '../config/fake-world.ts'
import { startGateway, stopGateways } from '../server/running-gateway.ts'
import { json, startUpstream, stopUpstreams } from '../server/scripted-upstream.ts'
import { playing } from '../simulator/playing.ts'
import { ask, weatherIn } from '../simulator/speaking.ts'
import { startProxy, stopProxies } from './scripted-proxy.ts'

afterEach(async () => {
  await stopGateways()
  stopUpstreams()
  stopProxies()
})

async function urlOf(url: string, dialect: DialectId): Promise<string | undefined> {
  const { upstreams } = await accepted({ yaml: JSON.stringify({ upstreams: { lab: { url, dialect } } }) })
  return upstreams === 'simulator' ? undefined : upstreams.get('lab')?.url
}

describe('the address of an upstream', () => {
  it.each([
    ['https://x.example', 'https://x.example/v1beta'],
    ['https://x.example/', 'https://x.example/v1beta'],
    ['https://x.example/v1beta', 'https://x.example/v1beta'],
    ['https://x.example/v1beta/', 'https://x.example/v1beta'],
    ['https://x.example/v1beta/models', 'https://x.example/v1beta'],
    ['https://x.example/v1', 'https://x.example/v1'],
    [
      'https://x.example/v1/projects/p/locations/l/publishers/google',
      'https://x.example/v1/projects/p/locations/l/publishers/google',
    ],
  ])('of Gemini may be written as %s', async (url, base) => {
    expect(await urlOf(url, 'gemini')).toBe(base)
  })

  it.each(dialectIds)('of %s must not be that of one route', async (dialect) => {
    const paths = [false, true].map((stream) => dialects[dialect].http.upstreamPath('/v1', 'm', stream))
    for (const path of paths) {
      const url = `https://x.example${path.split('?', 1)[0]}`
      const result = await load({ yaml: JSON.stringify({ upstreams: { lab: { url, dialect } } }) })
      expect(JSON.stringify(result)).toContain('must be the base address, without')
    }
  })
})

/** The headers that a server at this host gets with the key of the configuration. */
async function headersAt(
  host: string,
  dialect: DialectId,
  kind: string,
): Promise<Readonly<Record<string, unknown>>> {
  const upstream = await startUpstream((response) => json(response, 500, {}))
  const proxy = await startProxy(Number(new URL(upstream.url).port))
  const lab = { url: `http://${host}/v1`, dialect, apiKey: 'the-key', kind }
  const { address } = await startGateway({
    upstream: lab.url,
    env: { HTTP_PROXY: proxy.url },
    settings: { upstreams: { lab } },
  })
  await (await ask('openai-chat', `${address}/v1`, weatherIn('m', { stream: false }))).text()
  return upstream.requests[0]?.headers ?? {}
}

describe('the key of an upstream', () => {
  it.each([
    ['api.openai.com', 'openai-chat', 'auto', { authorization: 'Bearer the-key' }],
    ['api.openai.com', 'openai-responses', 'auto', { authorization: 'Bearer the-key' }],
    ['api.anthropic.com', 'anthropic-messages', 'auto', { 'x-api-key': 'the-key' }],
    ['generativelanguage.googleapis.com', 'gemini', 'auto', { 'x-goog-api-key': 'the-key' }],
    ['lab.example', 'anthropic-messages', 'other', { 'x-api-key': 'the-key' }],
    [
      'lab.example',
      'anthropic-messages',
      'vllm',
      { 'x-api-key': 'the-key', authorization: 'Bearer the-key' },
    ],
    ['lab.example', 'gemini', 'other', { 'x-goog-api-key': 'the-key' }],
  ] as const)(
    'is shown to %s, in %s, kind %s, as it is wanted there',
    async (host, dialect, kind, expected) => {
      const headers = await headersAt(host, dialect, kind)
      const shown = ['authorization', 'x-api-key', 'x-goog-api-key'].filter((name) => name in headers)
      expect(Object.fromEntries(shown.map((name) => [name, headers[name]]))).toEqual(expected)
    },
  )
})

describe('the models of an upstream', () => {
  it('are listed with their windows, in the shape of Google too', async () => {
    await playing({ server: 'google', window: 40_000 }, async (simulated) => {
      const upstream = simulated.replace(/\/v1$/, '')
      const { address } = await startGateway({ upstream, dialect: 'gemini', kind: 'auto' })
      const model = async (): Promise<unknown> => (await fetch(`${address}/v1/models/kimi-k2`)).json()
      await expect
        .poll(model)
        .toMatchObject({ id: 'kimi-k2', context_length: 40_000, max_output_tokens: 40_000 })
    })
  })
})
