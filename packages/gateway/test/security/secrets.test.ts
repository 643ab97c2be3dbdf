import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { secretsOf } from '../../src/config/secrets-of.ts'
import { createRedactor } from '../../src/security/redact.ts'
import { accepted } from '../config/fake-world.ts'
import { ask, clientDialects, paths, post, weatherRequest } from '../server/ask.ts'
import { startGateway, stopGateways } from '../server/running-gateway.ts'
import {
  chunk,
  completion,
  json,
  type Script,
  sse,
  startUpstream,
  stopUpstreams,
  until,
} from '../server/scripted-upstream.ts'

const canary = 'canary/upstream+key-0123456789'
const forms = [canary, encodeURIComponent(canary), Buffer.from(canary).toString('base64').replace(/=+$/, '')]
const told = `Key ${forms.join(' or ')} is wrong`

afterEach(async () => {
  await stopGateways()
  stopUpstreams()
})

const leaks: readonly { how: string; script: Script }[] = [
  { how: 'a 401', script: (response) => json(response, 401, { error: { message: told, code: canary } }) },
  { how: 'a 400', script: (response) => json(response, 400, { error: { message: told } }) },
  { how: 'a text', script: (response) => response.writeHead(500).end(told) },
  {
    how: 'an error with status 200',
    script: (response) => json(response, 200, { error: { message: told } }),
  },
  {
    how: 'an error in a stream',
    script: (response) => sse(response, chunk({ content: 'Hi' }), { error: { message: told, type: 'x' } }),
  },
  { how: 'an error as the first event', script: (response) => sse(response, { error: { message: told } }) },
  {
    how: 'its headers',
    script: (response: ServerResponse) =>
      json(response, 429, { error: { message: 'no' } }, { 'retry-after': canary, 'x-echo': canary }),
  },
]

describe.each(clientDialects)('a key that the upstream repeats in front of a client of %s', (dialect) => {
  for (const stream of [true, false]) {
    it.each(leaks)(`in $how is taken out everywhere (stream: ${stream})`, async ({ script }) => {
      const upstream = await startUpstream(script)
      const gateway = await startGateway({ upstream: upstream.url, apiKey: canary })
      const { body, headers, error } = await ask(gateway.address, dialect, { stream })
      await until(() => gateway.requestLine() !== undefined, 500)
      expect(upstream.requests[0]?.headers['authorization']).toBe(`Bearer ${canary}`)
      const seen = [body, JSON.stringify([...headers]), JSON.stringify(gateway.lines)].join('\n')
      for (const form of forms) expect(seen).not.toContain(form)
      expect(error?.message).not.toBe('')
    })
  }
})

const escapedCanary = canary
  .split('')
  .map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
  .join('')

describe.each(clientDialects)('a key that the upstream repeats in escapes, to a client of %s', (dialect) => {
  it.each([
    ['in an error', `{"error":{"message":"Key ${escapedCanary} is wrong","type":"t","code":"c"}}`],
    [
      'in an error that quotes JSON',
      JSON.stringify({ error: { message: `{"key":"${escapedCanary}"}`, type: 't', code: 'c' } }),
    ],
  ])('is taken out %s', async (_where, error) => {
    const upstream = await startUpstream((response) => {
      sse(response, chunk({ content: 'Hi' }))
      response.end(`data: ${error}\n\n`)
    })
    const gateway = await startGateway({ upstream: upstream.url, apiKey: canary })
    const { body } = await ask(gateway.address, dialect)
    await until(() => gateway.requestLine() !== undefined, 500)
    const seen = body + JSON.stringify(gateway.lines)
    expect(seen).toContain('[redacted]')
    for (const form of [...forms, escapedCanary, String.raw`\u0063\u0061\u006e`])
      expect(seen).not.toContain(form)
  })
})

async function secretsIn(yaml: string, env: Readonly<Record<string, string>>): Promise<readonly string[]> {
  return secretsOf(await accepted({ yaml, env }))
}

describe('what the configuration keeps secret', () => {
  it('is the key in a header as well as the whole header', async () => {
    const yaml = 'upstreams: { a: { url: "https://a/v1", headers: { authorization: "Bearer ${K}" } } }'
    expect(await secretsIn(yaml, { K: canary })).toEqual([`Bearer ${canary}`, canary])
  })

  it('is the password of a proxy in clear', async () => {
    const redact = createRedactor(
      await secretsIn('', { https_proxy: 'http://ada:pass%2Fword@proxy.example:3128' }),
    )
    const text = 'ada with pass/word, with pass%2Fword, and with YWRhOnBhc3Mvd29yZA=='
    expect(redact(text)).toBe('ada with [redacted], with [redacted], and with [redacted]')
  })

  it('is a value of a body that comes from a variable', async () => {
    const yaml = 'upstreams: { a: { url: "https://a/v1", body: { token: "${K}", order: [groq] } } }'
    expect(await secretsIn(yaml, { K: canary })).toEqual([canary])
  })
})

describe('the headers that go upstream', () => {
  it('hold nothing of the client: not its key, its cookies, nor where it came from', async () => {
    const upstream = await startUpstream((response) => json(response, 200, completion('hi')))
    const { address } = await startGateway({ upstream: upstream.url, apiKey: canary })
    await post(address, paths.openai, weatherRequest('openai', { stream: false, api_key: 'client-key' }), {
      headers: {
        'x-api-key': 'client-key',
        cookie: 'a=b',
        'x-forwarded-for': '10.0.0.1',
        forwarded: 'for=10.0.0.1',
        'x-portkey-custom-host': 'http://evil.example',
        'proxy-authorization': 'Basic abc',
      },
    })
    const names = Object.keys(upstream.requests[0]?.headers ?? {})
    expect(names.toSorted()).toEqual(
      [
        'accept',
        'authorization',
        'connection',
        'content-length',
        'content-type',
        'host',
        'user-agent',
      ].toSorted(),
    )
  })

  it('hold the key of an upstream of Anthropic the way it wants it', async () => {
    const upstream = await startUpstream((response) => json(response, 500, {}))
    const { address } = await startGateway({
      upstream: upstream.url,
      dialect: 'anthropic-messages',
      apiKey: canary,
    })
    await ask(address, 'anthropic')
    expect(upstream.requests[0]?.headers).toMatchObject({
      'x-api-key': canary,
      'anthropic-version': '2023-06-01',
    })
    expect(upstream.requests[0]?.headers['authorization']).toBeUndefined()
  })
})
