import { describe, expect, it } from 'vitest'
import { routesOf, ruleFor } from '../../src/config/match-model.ts'
import { accepted, load, refusals, warnings } from './fake-world.ts'

const upstreams =
  'upstreams: { gpu1: { url: "http://10.0.0.5/v1" }, gpu2: { url: "http://10.0.0.6/v1" }, far: { url: "https://a.example/v1" } }'

/** The places of the first rule: `upstream/model`, pools in the order in which they are tried. */
async function places(rule: string): Promise<string[][]> {
  const config = await accepted({ yaml: `${upstreams}\nmodels:\n- ${rule}` })
  const found = ruleFor('m', config)
  if (found === undefined) throw new Error('no rule')
  return routesOf(found, 'm', config).map((pool) =>
    pool.map(({ upstream, model }) => `${upstream === 'simulator' ? upstream : upstream.name}/${model}`),
  )
}

describe('the upstreams of a rule', () => {
  it.each([
    ['{ match: m, upstream: gpu1 }', [['gpu1/m']]],
    ['{ match: m, upstream: [gpu1] }', [['gpu1/m']]],
    ['{ match: m, upstream: { name: gpu1, model: x } }', [['gpu1/x']]],
    ['{ match: m, upstream: [gpu1, far] }', [['gpu1/m'], ['far/m']]],
    [
      '{ match: m, upstream: [[gpu1, gpu2], { name: far, model: x }], model: y }',
      [['gpu1/y', 'gpu2/y'], ['far/x']],
    ],
    ['{ match: m, upstream: [[{ name: gpu1, model: x }, gpu2]] }', [['gpu1/x', 'gpu2/m']]],
    ['{ match: m, upstream: [gpu1, { name: gpu1, model: small }], model: y }', [['gpu1/y'], ['gpu1/small']]],
  ])('%s', async (rule, expected) => {
    expect(await places(rule)).toEqual(expected)
  })

  it('have the settings of the rule, but for what they say themselves', async () => {
    const { models } = await accepted({
      yaml: `${upstreams}
models:
- match: m
  format: kimi
  window: 1000
  timeouts: { headers: 1s, idle: 2s }
  upstream: [gpu1, { name: far, format: qwen, maxTokens: 50, thinking: low, timeouts: { idle: 9s } }]`,
    })
    expect(models[0]?.order?.[1]).toEqual([
      {
        upstream: 'far',
        model: null,
        format: 'qwen',
        tools: 'native',
        startsInReasoning: null,
        window: 1000,
        maxTokens: 50,
        thinking: 'low',
        timeouts: { connect: 10_000, headers: 1000, idle: 9000, finishGrace: 5000 },
      },
    ])
    expect(models[0]).toMatchObject({ upstream: 'gpu1', format: 'kimi', maxTokens: null })
  })

  it('leave nothing to choose where there is one', async () => {
    const { models } = await accepted({ yaml: `${upstreams}\nmodels: [{ match: m, upstream: [[gpu1]] }]` })
    expect(models[0]).toMatchObject({ upstream: 'gpu1', order: null })
  })

  it('may be left to the routing, with durations as everywhere', async () => {
    const yaml = 'routing: { retries: 0, retryWithin: 1m, outAfter: 1, outFor: 250ms, balance: least-busy }'
    expect((await accepted({ yaml })).routing).toEqual({
      retries: 0,
      retryWithin: 60_000,
      outAfter: 1,
      outFor: 250,
      balance: 'least-busy',
    })
  })
})

