import { describe, expect, it } from 'vitest'
import { MemoryStore } from '../../src/quotas/memory-store.ts'
import {
  type Claim,
  nothingUsed,
  type Settlement,
  type UsageRow,
  type Verdict,
} from '../../src/quotas/store.ts'

/** A store with a clock that stands still until it is moved on. */
function storeAt(today = Date.UTC(2026, 10, 16, 12)) {
  let passed = 0
  const store = new MemoryStore({ now: () => passed, today: () => today + passed })
  return {
    store,
    pass: (milliseconds: number) => {
      passed += milliseconds
    },
  }
}

let lastId = 0
function claim(more: Partial<Claim> = {}): Claim {
  return { id: `request-${++lastId}`, key: 'ada', limits: {}, tokens: 0, budget: null, ...more }
}

function granted(verdict: Verdict) {
  if (verdict.is !== 'granted') throw new Error(`refused by ${verdict.by}`)
  return verdict.taken
}

function used(more: Partial<UsageRow> = {}): UsageRow {
  return { ...nothingUsed, day: '2026-11-16', key: 'ada', model: 'm', upstream: 'lab', requests: 1, ...more }
}

function settlement(
  claimed: Claim,
  verdict: Verdict,
  tokens: number,
  row: UsageRow | null = used(),
): Settlement {
  return { claim: claimed, taken: granted(verdict), tokens, used: row }
}

describe('counting in memory', () => {
  it('gives up what it counted in the last minute, by how long ago it was', async () => {
    const { store, pass } = storeAt()
    const limits = { requestsPerMinute: 2, tokensPerMinute: 100 }
    granted(await store.claim(claim({ limits, tokens: 10 })))
    pass(30_000)
    granted(await store.claim(claim({ limits, tokens: 20 })))
    pass(35_000)
    expect(store.takeLatest()).toEqual([
      { key: 'ada', requests: [{ ago: 35, count: 1 }], tokens: [{ ago: 35, count: 20 }] },
    ])
    expect(store.takeLatest()).toEqual([])
    expect((await store.claim(claim({ limits }))).left.requests?.remaining).toBe(1)
  })

  it('refuses a request beyond the limit, and says for how long', async () => {
    const { store, pass } = storeAt()
    const limits = { requestsPerMinute: 2 }
    granted(await store.claim(claim({ limits })))
    pass(10_000)
    const second = await store.claim(claim({ limits }))
    expect(second.left.requests).toEqual({ limit: 2, remaining: 0, resetIn: 60_000 })
    expect(await store.claim(claim({ limits }))).toMatchObject({
      is: 'refused',
      by: 'requests',
      wait: 50_000,
    })
    pass(50_000)
    granted(await store.claim(claim({ limits })))
  })

  it('keeps the keys apart', async () => {
    const { store } = storeAt()
    const limits = { requestsPerMinute: 1 }
    granted(await store.claim(claim({ limits })))
    granted(await store.claim(claim({ limits, key: 'bob' })))
    expect((await store.claim(claim({ limits }))).is).toBe('refused')
  })

  it('puts the tokens that were used in the place of those that were expected', async () => {
    const { store } = storeAt()
    const limits = { tokensPerMinute: 1000 }
    const first = claim({ limits, tokens: 800 })
    const taken = await store.claim(first)
    expect(await store.claim(claim({ limits, tokens: 300 }))).toMatchObject({ is: 'refused', by: 'tokens' })
    await store.settle(settlement(first, taken, 500))
    const second = claim({ limits, tokens: 300 })
    const more = await store.claim(second)
    expect(more.left.tokens).toMatchObject({ remaining: 200 })
    await store.settle(settlement(second, more, 700))
    expect((await store.claim(claim({ limits, tokens: 1 }))).left.tokens).toMatchObject({ remaining: 0 })
  })

  it('lets one request through that is larger than the limit, where nothing else was used', async () => {
    const { store } = storeAt()
    const limits = { tokensPerMinute: 1000 }
    granted(await store.claim(claim({ limits, tokens: 5000 })))
    expect(await store.claim(claim({ limits, tokens: 1 }))).toMatchObject({ is: 'refused', wait: 60_000 })
  })

  it('counts requests under way until they are over', async () => {
    const { store } = storeAt()
    const limits = { concurrent: 1 }
    const first = claim({ limits })
    const taken = await store.claim(first)
    expect(await store.claim(claim({ limits }))).toMatchObject({
      is: 'refused',
      by: 'concurrent',
      wait: 1000,
    })
    await store.settle(settlement(first, taken, 0))
    granted(await store.claim(claim({ limits })))
  })

  it('spends a budget on what requests cost, until the next day begins', async () => {
    const { store, pass } = storeAt()
    const budget = { nano: 1000, cost: 400, per: 'day' } as const
    const first = claim({ budget })
    const taken = await store.claim(first)
    await store.settle(settlement(first, taken, 0, used({ cost: 900 })))
    const verdict = await store.claim(claim({ budget: { ...budget, cost: 101 } }))
    expect(verdict).toMatchObject({ is: 'refused', by: 'budget', wait: 12 * 3_600_000 })
    granted(await store.claim(claim({ budget: { ...budget, cost: 100 } })))
    pass(12 * 3_600_000)
    granted(await store.claim(claim({ budget })))
  })

  it('adds up what was used, by day, key, model and upstream', async () => {
    const { store } = storeAt()
    const settle = async (row: UsageRow): Promise<void> => {
      const asked = claim()
      await store.settle(settlement(asked, await store.claim(asked), 0, row))
    }
    await settle(used({ input: 10, cached: 4, output: 3, reasoning: 1, cost: 7 }))
    await settle(used({ input: 1, output: 2, problems: 1, failures: 1 }))
    await settle(used({ model: 'other' }))
    await settle(used({ day: '2026-11-15' }))
    expect(await store.usage('2026-11-16')).toEqual([
      used({ requests: 2, input: 11, cached: 4, output: 5, reasoning: 1, cost: 7, problems: 1, failures: 1 }),
      used({ model: 'other' }),
    ])
    expect(await store.usage('2026-11-15')).toHaveLength(3)
  })
})
