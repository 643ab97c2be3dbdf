import { type DialectId, dialectIds } from '@dragoman/core'
import { afterEach, describe, expect, it } from 'vitest'
import { ask } from '../simulator/speaking.ts'
import { weatherIn } from '../simulator/speaking.ts'
import { at, post, readAnswer } from '../server/ask.ts'
import { configFor, type RunningGateway, startGateway, stopGateways } from '../server/running-gateway.ts'
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
import { keyFor, shows } from './keys-and-digests.ts'

afterEach(async () => {
  await stopGateways()
  stopUpstreams()
})

const fine: Script = (response) => json(response, 200, completion('Hello'))

async function gatewayFor(
  keys: readonly object[],
  script: Script = fine,
  settings: object = {},
): Promise<RunningGateway> {
  const { url } = await startUpstream(script)
  return startGateway({ upstream: url, settings: { keys, ...settings } })
}

const chatBody = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] }

async function chat({ address }: RunningGateway, key: string, more: object = {}) {
  return readAnswer(
    await post(address, '/v1/chat/completions', { ...chatBody, ...more }, { headers: shows(key) }),
  )
}

function speak(
  dialect: DialectId,
  { address }: RunningGateway,
  stream: boolean,
  headers: object = {},
): Promise<Response> {
  return ask(dialect, `${address}/v1`, weatherIn('m', { stream }), {
    headers: { 'content-type': 'application/json', ...shows('ada'), ...headers },
  })
}

describe('a key that is at its limit of requests', () => {
  const rows = dialectIds.flatMap((dialect) => [true, false].map((stream) => [dialect, stream] as const))
  it.each(rows)('is refused in the words of %s, streamed: %s', async (dialect, stream) => {
    const gateway = await gatewayFor([keyFor('ada', { limits: { requestsPerMinute: 1 } })])
    await (await speak(dialect, gateway, false)).text()
    const refused = await speak(dialect, gateway, stream)
    const text = await refused.text()
    expect(refused.status).toBe(429)
    const wait = Number(refused.headers.get('retry-after'))
    expect(wait).toBeGreaterThan(57)
    expect(wait).toBeLessThanOrEqual(60)
    expect(text).toContain(`This key may make 1 requests a minute. Please try again in ${wait}s.`)
    expect(shapes[dialect](JSON.parse(text), wait)).toBe(true)
    const prefix = refused.headers.has('anthropic-ratelimit-requests-limit')
      ? 'anthropic-ratelimit-requests-'
      : 'x-ratelimit-'
    expect(prefix.startsWith('anthropic')).toBe(dialect === 'anthropic-messages')
    const names = prefix.startsWith('x-') ? ['limit-requests', 'remaining-requests'] : ['limit', 'remaining']
    expect(names.map((name) => refused.headers.get(prefix + name))).toEqual(['1', '0'])
    expect(await gateway.metric('dragoman_key_refusals_total{key="ada",limit="requests"}')).toBe(1)
  })

  const shapes: Readonly<Record<DialectId, (body: unknown, wait: number) => boolean>> = {
    'openai-chat': (body) => at(body, 'error', 'code') === 'rate_limit_exceeded',
    'openai-responses': (body) => at(body, 'error', 'code') === 'rate_limit_exceeded',
    'anthropic-messages': (body) => at(body, 'error', 'type') === 'rate_limit_error',
    gemini: (body, wait) => {
      const error: unknown = Array.isArray(body) ? at(body, 0, 'error') : at(body, 'error')
      return (
        at(error, 'status') === 'RESOURCE_EXHAUSTED' && at(error, 'details', 0, 'retryDelay') === `${wait}s`
      )
    },
  }

  it('is told in the stream where its client reads no status: Codex', async () => {
    const gateway = await gatewayFor([keyFor('ada', { limits: { requestsPerMinute: 1 } })])
    await (await speak('openai-responses', gateway, false)).text()
    const refused = await speak('openai-responses', gateway, true, { originator: 'codex_cli_rs' })
    expect(refused.status).toBe(200)
    expect(await refused.text()).toMatch(
      /"code":"rate_limit_exceeded","message":"[^"]+ Please try again in \d+s\."/,
    )
  })

  it('has its room told with each answer, and others are not concerned', async () => {
    const gateway = await gatewayFor([
      keyFor('ada', { limits: { requestsPerMinute: 2, tokensPerMinute: 1000 } }),
      keyFor('bob'),
    ])
    const first = await chat(gateway, 'ada')
    expect(first.headers.get('x-ratelimit-limit-requests')).toBe('2')
    expect(first.headers.get('x-ratelimit-remaining-requests')).toBe('1')
    expect(first.headers.get('x-ratelimit-limit-tokens')).toBe('1000')
    await chat(gateway, 'ada')
    expect((await chat(gateway, 'ada')).status).toBe(429)
    const other = await chat(gateway, 'bob')
    expect(other.status).toBe(200)
    expect(other.headers.get('x-ratelimit-limit-requests')).toBe(null)
  })
})

