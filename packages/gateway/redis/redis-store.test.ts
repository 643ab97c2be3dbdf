import { once } from 'node:events'
import { createServer } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { GuardedStore } from '../src/quotas/guarded-store.ts'
import { MemoryStore } from '../src/quotas/memory-store.ts'
import { RedisStore } from '../src/quotas/redis-store.ts'
import {
  type Claim,
  nothingUsed,
  type QuotaStore,
  StoreFault,
  type UsageRow,
  type Verdict,
} from '../src/quotas/store.ts'
import { type RunningRedis, startRedis, stopRedis } from './redis-server.ts'

let redis: RunningRedis
const stores: QuotaStore[] = []

beforeAll(async () => {
  redis = await startRedis('--maxmemory-policy', 'noeviction')
})

afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()))
})

afterAll(stopRedis)

function open(today: () => number = Date.now): RedisStore {
  const store = new RedisStore({ url: redis.url, today })
  stores.push(store)
  return store
}

let last = 0
/** Each test has a key of its own. */
function newKey(): string {
  return `key {${++last}}:*`
}

function claim(key: string, more: Partial<Claim> = {}): Claim {
  return { id: `request-${++last}`, key, limits: {}, tokens: 0, budget: null, ...more }
}

function takenBy(verdict: Verdict) {
  if (verdict.is !== 'granted') throw new Error(`refused by ${verdict.by}`)
  return verdict.taken
}

function used(key: string, more: Partial<UsageRow> = {}): UsageRow {
  return { ...nothingUsed, day: '2026-11-16', key, model: 'm', upstream: 'lab', requests: 1, ...more }
}

