import { format, inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { Secret } from '../../src/config/secret.ts'
import { accepted } from './fake-world.ts'

describe('Secret', () => {
  const secret = new Secret('sk-canary')

  const ways: [way: string, text: string][] = [
    ['a text', `key: ${String(secret)}`],
    ['joining', [secret, secret].join()],
    ['JSON', JSON.stringify({ secret, list: [secret] })],
    ['inspect', inspect({ secret }, { showHidden: true, depth: 9 })],
    ['a log format', format('%s %o %O %j', secret, secret, secret, secret)],
    ['a copy', JSON.stringify(Object.assign({}, secret))],
    ['an error', String(new Error(`bad key ${String(secret)}`))],
  ]
  for (const [way, text] of ways) {
    it(`${way} does not show it`, () => expect(text).not.toContain('canary'))
  }

  it('says that something is there', () => expect(String(secret)).toBe('[redacted]'))
  it('is revealed on request', () => expect(secret.reveal()).toBe('sk-canary'))

  it('a whole configuration can be printed', async () => {
    const yaml = `
upstreams:
  a: { url: "https://a.example/v1", apiKey: sk-canary-1, headers: { authorization: "Bearer \${TOKEN}" } }`
    const config = await accepted({
      yaml,
      env: { TOKEN: 'canary-2', DRAGOMAN_API_KEY: 'canary-3'.repeat(3) },
    })
    expect(inspect(config, { depth: 9, showHidden: true })).not.toContain('canary')
    expect(JSON.stringify(config)).not.toContain('canary')
    expect(config.keys).toHaveLength(1)
  })
})
