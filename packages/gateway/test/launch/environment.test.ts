import { describe, expect, it } from 'vitest'
import { claudeCode } from '../../src/launch/clients/claude-code.ts'
import { clientEnvironment } from '../../src/launch/environment.ts'

const base = 'http://127.0.0.1:4000'
const prepared = { env: { ADDRESS: base }, defaults: { LIMIT: '100' }, args: [], files: {} }

function environment(own: Record<string, string>): NodeJS.ProcessEnv {
  return clientEnvironment(own, claudeCode, prepared, base)
}

describe('the environment of a client', () => {
  it('is the own one of the user, with what leads to the gateway', () => {
    expect(environment({ EDITOR: 'ed', ADDRESS: 'elsewhere' })).toEqual({
      EDITOR: 'ed',
      ADDRESS: base,
      LIMIT: '100',
    })
  })

  it('keeps the limit that the user has set', () => {
    expect(environment({ LIMIT: '7' })).toMatchObject({ LIMIT: '7' })
  })

  it('lacks what would lead past the gateway', () => {
    expect(environment({ ANTHROPIC_API_KEY: 'k', CLAUDE_CODE_USE_VERTEX: '1' })).toEqual({
      ADDRESS: base,
      LIMIT: '100',
    })
  })

  it('has the gateway among the exceptions of a proxy', () => {
    const proxied = { https_proxy: 'http://proxy:3128', NO_PROXY: 'lan' }
    expect(environment(proxied)).toMatchObject({ NO_PROXY: 'lan,127.0.0.1', no_proxy: 'lan,127.0.0.1' })
    expect(environment({ HTTP_PROXY: 'http://proxy:3128' })).toMatchObject({ NO_PROXY: '127.0.0.1' })
    expect(environment({})).not.toHaveProperty('NO_PROXY')
  })
})
