import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import { dialectIds } from '@dragoman/core'
import { afterEach, describe, expect, it } from 'vitest'
import { requests, said, Speech, text } from '../../faults/dialects.ts'
import { at, post } from '../server/ask.ts'
import { oneKey, startGateway, stopGateways } from '../server/running-gateway.ts'
import { completion, json, startUpstream, stopUpstreams } from '../server/scripted-upstream.ts'

afterEach(async () => {
  await stopGateways()
  stopUpstreams()
})

const wishes = ['stream', 'whole'] as const
const ways = dialectIds.flatMap((client) => wishes.map((wants) => ({ client, wants })))
const answer = said([text('Sunny.')])
const speech = new Speech('openai-chat')

function sunny() {
  return startUpstream((response) => json(response, 200, completion('Sunny.')))
}

describe.each(ways)('a client of $client that wants a $wants answer', ({ client, wants }) => {
  it('cannot choose where its request goes, nor with which key', async () => {
    const right = await sunny()
    const wrong = await sunny()
    const { address } = await startGateway({
      upstream: right.url,
      apiKey: 'key-of-the-upstream',
      settings: { keys: oneKey.keys },
    })
    const { path, body } = requests[client]('m', wants)
    const chosen = {
      api_base: wrong.url,
      base_url: wrong.url,
      custom_host: wrong.url,
      api_key: 'key-of-the-client',
      headers: { authorization: 'Bearer key-of-the-client' },
      extra_headers: { authorization: 'Bearer key-of-the-client' },
      proxy: wrong.url,
      upstream: 'other',
      provider: { base_url: wrong.url },
      litellm_params: { api_base: wrong.url },
      metadata: { api_base: wrong.url },
    }
    const asked = { ...JSON.parse(String(body)), ...chosen, extra_body: chosen }
    const headers = {
      ...oneKey.headers,
      'x-portkey-custom-host': wrong.url,
      'x-upstream': wrong.url,
      'x-base-url': wrong.url,
    }
    const reply = await post(
      address,
      `${path}${path.includes('?') ? '&' : '?'}base_url=${wrong.url}`,
      asked,
      {
        headers,
      },
    )
    expect(reply.status).toBe(200)
    expect(await reply.text()).toContain('Sunny.')
    expect(wrong.requests).toHaveLength(0)
    expect(right.requests).toHaveLength(1)
    expect(right.requests[0]?.headers['authorization']).toBe('Bearer key-of-the-upstream')
  })

  it.each([301, 302, 303, 307, 308])(
    'is told of a redirect with status %d, which nobody follows',
    async (status) => {
      const elsewhere = await sunny()
      const upstream = await startUpstream((response) => {
        response.writeHead(status, { location: `${elsewhere.url}/chat/completions` }).end()
      })
      const { address } = await startGateway({ upstream: upstream.url, apiKey: 'key-of-the-upstream' })
      const { path, body } = requests[client]('m', wants)
      const reply = await post(address, path, String(body))
      expect(reply.status).toBe(502)
      expect(reply.headers.get('location')).toBeNull()
      expect(await reply.text()).not.toContain(elsewhere.url)
      expect(elsewhere.requests).toHaveLength(0)
    },
  )
})

const picture = (url: string) => ({
  'openai-chat': { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }] },
  'anthropic-messages': {
    messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'url', url } }] }],
  },
  'openai-responses': {
    input: [{ type: 'message', role: 'user', content: [{ type: 'input_image', image_url: url }] }],
  },
  gemini: {
    contents: [{ role: 'user', parts: [{ fileData: { fileUri: url, mimeType: 'image/png' } }] }],
  },
})

describe.each(dialectIds)('a picture that a client of %s names by its address', (client) => {
  it('is not fetched', async () => {
    const site = await sunny()
    const upstream = await startUpstream((response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(speech.whole(answer))
    })
    const { address } = await startGateway({ upstream: upstream.url })
    const { path, body } = requests[client]('m', 'whole')
    const asked = { ...JSON.parse(String(body)), ...picture(`${site.url}/cat.png`)[client] }
    expect((await post(address, path, asked)).status).toBe(200)
    expect(upstream.requests[0]?.body).toContain(`${site.url}/cat.png`)
    expect(site.requests).toHaveLength(0)
  })
})

const name = 'models.example'

/** While `run` runs, the name of the upstream has this address. */
async function whileNamed(address: string, run: () => Promise<void>): Promise<void> {
  const { lookup } = dns
  const found = { address, family: address.includes(':') ? 6 : 4 }
  const pretend = (...all: unknown[]): void => {
    const [host, options, tell] = all
    if (host !== name || typeof tell !== 'function') Reflect.apply(lookup, dns, all)
    else if (at(options, 'all') === true) tell(null, [found])
    else tell(null, found.address, found.family)
  }
  Object.assign(dns, { lookup: pretend })
  syncBuiltinESMExports()
  try {
    await run()
  } finally {
    Object.assign(dns, { lookup })
    syncBuiltinESMExports()
  }
}

describe('the name of an upstream that was harmless when the configuration was read', () => {
  it('is called while it means an ordinary address', async () => {
    const upstream = await sunny()
    const { port } = new URL(upstream.url)
    await whileNamed('127.0.0.1', async () => {
      const { address } = await startGateway({ upstream: `http://${name}:${port}/v1` })
      const { path, body } = requests['openai-chat']('m', 'whole')
      expect((await post(address, path, String(body))).status).toBe(200)
    })
    expect(upstream.requests[0]?.headers['host']).toBe(`${name}:${port}`)
  })

  it.each(['169.254.169.254', '0.0.0.0', '::ffff:127.0.0.1', 'fd00:ec2::254', 'fe80::1'])(
    'is not called where it means %s, neither for answers nor for models',
    async (found) => {
      // On some of these addresses this very server could be reached.
      const upstream = await sunny()
      const { port } = new URL(upstream.url)
      await whileNamed(found, async () => {
        const { address } = await startGateway({
          upstream: `http://${name}:${port}/v1`,
          settings: { keys: oneKey.keys },
        })
        for (const { client, wants } of ways) {
          const { path, body } = requests[client]('m', wants)
          const reply = await post(address, path, String(body), { headers: oneKey.headers })
          expect(reply.status).toBe(502)
          expect(await reply.text()).not.toContain(found)
        }
        await fetch(`${address}/v1/models`, { headers: oneKey.headers })
      })
      expect(upstream.requests).toHaveLength(0)
    },
  )
})
