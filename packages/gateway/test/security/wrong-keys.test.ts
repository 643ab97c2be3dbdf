import { afterEach, describe, expect, it } from 'vitest'
import { FailureLimit } from '../../src/security/failure-limit.ts'
import { clientAddress } from '../../src/security/client-address.ts'
import { inTurn, paths, post } from '../server/ask.ts'
import { oneKey, startGateway, stopGateways } from '../server/running-gateway.ts'
import { json, startUpstream, stopUpstreams } from '../server/scripted-upstream.ts'

afterEach(async () => {
  await stopGateways()
  stopUpstreams()
})

async function started(trustedProxies: readonly string[] = []) {
  const upstream = await startUpstream((response) => json(response, 200, { choices: [] }))
  const settings = {
    keys: oneKey.keys,
    limits: { authFailuresPerMinute: 3 },
    listen: { trustedProxies },
  }
  const { address } = await startGateway({ upstream: upstream.url, settings })
  return async (key: string, forwarded?: string) => {
    const more = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
    const headers = { authorization: `Bearer ${key}`, ...more }
    return (await post(address, paths.openai, { model: 'm', messages: 'none' }, { headers })).status
  }
}

async function statuses(count: number, ask: (at: number) => Promise<number>): Promise<readonly number[]> {
  const seen: number[] = []
  await inTurn(
    Array.from({ length: count }, (_, at) => at),
    async (at) => {
      seen.push(await ask(at))
    },
  )
  return seen
}

describe('wrong keys from an address', () => {
  it('are refused after a few, while the right key behind the same address is let in', async () => {
    const ask = await started()
    expect(await statuses(5, () => ask('a-wrong-key'))).toEqual([401, 401, 401, 429, 429])
    // The body is wrong: whoever is told so was let in.
    expect(await ask('the-key-of-ada')).toBe(400)
    expect(await ask('a-wrong-key')).toBe(429)
  })

  it('are counted for the client that a trusted proxy names', async () => {
    const ask = await started(['127.0.0.0/8'])
    expect(await statuses(4, () => ask('a-wrong-key', '203.0.113.7'))).toEqual([401, 401, 401, 429])
    expect(await ask('a-wrong-key', '203.0.113.8')).toBe(401)
    // What stands before the address that the proxy wrote is the client's own invention.
    expect(await ask('a-wrong-key', '203.0.113.9, 203.0.113.7')).toBe(429)
  })

  it('are counted for the connection where no proxy is trusted', async () => {
    const ask = await started()
    const from = (at: number) => ask('a-wrong-key', `203.0.113.${at}`)
    expect(await statuses(4, from)).toEqual([401, 401, 401, 429])
  })
})

describe('the address that counts', () => {
  const addressOf = clientAddress([])
  const seenFrom = (remoteAddress: string) => addressOf({ socket: { remoteAddress }, headers: {} })

  it.each([
    ['2001:db8:1:2::7', '2001:db8:1:2:ffff:1:2:3'],
    ['2001:db8::1', '2001:db8:0:0:9::'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
  ])('is one for %s and %s', (one, other) => {
    expect(seenFrom(one)).toBe(seenFrom(other))
  })

  it('is another in another network', () => {
    expect(seenFrom('2001:db8:1:2::7')).not.toBe(seenFrom('2001:db8:1:3::7'))
    expect(seenFrom('203.0.113.7')).not.toBe(seenFrom('203.0.113.8'))
  })
})

describe('the count of wrong keys', () => {
  it('is not forgotten however many addresses there are', () => {
    const limit = new FailureLimit(() => 0)
    for (let at = 0; at < 3; at++) limit.fail('203.0.113.7')
    for (let at = 0; at < 30_000; at++) limit.fail(`2001:db8:${at.toString(16)}::/64`)
    expect(limit.isBlocked('203.0.113.7', 3)).toBe(true)
    // Those that came too late to be counted by themselves are counted together.
    expect(limit.isBlocked('2001:db8:ffff::/64', 3)).toBe(true)
  })

  it('begins anew after a minute, when there were too many to count', () => {
    let now = 0
    const limit = new FailureLimit(() => now)
    for (let at = 0; at < 30_000; at++) limit.fail(`2001:db8:${at.toString(16)}::/64`)
    now = 61_000
    limit.fail('203.0.113.7')
    expect(limit.isBlocked('203.0.113.7', 2)).toBe(false)
    expect(limit.isBlocked('203.0.113.8', 1)).toBe(false)
  })
})
