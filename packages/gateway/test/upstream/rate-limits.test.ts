import { afterAll, describe, expect, it } from 'vitest'
import { rateLimitsFor, rateLimitsIn } from '../../src/upstream/rate-limits.ts'
import { ask, clientDialects } from '../server/ask.ts'
import { startGateway, stopGateways } from '../server/running-gateway.ts'
import {
  chunk,
  completion,
  json,
  type Script,
  sse,
  startUpstream,
  stopUpstreams,
} from '../server/scripted-upstream.ts'

afterAll(async () => {
  await stopGateways()
  stopUpstreams()
})

const canary = 'canary-of-an-upstream-0123456789'

const told: Readonly<Record<string, string>> = {
  'retry-after': '7',
  'x-ratelimit-remaining-requests': '3',
  'x-ratelimit-bucket': `of ${canary}`,
  // Bytes that Node would not let us send on.
  'x-ratelimit-odd': Buffer.from('名').toString('latin1'),
  'set-cookie': 'a=b',
  server: 'x',
}

const left = {
  anthropic: 'anthropic-ratelimit-requests-remaining',
  openai: 'x-ratelimit-remaining-requests',
} as const

const answers: readonly { how: string; stream: boolean; status: number; script: Script }[] = [
  {
    how: 'refuses',
    stream: true,
    status: 429,
    script: (response) => json(response, 429, { error: { message: 'slow down' } }),
  },
  {
    how: 'answers in one piece',
    stream: false,
    status: 200,
    script: (response) => json(response, 200, completion('hello')),
  },
  {
    how: 'streams',
    stream: true,
    status: 200,
    script: (response) => {
      sse(response, chunk({ content: 'hello' }), chunk({}, 'stop'), '[DONE]')
      response.end()
    },
  },
]

describe.each(clientDialects)('the limits of an upstream, for a client of %s', (dialect) => {
  it.each(answers)('are passed on where it $how', async ({ stream, status, script }) => {
    const upstream = await startUpstream((response, nth) => {
      for (const [name, value] of Object.entries(told)) response.setHeader(name, value)
      script(response, nth)
    })
    const { address } = await startGateway({ upstream: upstream.url, apiKey: canary })
    const answer = await ask(address, dialect, { stream })
    const { headers } = answer
    expect(answer.status).toBe(status)
    expect(answer.text).toBe(status === 200 ? 'hello' : '')
    expect(headers.get('retry-after')).toBe('7')
    expect(headers.get('x-ratelimit-bucket')).toBe('of [redacted]')
    const others = Object.values(left).filter((name) => name !== left[dialect])
    expect(headers.get(left[dialect])).toBe('3')
    for (const name of [...others, 'x-ratelimit-odd', 'set-cookie', 'server'])
      expect(headers.get(name)).toBeNull()
  })
})

describe('a limit in the words of another dialect', () => {
  const now = Date.parse('2030-01-01T00:00:00Z')

  it.each([
    ['1s', '2030-01-01T00:00:01.000Z'],
    ['6m0s', '2030-01-01T00:06:00.000Z'],
    ['2m59.56s', '2030-01-01T00:02:59.560Z'],
    ['1h30m', '2030-01-01T01:30:00.000Z'],
    ['88ms', '2030-01-01T00:00:00.088Z'],
    ['0s', '2030-01-01T00:00:00.000Z'],
  ])('says at what time it is over, for one that lasts %s', (span, time) => {
    const limits = { 'x-ratelimit-limit-tokens': '100', 'x-ratelimit-reset-tokens': span }
    expect(rateLimitsFor('anthropic-messages', limits, now)).toEqual({
      'anthropic-ratelimit-tokens-limit': '100',
      'anthropic-ratelimit-tokens-reset': time,
    })
  })

  it.each([
    ['2030-01-01T00:06:00Z', '360s'],
    ['2030-01-01T00:00:00.200Z', '1s'],
    ['2029-12-31T23:00:00Z', '0s'],
  ])('says how long it lasts, for one that is over at %s', (time, span) => {
    const limits = { 'anthropic-ratelimit-requests-reset': time, 'anthropic-ratelimit-requests-limit': '9' }
    expect(rateLimitsFor('openai-chat', limits, now)).toEqual({
      'x-ratelimit-reset-requests': span,
      'x-ratelimit-limit-requests': '9',
    })
  })

  it('stays as it is where there are no such words, or where nobody knows what it says', () => {
    const limits = {
      'retry-after': '7',
      'x-ratelimit-reset-requests': '',
      'x-ratelimit-reset-tokens': '1893456000',
      'anthropic-ratelimit-input-tokens-limit': '5',
      'anthropic-ratelimit-tokens-reset': 'soon',
    }
    expect(rateLimitsFor('anthropic-messages', limits, now)).toEqual(limits)
    expect(rateLimitsFor('openai-chat', limits, now)).toEqual(limits)
  })

  it('is nothing at all where an upstream says nothing of limits', () => {
    expect(rateLimitsIn({ 'content-type': 'application/json', 'x-request-id': 'a' })).toBeUndefined()
  })
})
