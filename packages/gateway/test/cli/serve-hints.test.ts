import { describe, expect, it } from 'vitest'
import { serveHints } from '../../src/cli/serve-hints.ts'
import type { Survey } from '../../src/cli/survey.ts'
import { clients, isServed } from '../../src/launch/clients.ts'
import { accepted } from '../config/fake-world.ts'

const keys = `keys: [{ name: a, sha256: "${'0'.repeat(64)}" }]`
const lab = 'upstreams: { lab: { url: "http://127.0.0.1:9/v1" } }'

async function hints(
  listening: string,
  yaml: string,
  known: Survey = { upstreams: [], models: [] },
): Promise<string> {
  const config = await accepted({ yaml })
  return serveHints(listening, config, known, { style: (_style, text) => text })
}

describe('the lines for clients', () => {
  it('ask for a model that the simulator writes calls for', async () => {
    const text = await hints('http://127.0.0.1:12377', '')
    expect(text).toContain('curl -N http://127.0.0.1:12377/v1/chat/completions ')
    expect(text).toContain('"model":"kimi-k2"')
    expect(text).toContain(
      'ANTHROPIC_BASE_URL=http://127.0.0.1:12377 ANTHROPIC_AUTH_TOKEN=any ANTHROPIC_MODEL=kimi-k2 ',
    )
  })

  it('name every agent that the gateway can start and serve', async () => {
    const text = await hints('http://127.0.0.1:1', '')
    const [, first, others = ''] = /npx dragoman run -- (\w+) \(or (.+)\)\n/.exec(text) ?? []
    const served = Object.entries(clients).flatMap(([program, client]) => (isServed(client) ? [program] : []))
    expect([first, ...others.split(', ')]).toEqual(served)
    expect(served).toContain('codex')
  })

  it('name the inspector where it is served, and whether it wants a key', async () => {
    const own = keys.replace(' }]', ', inspector: true }]')
    expect(await hints('http://127.0.0.1:1', '')).toContain('Inspector: http://127.0.0.1:1/inspector\n')
    expect(await hints('http://127.0.0.1:1', own)).toContain('/inspector (behind a key)\n')
    expect(await hints('http://127.0.0.1:1', keys)).not.toContain('Inspector')
  })

  it('name a model of the simulator that breaks off inside a call', async () => {
    expect(await hints('http://127.0.0.1:1', '')).toContain('ask for the model kimi-k2+length,')
    expect(await hints('http://127.0.0.1:1', lab)).not.toContain('+length')
  })

  it('use a name that the configuration lets in, where others can reach the address', async () => {
    const text = await hints(
      'http://0.0.0.0:8080',
      `listen: { host: 0.0.0.0, allowedHosts: [gateway.lan] }\n${keys}`,
    )
    expect(text).toContain('curl -N http://gateway.lan:8080/v1/messages ')
    expect(text).not.toContain('127.0.0.1')
  })

  it.each([
    ['{ match: "*", upstream: lab }', 'MODEL'],
    ['{ match: "*", upstream: lab, model: org/m }', 'org/m'],
    ['{ match: fast, upstream: lab }', 'fast'],
    ['{ match: "claude-*haiku*", upstream: lab, model: m }', 'claude-haiku'],
    [`{ match: "it's", upstream: lab }`, 'MODEL'],
  ])('with the rule %s ask for %s', async (rule, model) => {
    const text = await hints('http://127.0.0.1:1', `${lab}\nmodels: [${rule}]`)
    expect(text).toContain(`"model":"${model}"`)
    expect(text).toContain(`ANTHROPIC_MODEL=${model} claude`)
  })

  it('tell of an upstream that does not answer', async () => {
    const upstreams = [{ name: 'lab', server: null, fault: 'no answer at http://127.0.0.1:9/v1 (refused)' }]
    const text = await hints('http://127.0.0.1:1', lab, { upstreams, models: [] })
    expect(text).toMatch(/^Upstreams: lab\nlab: no answer at http:\/\/127\.0\.0\.1:9\/v1 \(refused\)\n/)
  })
})