describe('counting in Redis', () => {
  it('holds a limit of requests over several connections at once', async () => {
    const key = newKey()
    const limits = { requestsPerMinute: 600 }
    const three = [open(), open(), open()]
    const verdicts = await Promise.all(
      Array.from({ length: 2100 }, (_, at) => three[at % 3]?.claim(claim(key, { limits }))),
    )
    expect(verdicts.filter((verdict) => verdict?.is === 'granted')).toHaveLength(600)
    const refused = verdicts.find((verdict) => verdict?.is === 'refused')
    expect(refused).toMatchObject({ by: 'requests', left: { requests: { limit: 600, remaining: 0 } } })
    expect(refused?.is === 'refused' && refused.wait).toBeGreaterThan(50_000)
    expect(refused?.is === 'refused' && refused.wait).toBeLessThanOrEqual(60_000)
  })

  it('puts the tokens that were used in the place of those that were expected', async () => {
    const key = newKey()
    const store = open()
    const limits = { tokensPerMinute: 1000 }
    const first = claim(key, { limits, tokens: 800 })
    const taken = takenBy(await store.claim(first))
    expect(await store.claim(claim(key, { limits, tokens: 300 }))).toMatchObject({ by: 'tokens' })
    await store.settle({ claim: first, taken, tokens: 500, used: null })
    const second = claim(key, { limits, tokens: 300 })
    const verdict = await store.claim(second)
    expect(verdict.left.tokens).toMatchObject({ remaining: 200 })
    await store.settle({ claim: second, taken: takenBy(verdict), tokens: 700, used: null })
    expect((await store.claim(claim(key, { limits, tokens: 1 }))).left.tokens).toMatchObject({ remaining: 0 })
  })

  it('lets one request through that is larger than the limit, where nothing else was used', async () => {
    const key = newKey()
    const store = open()
    const limits = { tokensPerMinute: 1000 }
    takenBy(await store.claim(claim(key, { limits, tokens: 5000 })))
    expect(await store.claim(claim(key, { limits, tokens: 1 }))).toMatchObject({
      is: 'refused',
      by: 'tokens',
    })
  })

  it('counts requests under way at all gateways, and forgets those of one that died', async () => {
    const key = newKey()
    const [one, other] = [open(), open()]
    const limits = { concurrent: 2 }
    const first = claim(key, { limits })
    const taken = takenBy(await one.claim(first))
    takenBy(await other.claim(claim(key, { limits })))
    expect(await one.claim(claim(key, { limits }))).toMatchObject({ by: 'concurrent', wait: 1000 })
    await other.settle({ claim: first, taken, tokens: 0, used: null })
    takenBy(await one.claim(claim(key, { limits })))
    const name = `dragoman:{${encodeURIComponent(key)}}:leases`
    const [ttl] = [await redis.command('PTTL', name)]
    expect(Number(ttl)).toBeGreaterThan(20_000)
    expect(Number(ttl)).toBeLessThanOrEqual(30_000)
  })

  it('spends a budget, which begins anew with the next period', async () => {
    const key = newKey()
    let today = Date.UTC(2026, 10, 30, 12)
    const store = open(() => today)
    const budget = { nano: 5_000_000_000_000, cost: 400, per: 'month' } as const
    const first = claim(key, { budget })
    const taken = takenBy(await store.claim(first))
    await store.settle({ claim: first, taken, tokens: 0, used: used(key, { cost: 4_999_999_999_900 }) })
    expect(await store.claim(claim(key, { budget: { ...budget, cost: 101 } }))).toMatchObject({
      by: 'budget',
      wait: 12 * 3_600_000,
    })
    takenBy(await store.claim(claim(key, { budget: { ...budget, cost: 100 } })))
    today += 12 * 3_600_000
    takenBy(await store.claim(claim(key, { budget })))
  })

  it('keeps what was used by day, key, model and upstream, whatever they are called', async () => {
    const key = newKey()
    const store = open()
    const settle = (row: UsageRow): Promise<void> =>
      store.settle({ claim: claim(key), taken: null, tokens: 0, used: row })
    await settle(used(key, { input: 10, cached: 4, output: 3, reasoning: 1, cost: 7 }))
    await settle(used(key, { input: 1, output: 2, problems: 1, failures: 1 }))
    await settle(used(key, { model: 'org/"odd"\n:name' }))
    await settle(used(key, { day: '2026-11-15' }))
    const rows = (await open().usage('2026-11-16')).filter((row) => row.key === key)
    expect(rows).toHaveLength(2)
    expect(rows).toContainEqual(
      used(key, {
        requests: 2,
        input: 11,
        cached: 4,
        output: 5,
        reasoning: 1,
        cost: 7,
        problems: 1,
        failures: 1,
      }),
    )
    expect(rows).toContainEqual(used(key, { model: 'org/"odd"\n:name' }))
  })

  it('lets every key expire', async () => {
    const names = await redis.command('KEYS', '*')
    const list = Array.isArray(names) ? names.map(String) : []
    expect(list.length).toBeGreaterThan(5)
    const ends = await Promise.all(list.map((name) => redis.command('TTL', name)))
    expect(ends.filter((seconds) => Number(seconds) < 0)).toEqual([])
    expect(list.filter((name) => !name.startsWith('dragoman:{'))).toEqual([])
  })

  it('takes a password and a database, and says where they are wrong', async () => {
    const locked = await startRedis('--requirepass', 'sesame')
    const at = (login: string, database = '2'): RedisStore => {
      const url = locked.url.replace('redis://', `redis://${login}`).replace(/0$/, database)
      const store = new RedisStore({ url, today: Date.now })
      stores.push(store)
      return store
    }
    await at(':sesame@').check()
    await expect(at(':wrong@').check()).rejects.toThrow(/the store says: WRONGPASS/)
    await expect(at('').check()).rejects.toThrow(/NOAUTH/)
    await expect(at(':sesame@', '99').check()).rejects.toThrow(/out of range/)
    await locked.stop()
  })
})