describe('what is refused, with its place', () => {
  it.each([
    ['[gpu1, gpu3]', '3:32: models[0].upstream[1]: there is no upstream "gpu3". Did you mean gpu1?'],
    [
      '[[gpu1, nowhere]]',
      '3:33: models[0].upstream[0][1]: there is no upstream "nowhere". Configured: gpu1, gpu2, far',
    ],
    ['[{ name: fra }]', '3:34: models[0].upstream[0].name: there is no upstream "fra". Did you mean far?'],
    [
      '[gpu1, gpu1]',
      '3:32: models[0].upstream[1]: "gpu1" has been tried before with the same model; name another upstream, or another model here',
    ],
    [
      '[[gpu1, gpu2, gpu1]]',
      '3:39: models[0].upstream[0][2]: "gpu1" stands in this pool twice; each upstream of a pool is named once',
    ],
    [
      '[[gpu1, { name: gpu1, model: x }]]',
      '3:41: models[0].upstream[0][1].name: "gpu1" stands in this pool twice; each upstream of a pool is named once',
    ],
    ['[]', '3:25: models[0].upstream: the list is empty: name at least one upstream, such as [gpu1, gpu2]'],
    [
      '[[], far]',
      '3:26: models[0].upstream[0]: the pool is empty: name its upstreams, such as [gpu1, gpu2], or take it out',
    ],
    ['[{ name: gpu1, modle: x }]', '3:40: models[0].upstream[0].modle: unknown key. Did you mean model?'],
    ['[{ model: x }]', '3:26: models[0].upstream[0].name: is missing'],
    [
      '[[[gpu1]]]',
      '3:27: models[0].upstream[0][0]: must be the name of an upstream, or { name: …, model: … }',
    ],
    ['7', '3:25: models[0].upstream: must be the name of an upstream, or a list of names and pools'],
    [
      '[gpu1, 7]',
      '3:32: models[0].upstream[1]: must be the name of an upstream, { name: …, model: … }, or a list of these: a pool',
    ],
    [
      '[{ name: gpu1, window: 1 }]',
      '3:48: models[0].upstream[0].window: must be a whole number, 256 or more',
    ],
    [
      '[{ name: gpu1, tools: prompt }]',
      '3:47: models[0].upstream[0].tools: tools can stand in the prompt only with format: hermes, xml, llama',
    ],
  ])('upstream: %s', async (written, error) => {
    const yaml = `${upstreams}\nmodels:\n- { match: m, upstream: ${written} }`
    expect(await refusals({ yaml })).toEqual([`dragoman.yaml:${error}`])
  })

  it.each([
    ['{ balance: random }', '1:21: routing.balance: must be one of affinity, least-busy, round-robin'],
    [
      '{ retryWithin: 20 }',
      '1:25: routing.retryWithin: must be a duration with a unit, such as 250ms, 10s, 5m or 7d',
    ],
    ['{ outAfter: 0 }', '1:22: routing.outAfter: must be a whole number, 1 or more'],
    ['{ retires: 1 }', '1:12: routing.retires: unknown key. Did you mean retries?'],
  ])('routing: %s', async (written, error) => {
    expect(await refusals({ yaml: `routing: ${written}` })).toEqual([`dragoman.yaml:${error}`])
  })
})

function rules(...matches: string[]): string {
  return [upstreams, 'models:', ...matches.map((match) => `- { match: "${match}", upstream: gpu1 }`)].join(
    '\n',
  )
}

describe('a rule that can never match', () => {
  it.each([
    [
      ['claude-*', 'claude-opus'],
      '4:3: models[1]: is never used: "claude-*" before it matches every such name; put this rule in front of it',
    ],
    [
      ['*-opus*', 'gpt', 'claude-opus-*'],
      '5:3: models[2]: is never used: "*-opus*" before it matches every such name; put this rule in front of it',
    ],
    [
      ['kimi', 'KIMI'],
      '4:3: models[1]: is never used: "kimi" before it matches every such name; put this rule in front of it',
    ],
  ])('%j', async (matches, warning) => {
    expect(await warnings({ yaml: rules(...matches) })).toEqual([`dragoman.yaml:${warning}`])
    expect((await load({ yaml: rules(...matches) })).ok).toBe(true)
  })

  it.each([[['claude-opus', 'claude-*']], [['a*b', 'a*c']], [['a*', '*a']]])(
    'is not seen in %j',
    async (matches) => {
      expect(await warnings({ yaml: rules(...matches) })).toEqual([])
    },
  )
})
