import { describe, expect, it } from 'vitest'
import { explainConfig } from '../../src/config/explain.ts'
import { describeOrigin } from '../../src/config/origin.ts'
import { load, type Around } from './fake-world.ts'

async function explained(around: Around): Promise<Map<string, string>> {
  const result = await load(around)
  if (!result.ok) throw new Error('refused')
  const rows = explainConfig(result.settings)
  return new Map(rows.map(({ path, value, origin }) => [path, `${value} ${describeOrigin(origin)}`]))
}

describe('explainConfig', () => {
  it('says of each value who said it', async () => {
    const values = await explained({
      flags: { port: '1' },
      env: { DRAGOMAN_LOG_LEVEL: 'warn', K: 'x' },
      yaml: 'metrics: false\nupstreams:\n  a: { url: "https://a/v1", apiKey: "${K}" }',
      files: { '/home/ada/.config/dragoman/config.yaml': 'timeouts: { idle: 1m }' },
    })
    expect(values.get('listen.port')).toBe('1 --port')
    expect(values.get('log.level')).toBe('"warn" $DRAGOMAN_LOG_LEVEL')
    expect(values.get('metrics')).toBe('false dragoman.yaml:1:10')
    expect(values.get('upstreams.a.apiKey')).toBe('"${K}" dragoman.yaml:3:37')
    expect(values.get('timeouts.idle')).toBe('"1m" /home/ada/.config/dragoman/config.yaml:1:19')
    expect(values.get('timeouts.connect')).toBe('"10s" default')
    expect(values.get('record')).toBe('off default')
    expect(values.has('record.dir')).toBe(false)
  })

  it('says that the simulator is the default', async () => {
    expect((await explained({})).get('upstreams')).toBe('simulator default')
  })

  it('shows no secret', async () => {
    const yaml = 'upstreams: { a: { url: "https://a/v1", apiKey: canary, headers: { x: canary } } }'
    const env = { MY_KEY: 'canary', DRAGOMAN_API_KEY: 'canary'.repeat(5) }
    const flags = { upstream: 'https://b.example/v1', 'upstream-key-env': 'MY_KEY' }
    const both = await Promise.all([explained({ yaml, env }), explained({ flags, env })])
    for (const values of both) {
      expect(values.size).toBeGreaterThan(20)
      expect([...values.values()].join('\n')).not.toContain('canary')
    }
    expect((await explained({ flags, env })).get('upstreams.upstream.apiKey')).toBe('"${MY_KEY}" $MY_KEY')
  })

  it('shows no value of a body that comes from a variable', async () => {
    const yaml =
      'upstreams: { a: { url: "https://a/v1", body: { token: "${K}", deep: { list: ["x", "${K}"] }, plain: word } } }'
    const values = await explained({ yaml, env: { K: 'canary' } })
    expect([...values.values()].join('\n')).not.toContain('canary')
    expect([...values.values()].join('\n')).toContain('word')
  })

  it('names each key once', async () => {
    const result = await load({ yaml: 'record: {}\nlisten: { port: 3 }' })
    const paths = result.ok ? explainConfig(result.settings).map(({ path }) => path) : []
    expect(paths).toEqual([...new Set(paths)])
    expect(paths).toContain('record.dir')
  })
})
