import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { matchModel } from '../../src/config/match-model.ts'
import { accepted } from './fake-world.ts'

async function modelFor(matches: readonly string[], name: string): Promise<string | undefined> {
  const models = matches.map((match, at) => ({ match, upstream: 'a', model: `rule-${at}` }))
  const yaml = JSON.stringify({ upstreams: { a: { url: 'http://127.0.0.1:9/v1' } }, models })
  return matchModel(await accepted({ yaml }), name)?.model
}

describe('matchModel', () => {
  const cases: [matches: string[], name: string, model: string | undefined][] = [
    [['claude-*haiku*', 'claude-*', '*'], 'claude-3-5-haiku-latest', 'rule-0'],
    [['claude-*haiku*', 'claude-*', '*'], 'claude-sonnet-4', 'rule-1'],
    [['claude-*haiku*', 'claude-*', '*'], 'gpt-4o', 'rule-2'],
    [['claude-*'], 'gpt-4o', undefined],
    [['kimi'], 'kimi-k2', undefined],
    [['kimi'], 'KIMI', 'rule-0'],
    [['a*a'], 'a', undefined],
    [['a*a'], 'aa', 'rule-0'],
    [['*b*b*'], 'abab', 'rule-0'],
    [['*b*b*'], 'ab', undefined],
    [['a.c'], 'abc', undefined],
    [['*'], '', 'rule-0'],
  ]
  for (const [matches, name, model] of cases) {
    it(`"${name}" under ${matches.join(', ')} is ${model ?? 'no model'}`, async () => {
      expect(await modelFor(matches, name)).toBe(model)
    })
  }

  it('agrees with the pattern as a regular expression', async () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', '*', '.'), minLength: 1, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(word, word, async (pattern, name) => {
        const source = pattern
          .split('*')
          .map((part) => part.replaceAll('.', String.raw`\.`))
          .join('.*')
        const expected = new RegExp(`^${source}$`).test(name) ? 'rule-0' : undefined
        expect(await modelFor([pattern], name)).toBe(expected)
      }),
    )
  })

  it('a single upstream answers for every name where no rules are given', async () => {
    const config = await accepted({ yaml: 'upstreams: { a: { url: "http://127.0.0.1:9/v1" } }' })
    expect(matchModel(config, 'anything')).toMatchObject({ upstream: { name: 'a' }, model: 'anything' })
  })

  it('the simulator answers for every name where there is no upstream', async () => {
    expect(matchModel(await accepted(), 'kimi-k2')).toMatchObject({ upstream: 'simulator', model: 'kimi-k2' })
  })
})
