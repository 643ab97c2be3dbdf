import { describe, expect, it } from 'vitest'
import { proxyFor, readProxies } from '../../src/config/proxies.ts'
import { refusals } from './fake-world.ts'

function proxyOf(origin: string, env: Readonly<Record<string, string>>): string | null {
  return proxyFor(origin, readProxies(env).proxies)?.origin ?? null
}

const env = { HTTPS_PROXY: 'http://secure.proxy:3128', HTTP_PROXY: 'http://plain.proxy:8080' }

describe('the proxy of an upstream', () => {
  it('depends on whether its address is https or http', () => {
    expect(proxyOf('https://models.example', env)).toBe('http://secure.proxy:3128')
    expect(proxyOf('http://models.example', env)).toBe('http://plain.proxy:8080')
    expect(proxyOf('http://models.example', { HTTPS_PROXY: 'http://a' })).toBeNull()
  })

  it('is read from variables in lower case first, and an empty one says nothing', () => {
    expect(proxyOf('https://models.example', { ...env, https_proxy: 'http://other' })).toBe('http://other')
    expect(proxyOf('https://models.example', { ...env, https_proxy: '' })).toBe('http://secure.proxy:3128')
  })

  it('may be written without http://', () => {
    expect(proxyOf('https://models.example', { https_proxy: 'proxy.lan:3128' })).toBe('http://proxy.lan:3128')
  })

  it('is none for an upstream on this machine', () => {
    for (const origin of [
      'http://127.0.0.1:8000',
      'https://localhost',
      'http://[::1]:1',
      'http://127.9.9.9',
    ]) {
      expect(proxyOf(origin, env)).toBeNull()
    }
  })

  it.each([
    ['https://models.example', 'models.example'],
    ['https://a.models.example', 'models.example'],
    ['https://a.models.example', '.models.example'],
    ['https://a.models.example', '*.models.example'],
    ['https://MODELS.example', 'models.EXAMPLE'],
    ['https://models.example:8443', 'models.example:8443'],
    ['https://models.example', 'models.example:443'],
    ['https://models.example', 'a, b models.example'],
    ['https://models.example', '*'],
    ['http://10.1.2.3:8000', '10.1.2.3'],
    ['http://10.1.2.3:8000', '10.0.0.0/8'],
    ['http://[fd00::7]:8000', 'fd00::/16'],
    ['http://[fd00::7]:8000', '[fd00::7]:8000'],
  ])('is none for %s where NO_PROXY is %s', (origin, except) => {
    expect(proxyOf(origin, { ...env, NO_PROXY: except })).toBeNull()
    expect(proxyOf(origin, { ...env, no_proxy: except })).toBeNull()
  })

  it.each([
    ['https://models.example', 'example.models'],
    ['https://notmodels.example', 'models.example'],
    ['https://models.example', 'models.example:8443'],
    ['https://models.example', 'a.models.example'],
    ['http://10.1.2.3:8000', '11.0.0.0/8'],
    ['http://10.1.2.3:8000', '10.0.0.0/99'],
    ['http://10.1.2.3:8000', '3'],
  ])('is used for %s although NO_PROXY is %s', (origin, except) => {
    expect(proxyOf(origin, { ...env, NO_PROXY: except })).not.toBeNull()
  })

  it('is shown its user and password, which stand in no address and in nothing that is printed', () => {
    const { https } = readProxies({ HTTPS_PROXY: 'http://ada:p%40ss@proxy.lan:3128' }).proxies
    expect(https?.origin).toBe('http://proxy.lan:3128')
    expect(https?.authorization?.reveal()).toBe(`Basic ${Buffer.from('ada:p@ss').toString('base64')}`)
    expect(JSON.stringify(https)).not.toMatch(/ada|p@ss|Basic/)
  })

  it('must be one that we can speak to: anything else is no reason to go without it', async () => {
    expect(await refusals({ env: { HTTPS_PROXY: 'socks5://proxy.lan:1080' } })).toEqual([
      '$HTTPS_PROXY: must be the http or https address of a proxy',
    ])
    expect(await refusals({ env: { http_proxy: 'http://' } })).toHaveLength(1)
  })
})
