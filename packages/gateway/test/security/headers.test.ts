import { type DialectId, dialectIds } from '@dragoman/core'
import { afterEach, describe, expect, it } from 'vitest'
import { requests, said, Speech, text } from '../../faults/dialects.ts'
import { post } from '../server/ask.ts'
import { startGateway, stopGateways } from '../server/running-gateway.ts'
import { json, startUpstream, stopUpstreams } from '../server/scripted-upstream.ts'

afterEach(async () => {
  await stopGateways()
  stopUpstreams()
})

const pairings = dialectIds.flatMap((client) => dialectIds.map((upstream) => ({ client, upstream })))
const wishes = ['stream', 'whole'] as const

/** What a client may try to be taken for somebody else, to be sent elsewhere, or to tell the upstream of itself. */
const hostile: Readonly<Record<string, string>> = {
  authorization: 'Bearer key-of-the-client',
  'x-api-key': 'key-of-the-client',
  'x-goog-api-key': 'key-of-the-client',
  'proxy-authorization': 'Basic key-of-the-client',
  cookie: 'session=key-of-the-client',
  'x-forwarded-for': '10.0.0.1',
  'x-forwarded-host': 'evil.example',
  forwarded: 'for=10.0.0.1;host=evil.example',
  via: '1.1 evil.example',
  'x-real-ip': '10.0.0.1',
  'x-portkey-custom-host': 'http://evil.example',
  'x-base-url': 'http://evil.example',
  'x-original-url': '/admin',
  'x-http-method-override': 'DELETE',
  'openai-organization': 'org-of-the-client',
  'x-smuggled': 'key-of-the-client',
  'user-agent': 'agent-of-the-client',
  referer: 'http://evil.example/',
  te: 'trailers',
}

/** Everything that an upstream may be sent, whatever its dialect. */
const sentUpstream = new Set([
  'accept',
  'anthropic-version',
  'authorization',
  'connection',
  'content-length',
  'content-type',
  'host',
  'user-agent',
  'x-api-key',
  'x-goog-api-key',
])

/** Everything that a client may be sent, apart from what tells of rate limits. */
const sentToClient = new Set([
  'cache-control',
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'request-id',
  'retry-after',
  'transfer-encoding',
  'x-accel-buffering',
  // Our own, for Codex.
  'x-reasoning-included',
  'x-request-id',
])

function addressFor(url: string, dialect: DialectId): string {
  return dialect === 'gemini' ? url.replace('/v1', '/v1beta') : url
}

describe.each(pairings)(
  'of a client of $client and an upstream of $upstream',
  ({ client, upstream: speaks }) => {
    const speech = new Speech(speaks)

    it.each(wishes)('only headers of our own reach the upstream: %s', async (wants) => {
      const upstream = await startUpstream((response) => json(response, 500, {}))
      const { address } = await startGateway({
        upstream: addressFor(upstream.url, speaks),
        dialect: speaks,
        apiKey: 'key-of-the-upstream',
      })
      const { path, body } = requests[client]('m', wants)
      await post(address, path, String(body), { headers: { ...hostile } })
      const [asked] = upstream.requests
      const names = Object.keys(asked?.headers ?? {})
      expect(names.filter((name) => !sentUpstream.has(name))).toEqual([])
      expect(JSON.stringify(asked)).not.toMatch(/of-the-client|evil\.example|10\.0\.0\.1/)
      expect(asked?.headers['host']).toBe(new URL(upstream.url).host)
      expect(asked?.headers['user-agent']).toBe('dragoman')
      expect(JSON.stringify(asked?.headers)).toContain('key-of-the-upstream')
    })

    it.each([...wishes, 'refused'] as const)('only known headers reach the client: %s', async (how) => {
      const upstream = await startUpstream((response) => {
        const headers = {
          'set-cookie': 'session=of-the-upstream',
          server: 'of-the-upstream',
          'www-authenticate': 'Basic realm=of-the-upstream',
          'access-control-allow-origin': '*',
          'access-control-allow-credentials': 'true',
          'access-control-allow-private-network': 'true',
          'x-powered-by': 'of-the-upstream',
          location: 'http://evil.example',
          refresh: '0; url=http://evil.example',
          'content-security-policy': 'of-the-upstream',
          'x-request-id': 'of-the-upstream',
          'retry-after': '7',
        }
        const answer = said([text('Sunny.')])
        if (how === 'refused') json(response, 429, { error: { message: 'no' } }, headers)
        else if (how === 'stream')
          response
            .writeHead(200, { ...headers, 'content-type': 'text/event-stream' })
            .end(speech.events(answer).join(''))
        else
          response
            .writeHead(200, { ...headers, 'content-type': 'application/json' })
            .end(speech.whole(answer))
      })
      const { address } = await startGateway({ upstream: addressFor(upstream.url, speaks), dialect: speaks })
      const { path, body } = requests[client]('m', how === 'refused' ? 'whole' : how)
      const reply = await post(address, path, String(body))
      expect(reply.status).toBe(how === 'refused' ? 429 : 200)
      expect([...reply.headers.keys()].filter((name) => !sentToClient.has(name))).toEqual([])
      expect(JSON.stringify([...reply.headers])).not.toContain('of-the-upstream')
      expect(reply.headers.get('retry-after')).toBe('7')
      await reply.text()
    })
  },
)