function remaining(headers: Headers): number {
  return Number(headers.get('x-ratelimit-remaining-tokens'))
}

describe('the limit of tokens', () => {
  const limits = { tokensPerMinute: 10_000 }

  it('counts what the upstream counted, without what came from a cache', async () => {
    const usage = {
      prompt_tokens: 5000,
      completion_tokens: 200,
      prompt_tokens_details: { cached_tokens: 4000 },
    }
    const gateway = await gatewayFor([keyFor('ada', { limits })], (response) =>
      json(response, 200, { ...completion('Hello'), usage }),
    )
    const first = await chat(gateway, 'ada')
    await until(() => gateway.requestLine() !== undefined)
    const second = await chat(gateway, 'ada')
    const estimate = 10_000 - remaining(first.headers)
    expect(estimate).toBeLessThan(100)
    expect(remaining(second.headers)).toBe(10_000 - 1200 - estimate)
    expect(gateway.requestLine()).toMatchObject({ tokensIn: 5000, tokensOut: 200, tokensCached: 4000 })
  })

  it.each([true, false])(
    'counts what was written in a stream that the client left, in its own dialect: %s',
    async (isOwn) => {
      const text = 'word '.repeat(700)
      const gateway = await gatewayFor([keyFor('ada', { limits })], (response, nth) => {
        if (nth > 1) json(response, 200, completion('Hello'))
        else
          sse(
            response,
            chunk({ role: 'assistant', content: '' }),
            ...Array.from({ length: 7 }, () => chunk({ content: text.slice(0, 500) })),
          )
      })
      const leaving = new AbortController()
      const dialect = isOwn ? 'openai-chat' : 'anthropic-messages'
      const response = await ask(dialect, `${gateway.address}/v1`, weatherIn('m'), {
        headers: { 'content-type': 'application/json', ...shows('ada') },
        signal: leaving.signal,
      })
      const reader = response.body?.getReader()
      let read = 0
      while (read < 3500) read += (await reader?.read())?.value?.length ?? 3500
      leaving.abort()
      await until(() => gateway.requestLine() !== undefined)
      expect(gateway.requestLine()).toMatchObject({ how: 'left' })
      const next = await chat(gateway, 'ada')
      const counted = 10_000 - remaining(next.headers)
      expect(counted).toBeGreaterThan(1000)
      expect(counted).toBeLessThan(1300)
    },
  )

  it('counts nothing for a request that its upstream refused', async () => {
    const gateway = await gatewayFor([keyFor('ada', { limits })], (response, nth) =>
      nth === 1
        ? json(response, 400, { error: { message: 'no' } })
        : json(response, 200, completion('Hello')),
    )
    const content = 'word '.repeat(2000)
    const refused = await chat(gateway, 'ada', { messages: [{ role: 'user', content }] })
    expect(refused.status).toBe(400)
    await until(() => gateway.requestLine() !== undefined)
    expect(remaining((await chat(gateway, 'ada')).headers)).toBeGreaterThan(9900)
  })
})

it('requests under way are counted, and one that ends makes room', async () => {
  const waiting: (() => void)[] = []
  const gateway = await gatewayFor([keyFor('ada', { limits: { concurrent: 1 } })], (response, nth) => {
    if (nth === 1) waiting.push(() => json(response, 200, completion('Hello')))
    else json(response, 200, completion('Hello'))
  })
  const first = chat(gateway, 'ada')
  await until(() => waiting.length === 1)
  const second = await chat(gateway, 'ada')
  expect(second.status).toBe(429)
  expect(second.headers.get('retry-after')).toBe('1')
  waiting[0]?.()
  expect((await first).status).toBe(200)
  await until(() => gateway.lines.filter(({ msg }) => msg === 'request').length === 2)
  expect((await chat(gateway, 'ada')).status).toBe(200)
})

