import { afterAll, describe, expect, it } from 'vitest'
import { ModelChoices } from '../../src/chat/model/model-choice.ts'
import type { GatewayConfig } from '../../src/config/config.ts'
import type { Upstreams } from '../../src/upstream/upstreams.ts'
import { accepted } from '../config/fake-world.ts'
import { json, startUpstream, stopUpstreams } from '../server/scripted-upstream.ts'
import { openUpstreams } from './open-upstreams.ts'

const running: Upstreams[] = []

afterAll(async () => {
  await Promise.all(running.map((upstreams) => upstreams.close()))
  stopUpstreams()
})

function choicesFor(config: GatewayConfig): ModelChoices {
  const upstreams = openUpstreams(config)
  running.push(upstreams)
  return new ModelChoices(config, upstreams)
}

/** With one upstream that lists these models; none: it has no list. */
async function choices(
  models: readonly object[],
  listed: readonly string[] = [],
  { dialect = 'openai-chat', ...settings }: { readonly dialect?: string; readonly formats?: object } = {},
): Promise<ModelChoices> {
  const upstream = await startUpstream((response) =>
    json(response, listed.length === 0 ? 404 : 200, { data: listed.map((id) => ({ id })) }),
  )
  const rules = models.map((rule) => ({ upstream: 'lab', ...rule }))
  return choicesFor(
    await accepted({
      yaml: JSON.stringify({
        ...settings,
        upstreams: { lab: { url: upstream.url, dialect } },
        models: rules,
      }),
    }),
  )
}

describe('choosing a model', () => {
  it('a name that no rule matches is unknown, and what there is is named', async () => {
    const known = await choices([{ match: 'kimi' }, { match: 'qwen' }])
    expect(await known.choose('kimmi')).toEqual({
      is: 'unknown',
      message: 'There is no model "kimmi". Did you mean kimi? There are: kimi, qwen.',
    })
  })

  it('a name that the upstream does not list is told apart, unless it is a variant of one', async () => {
    const known = await choices([{ match: '*' }], ['moonshotai/kimi-k2', 'qwen/qwen3'])
    expect(await known.choose('moonshotai/kimi-k9')).toEqual({
      is: 'unlisted',
      name: 'moonshotai/kimi-k9',
      message:
        'There is no model "moonshotai/kimi-k9". Did you mean moonshotai/kimi-k2? There are: moonshotai/kimi-k2, qwen/qwen3.',
    })
    expect(await known.choose('moonshotai/kimi-k2-0905')).toMatchObject({ is: 'unlisted' })
    expect(await known.choose('MoonshotAI/kimi-k2')).toMatchObject({ is: 'model' })
    expect(await known.choose('moonshotai/kimi-k2:free')).toMatchObject({ is: 'model' })
  })

  it('a name that the upstream does not list is taken where that is insisted on, one that no rule matches is not', async () => {
    const known = await choices([{ match: 'kimi-*' }], ['kimi-k2'])
    expect(await known.choose('kimi-k9!')).toEqual({ is: 'model', name: 'kimi-k9' })
    expect(await known.choose('qwen3!')).toMatchObject({ is: 'unknown' })
  })

  it('where the upstream has no list, or the rule says the name, every name is taken', async () => {
    expect(await (await choices([{ match: '*' }])).choose('anything')).toMatchObject({ is: 'model' })
    const renamed = await choices([{ match: 'claude-*', model: 'hidden' }], ['shown'])
    expect(await renamed.choose('claude-opus')).toMatchObject({ is: 'model' })
  })

  it('the simulator answers to every name', async () => {
    const simulated = choicesFor(await accepted())
    expect(simulated.isSimulated).toBe(true)
    expect(await simulated.choose('anything/at-all')).toMatchObject({ is: 'model', name: 'anything/at-all' })
  })
})

describe('the model that is meant where none is named', () => {
  it.each([
    ['the first that the configuration names', [{ match: 'kimi' }, { match: '*' }], [], 'kimi'],
    ['what a pattern leads to', [{ match: 'claude-*', model: 'kimi-k2' }], [], 'claude-'],
    ['what everything leads to', [{ match: '*', model: 'kimi-k2' }], [], 'kimi-k2'],
    ['the only one that the upstream has', [{ match: '*' }], ['only'], 'only'],
  ])('is %s', async (_what, rules, listed, name) => {
    expect(await (await choices(rules, listed)).usual()).toMatchObject({ is: 'model', name })
  })

  it('is asked for where there are several', async () => {
    expect(await (await choices([{ match: '*' }], ['a', 'b'])).usual()).toEqual({
      is: 'unknown',
      message: 'Which model? --model NAME says it. There are: a, b.',
    })
  })

  it('is asked for where none is listed, as by an upstream that does not run', async () => {
    expect(await (await choices([{ match: '*' }], [])).usual()).toEqual({
      is: 'unknown',
      message: expect.stringMatching(
        /^Which model\? --model NAME says it\. None is listed at http:\S+: does the upstream run\?$/,
      ),
    })
  })

  it('is one that writes its calls as text, on the simulator', async () => {
    expect(await choicesFor(await accepted()).usual()).toMatchObject({ is: 'model', name: 'kimi-k2' })
  })
})

describe('the format of a model', () => {
  it.each([
    ['kimi-k2', { match: '*', format: 'hermes' }, { format: 'hermes', toldBy: 'configuration' }],
    ['kimi-k2', { match: '*' }, { format: 'kimi', toldBy: 'name' }],
    ['gpt-4o', { match: '*' }, { format: 'standard', toldBy: 'name' }],
    ['my-model', { match: '*' }, { format: 'standard', toldBy: 'nothing' }],
  ])('of the name %s by the rule %j is %j', async (name, rule, expected) => {
    const known = await choices([rule])
    const route = known.route(name)
    expect(route === undefined ? null : known.formatOf(route)).toEqual(expected)
  })

  it.each([
    ['my-model', 'openai-chat', { format: 'kimi', toldBy: 'configuration' }],
    ['my-model', 'anthropic-messages', { format: 'kimi', toldBy: 'configuration' }],
    ['qwen3', 'openai-chat', { format: 'qwen', toldBy: 'name' }],
    ['qwen3', 'anthropic-messages', { format: 'anthropic', toldBy: 'dialect' }],
  ])(
    'of the name %s at an upstream of %s, with an override for another name, is %j',
    async (name, dialect, expected) => {
      const known = await choices([{ match: '*' }], [], {
        dialect,
        formats: { overrides: { 'my-*': 'kimi' } },
      })
      const route = known.route(name)
      expect(route === undefined ? null : known.formatOf(route)).toEqual(expected)
    },
  )
})
