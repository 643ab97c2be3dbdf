import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
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