describe('a budget', () => {
  const prices = { m: { input: 1000, output: 1000 } }

  it.each(dialectIds)(
    'that is spent is told with the time at which it begins anew, in %s',
    async (dialect) => {
      const gateway = await gatewayFor(
        [keyFor('ada', { budget: { usd: 1, per: 'month' } })],
        (response) =>
          json(response, 200, {
            ...completion('Hello'),
            usage: { prompt_tokens: 600, completion_tokens: 400 },
          }),
        { prices },
      )
      await (await speak(dialect, gateway, false)).text()
      await until(() => gateway.requestLine() !== undefined)
      const refused = await speak(dialect, gateway, false)
      const text = await refused.text()
      expect(refused.status).toBe(429)
      expect(refused.headers.get('x-should-retry')).toBe('false')
      expect(text).toMatch(
        /The budget of this key is spent: 1 USD a month\. It begins anew at \d{4}-\d\d-01T00:00:00\.000Z\./,
      )
      expect(text).not.toContain('try again in')
      if (dialect === 'gemini') expect(text).toContain('QuotaFailure')
      expect(await gateway.metric('dragoman_usage_cost_usd_total{key="ada",model="m",upstream="lab"}')).toBe(
        1,
      )
    },
  )
})

describe('models of a key', () => {
  const rules = {
    models: [
      { match: 'claude-fast', upstream: 'lab', model: 'a' },
      { match: 'gpt-large', upstream: 'lab', model: 'b' },
    ],
  }
  const keys = [keyFor('ada', { models: ['claude-*'] }), keyFor('bob')]

  it.each(dialectIds)('are the only ones that it may ask for: %s', async (dialect) => {
    const gateway = await gatewayFor(keys, fine, rules)
    const init = { headers: { 'content-type': 'application/json', ...shows('ada') } }
    const ours = await ask(
      dialect,
      `${gateway.address}/v1`,
      weatherIn('claude-fast', { stream: false }),
      init,
    )
    expect(ours.status).toBe(200)
    const theirs = await ask(
      dialect,
      `${gateway.address}/v1`,
      weatherIn('gpt-large', { stream: false }),
      init,
    )
    expect(theirs.status).toBe(404)
    expect(await theirs.text()).toContain('There is no model \\"gpt-large\\" that this key may use.')
  })

  it.each([
    ['/v1/models', {}],
    ['/v1/models', { 'anthropic-version': '2023-06-01' }],
    ['/v1/models', { originator: 'codex_cli_rs' }],
    ['/v1beta/models', {}],
  ])('are the only ones that %s lists, for %j', async (path, headers) => {
    const gateway = await gatewayFor(keys, fine, rules)
    const list = async (key: string): Promise<string> =>
      (await fetch(gateway.address + path, { headers: { ...shows(key), ...headers } })).text()
    expect(await list('ada')).toContain('claude-fast')
    expect(await list('ada')).not.toContain('gpt-large')
    expect(await list('bob')).toContain('gpt-large')
    const one = await fetch(`${gateway.address}${path}/gpt-large`, {
      headers: { ...shows('ada'), ...headers },
    })
    expect(one.status).toBe(404)
  })

  it('are the only ones whose tokens are counted for it', async () => {
    const gateway = await gatewayFor(keys, fine, rules)
    const count = (model: string) =>
      post(gateway.address, '/v1/messages/count_tokens', { ...chatBody, model }, { headers: shows('ada') })
    expect((await count('claude-fast')).status).toBe(200)
    expect((await count('gpt-large')).status).toBe(404)
  })
})

it('a gateway without limits, budgets, prices and store counts nothing', async () => {
  const gateway = await gatewayFor([keyFor('ada')])
  const answer = await chat(gateway, 'ada')
  expect([...answer.headers.keys()].filter((name) => name.includes('ratelimit'))).toEqual([])
  const metrics = await (await fetch(`${gateway.address}/metrics`, { headers: shows('ada') })).text()
  expect(metrics).not.toContain('dragoman_usage')
})

function atMost(requestsPerMinute: number): { keys: object[] } {
  return { keys: [keyFor('ada', { limits: { requestsPerMinute } })] }
}

it('limits follow the configuration while the gateway runs, and what was used before counts', async () => {
  const { url } = await startUpstream(fine)
  const gateway = await startGateway({ upstream: url, settings: atMost(1) })
  await chat(gateway, 'ada')
  expect((await chat(gateway, 'ada')).status).toBe(429)
  gateway.gateway.reconfigure(await configFor({ upstream: url, settings: atMost(2) }))
  expect((await chat(gateway, 'ada')).status).toBe(200)
  expect((await chat(gateway, 'ada')).status).toBe(429)
})
