import { describe, expect, it } from 'vitest'
import { explainConfig } from '../../src/config/explain.ts'
import { patternsMeet } from '../../src/config/match-model.ts'
import { secretsOf } from '../../src/config/secrets-of.ts'
import { accepted, load, refusals, warnings } from './fake-world.ts'

const key = (more: string): string => `keys:\n- name: ada\n  sha256: "${'1'.repeat(64)}"\n  ${more}`
const server = 'upstreams: { a: { url: "https://a.example/v1" } }\n'
const rules = 'models: [{ match: "claude-*", upstream: a, model: moonshotai/Kimi-K2 }]\n'

describe('keys, prices and a store', () => {
  it('are read as they were written', async () => {
    const yaml = `${server}${rules}${key('models: ["claude-*"]\n  limits: { requestsPerMinute: 60, concurrent: 8 }\n  budget: { usd: 50, per: month }')}
prices: { "moonshotai/*": { input: 0.6, cacheRead: 0.15, output: 2.5 }, "*": { input: 1, output: 2 } }
store: redis://:\${PASSWORD}@10.0.0.9:6379/2
storeFailure: closed`
    const { keys, accounting, ...rest } = await accepted({ yaml, env: { PASSWORD: 's3cret' } })
    expect(keys).toMatchObject([
      {
        models: ['claude-*'],
        limits: { requestsPerMinute: 60, concurrent: 8 },
        budget: { usd: 50, per: 'month' },
      },
    ])
    expect(accounting).toMatchObject({
      prices: [
        { match: 'moonshotai/*', input: 0.6, cacheRead: 0.15, output: 2.5 },
        { match: '*', input: 1, cacheRead: 1, output: 2 },
      ],
      storeFailure: 'closed',
    })
    expect(accounting?.store.is === 'redis' && accounting.store.url.reveal()).toBe(
      'redis://:s3cret@10.0.0.9:6379/2',
    )
    expect(JSON.stringify(accounting)).not.toContain('s3cret')
    if (accounting !== undefined) expect(secretsOf({ ...rest, keys, accounting })).toContain('s3cret')
  })

  it('are not there unless one of them is configured', async () => {
    expect((await accepted({ yaml: server + rules + key('models: ["claude-*"]') })).accounting).toBe(
      undefined,
    )
    const limited = await accepted({ yaml: server + rules + key('limits: { concurrent: 8 }') })
    expect(limited.accounting).toEqual({ prices: [], store: { is: 'memory' }, storeFailure: 'open' })
    expect((await accepted({ yaml: 'store: memory' })).accounting?.store).toEqual({ is: 'memory' })
  })

  it('the password of a store is shown to nobody', async () => {
    const loaded = await load({ yaml: 'store: redis://ada:s3cret@127.0.0.1/0' })
    if (!loaded.ok) throw new Error('refused')
    expect(explainConfig(loaded.settings).find(({ path }) => path === 'store')?.value).toBe(
      '"redis://[redacted]@127.0.0.1/0"',
    )
  })
})

describe('what cannot be meant', () => {
  const cases: [yaml: string, error: string][] = [
    [
      `${server}${rules}${key('models: [gpt-4]')}`,
      `6:12: keys[0].models[0]: no rule under models answers for "gpt-4". There are rules for: claude-*`,
    ],
    [
      `${server}${rules}${key('models: []')}`,
      '6:11: keys[0].models: names no model: list patterns such as "claude-*", or leave it out for all models',
    ],
    [
      `${server}${rules}${key('budget: { usd: 5, per: day }')}`,
      '6:11: keys[0].budget: a budget needs prices, else nothing is ever spent: add prices: { "MODEL": { input: 0.6, output: 2.5 } }',
    ],
    [
      `${server}${rules}prices: { "qwen/*": { input: 1, output: 2 } }`,
      '3:11: prices.qwen/*: is the price of no model: upstreams are asked for moonshotai/Kimi-K2',
    ],
    [`prices: { a: { input: 1 } }`, '1:14: prices.a.output: is missing'],
    [`prices: { a: { input: -1, output: 1 } }`, '1:23: prices.a.input: must be a number, 0 or more'],
    [`store: 127.0.0.1:6379`, '1:8: store: must be memory, or an address such as redis://127.0.0.1:6379/0'],
    [
      `store: redis://h/x`,
      '1:8: store: must end in the number of a database, such as redis://127.0.0.1:6379/0',
    ],
    [`storeFailure: shut`, '1:15: storeFailure: must be one of open, closed'],
    [key('budget: { usd: 0, per: day }'), '4:18: keys[0].budget.usd: must be a number above 0'],
    [
      key('limits: { requestPerMinute: 1 }'),
      '4:13: keys[0].limits.requestPerMinute: unknown key. Did you mean requestsPerMinute?',
    ],
  ]
  for (const [yaml, error] of cases) {
    it(error, async () => {
      expect(await refusals({ yaml })).toContain(`dragoman.yaml:${error}`)
    })
  }

  it('a model that no price matches is a warning where there are budgets', async () => {
    const two = 'models: [{ match: x, upstream: a, model: m }, { match: y, upstream: a }]\n'
    const yaml = `${server}${two}${key('budget: { usd: 5, per: day }')}\nprices: { m: { input: 1, output: 1 } }`
    expect(await warnings({ yaml })).toEqual([
      'dragoman.yaml:2:47: models[1]: "y" has no price: no budget is spent on it. Add it under prices, with 0 if it is free',
    ])
  })
})

describe('two patterns', () => {
  it.each([
    ['a*', '*b', true],
    ['a*c', 'ab*', true],
    ['abc', 'a*c', true],
    ['*', '', true],
    ['a*', 'b*', false],
    ['*x*', 'y*z', true],
    ['A', 'a', true],
    ['ab', 'a', false],
    ['a*b', 'a*c', false],
  ])('%j and %j have a name in common: %s', (one, other, expected) => {
    expect(patternsMeet(one, other)).toBe(expected)
    expect(patternsMeet(other, one)).toBe(expected)
  })
})
