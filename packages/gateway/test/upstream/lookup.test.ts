import type { LookupFunction } from 'node:net'
import { describe, expect, it } from 'vitest'
import { allowedLookup } from '../../src/upstream/allowed-lookup.ts'

function resolveTo(...addresses: readonly string[]): Promise<unknown> {
  const resolve: LookupFunction = (_name, options, callback) => {
    if (options.all === true)
      callback(
        null,
        addresses.map((address) => ({ address, family: 4 })),
      )
    else callback(null, addresses[0] ?? '', 4)
  }
  const lookUp = (all: boolean): Promise<unknown> =>
    new Promise((done, fail) => {
      allowedLookup(resolve)('upstream.example', { all }, (error, address) =>
        error === null ? done(address) : fail(error),
      )
    })
  return addresses.length === 1 ? lookUp(false) : lookUp(true)
}

const nowhere: LookupFunction = (_name, _options, callback) => callback(new Error('ENOTFOUND'), '', 4)

describe('the name of an upstream', () => {
  it.each(['169.254.169.254', '0.0.0.0', 'fe80::1', 'fd00:ec2::254', '::ffff:169.254.169.254'])(
    'that points at %s is not called',
    async (address) => {
      await expect(resolveTo(address)).rejects.toThrow('refused address')
      await expect(resolveTo('93.184.216.34', address)).rejects.toThrow('refused address')
    },
  )

  it('that points elsewhere is', async () => {
    expect(await resolveTo('93.184.216.34')).toBe('93.184.216.34')
    expect(await resolveTo('10.0.0.5', '127.0.0.1')).toHaveLength(2)
  })

  it('that points nowhere fails as it did', async () => {
    const looking = new Promise((done, fail) => {
      allowedLookup(nowhere)('a', {}, (error) => (error === null ? done(null) : fail(error)))
    })
    await expect(looking).rejects.toThrow('ENOTFOUND')
  })
})