describe('a store that is not there', () => {
  const seen: string[] = []
  const observer = {
    fault: () => seen.push('fault'),
    gone: (why: string) => seen.push(`gone: ${why}`),
    back: () => seen.push('back'),
  }
  const limits = { requestsPerMinute: 1 }

  function guarded(mode: 'open' | 'closed', server: RunningRedis): GuardedStore {
    seen.length = 0
    const clock = { now: () => performance.now(), today: Date.now }
    const store = new GuardedStore({
      store: new RedisStore({ url: server.url, today: Date.now, commandMs: 200 }),
      meanwhile: mode === 'open' ? new MemoryStore(clock) : null,
      observer,
    })
    stores.push(store)
    return store
  }

  it('open: requests are counted in memory, and what was used is written down when it is back', async () => {
    const server = await startRedis()
    const store = guarded('open', server)
    const key = newKey()
    takenBy(await store.claim(claim(key, { limits })))
    await server.stop()
    const meanwhile = claim(key, { limits })
    const taken = takenBy(await store.claim(meanwhile))
    expect(await store.claim(claim(key, { limits }))).toMatchObject({ is: 'refused', by: 'requests' })
    await store.settle({ claim: meanwhile, taken, tokens: 5, used: used(key, { input: 5 }) })
    expect(seen.filter((each) => each !== 'fault')).toEqual([
      expect.stringMatching(/^gone: the store at 127/),
    ])
    await server.start()
    await expect
      .poll(async () => (await store.claim(claim(newKey(), { limits }))) && seen.includes('back'), {
        timeout: 5000,
      })
      .toBe(true)
    await expect
      .poll(async () => (await store.usage('2026-11-16')).filter((row) => row.key === key), { timeout: 5000 })
      .toEqual([used(key, { input: 5 })])
    await server.stop()
  })

  it('open: what was let through meanwhile counts in the minute of the store when it is back', async () => {
    const server = await startRedis()
    const store = guarded('open', server)
    const wide = { requestsPerMinute: 3, tokensPerMinute: 1000 }
    const key = newKey()
    await server.stop()
    const underWay = claim(key, { limits: wide, tokens: 400 })
    const taken = takenBy(await store.claim(underWay))
    takenBy(await store.claim(claim(key, { limits: wide, tokens: 300 })))
    await server.start()
    await expect
      .poll(async () => (await store.claim(claim(newKey(), { limits }))) && seen.includes('back'), {
        timeout: 5000,
      })
      .toBe(true)
    const other = new RedisStore({ url: server.url, today: Date.now })
    stores.push(other)
    const left = async (): Promise<unknown> => {
      // It is larger than what is left, and so it takes nothing.
      const verdict = await other.claim(claim(key, { limits: wide, tokens: 301 }))
      return [verdict.is, verdict.left.requests?.remaining, verdict.left.tokens?.remaining]
    }
    await expect.poll(left, { timeout: 5000 }).toEqual(['refused', 1, 300])
    await store.settle({ claim: underWay, taken, tokens: 450, used: used(key) })
    await expect.poll(left, { timeout: 5000 }).toEqual(['refused', 1, 250])
    await server.stop()
  })

  it('closed: nobody is let through', async () => {
    const server = await startRedis()
    const store = guarded('closed', server)
    const key = newKey()
    await server.stop()
    await expect(store.claim(claim(key, { limits }))).rejects.toThrow(StoreFault)
    // Whoever has no limit is not kept waiting for it.
    takenBy(await store.claim(claim(key)))
  })

  it('slow: nobody waits longer than the time-out, and after it nobody waits at all', async () => {
    const server = await startRedis()
    const store = guarded('open', server)
    takenBy(await store.claim(claim(newKey(), { limits })))
    server.freeze()
    const took = async (): Promise<number> => {
      const began = performance.now()
      takenBy(await store.claim(claim(newKey(), { limits })))
      return performance.now() - began
    }
    const first = await took()
    expect(first).toBeGreaterThan(150)
    expect(first).toBeLessThan(1000)
    expect(await took()).toBeLessThan(50)
    server.thaw()
    await expect
      .poll(async () => (await store.claim(claim(newKey(), { limits }))) && seen.includes('back'), {
        timeout: 5000,
      })
      .toBe(true)
    await server.stop()
  })

  it('full: it says so, and counts as gone', async () => {
    const server = await startRedis('--maxmemory-policy', 'noeviction')
    await server.command('CONFIG', 'SET', 'maxmemory', '1000')
    const store = guarded('closed', server)
    await expect(store.claim(claim(newKey(), { limits }))).rejects.toThrow(/the store says: .*OOM/)
    expect(seen).toContain('fault')
    await server.stop()
  })

  it('no Redis at all: what answers there is told', async () => {
    const web = createServer().listen(0, '127.0.0.1')
    await once(web, 'listening')
    const address = web.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const store = new RedisStore({ url: `redis://127.0.0.1:${port}/0`, today: Date.now })
    stores.push(store)
    await expect(store.check()).rejects.toThrow(/what answers is not Redis/)
    web.close()
    web.closeAllConnections()
  })
})
