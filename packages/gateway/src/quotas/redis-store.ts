import type { BudgetPeriod } from '../config/config.ts'
import { nextPeriod, periodAt } from './budget-period.ts'
import { CONCURRENT_WAIT_MS } from './memory-store.ts'
import { RedisConnection, type RedisConnectionOptions } from './redis-connection.ts'
import { addLatestScript, claimScript, type RedisScript, renewScript, settleScript } from './redis-scripts.ts'
import { RedisError, type Reply } from './resp.ts'
import {
  type Allowance,
  type Allowances,
  type Claim,
  countNames,
  type LatestUse,
  type LimitName,
  nothingUsed,
  type Settlement,
  type SharedStore,
  StoreFault,
  type UsageCounts,
  type UsageRow,
  type Verdict,
} from './store.ts'

export interface RedisStoreOptions extends RedisConnectionOptions {
  /** Milliseconds since 1970. */
  readonly today: () => number
  /** In front of every key. */
  readonly prefix?: string
}

const PREFIX = 'dragoman'
/** A request that nobody says is under way any more counts no longer. */
const LEASE_MS = 30_000
const RENEW_MS = 10_000
const DAY_SECONDS = 86_400
/** How long what was spent is kept: requests may end a while after their period. */
const SPENT_SECONDS: Readonly<Record<BudgetPeriod, number>> = {
  day: 3 * DAY_SECONDS,
  month: 40 * DAY_SECONDS,
}
const USAGE_SECONDS = 400 * DAY_SECONDS

/** Counts in Redis or Valkey, for all processes that use it. Each decision is one script: one way there and back. */
export class RedisStore implements SharedStore {
  private readonly connection: RedisConnection
  private readonly today: () => number
  private readonly prefix: string
  /** The keys of requests under way that are limited, by their ids. */
  private readonly leases = new Map<string, string>()
  private renewing: NodeJS.Timeout | undefined

  constructor({ today, prefix = PREFIX, ...options }: RedisStoreOptions) {
    this.connection = new RedisConnection(options)
    this.today = today
    this.prefix = prefix
  }

  /** Resolves where the store answers. */
  async check(): Promise<void> {
    await this.ask(['PING'])
  }

  async claim(claim: Claim): Promise<Verdict> {
    const { id, key, limits, tokens, budget } = claim
    const { requestsPerMinute = -1, tokensPerMinute = -1, concurrent = -1 } = limits
    if (budget === null && Object.keys(limits).length === 0) return unlimited
    const today = this.today()
    const period = budget === null ? null : periodAt(today, budget.per)
    const keys = [
      this.keyOf(key, 'requests'),
      this.keyOf(key, 'tokens'),
      this.keyOf(key, 'leases'),
      this.keyOf(key, `spent:${period ?? 'nothing'}`),
    ]
    const wanted = [tokens, budget?.nano ?? -1, budget?.cost ?? 0]
    const terms = [LEASE_MS, CONCURRENT_WAIT_MS, SPENT_SECONDS[budget?.per ?? 'month']]
    const most = [requestsPerMinute, tokensPerMinute, concurrent]
    const reply = await this.run(claimScript, keys, [id, ...most, ...wanted, ...terms])
    const [by, wait, slot, ...counts] = claimReply(reply)
    const left = allowances(claim, counts)
    if (by !== '') {
      const isBudget = by === 'budget' && budget !== null
      return { is: 'refused', by, wait: isBudget ? nextPeriod(today, budget.per) - today : wait, left }
    }
    if (concurrent >= 0) this.lease(id, keys[2] ?? '')
    return { is: 'granted', taken: { slot, tokens, cost: budget?.cost ?? 0, period }, left }
  }

  async settle({ claim, taken, tokens, used }: Settlement): Promise<void> {
    const { id, key, limits, budget } = claim
    this.leases.delete(id)
    const per = budget?.per ?? 'month'
    const period = taken?.period ?? periodAt(this.today(), per)
    const surplus = limits.tokensPerMinute === undefined ? 0 : tokens - (taken?.tokens ?? 0)
    const cost = budget === null ? 0 : (used?.cost ?? 0) - (taken?.cost ?? 0)
    const keys = [
      this.keyOf(key, 'tokens'),
      this.keyOf(key, 'leases'),
      this.keyOf(key, `spent:${period}`),
      this.keyOf(key, `usage:${used?.day ?? 'nothing'}`),
    ]
    const change = [taken?.slot ?? 0, surplus, cost, SPENT_SECONDS[per], USAGE_SECONDS]
    await this.run(settleScript, keys, [id, ...change, ...(used === null ? [] : fieldsOf(used))])
  }

  async addLatest({ key, requests, tokens }: LatestUse): Promise<void> {
    const keys = [this.keyOf(key, 'requests'), this.keyOf(key, 'tokens')]
    const counts = [...requests, ...tokens].flatMap(({ ago, count }) => [ago, count])
    await this.run(addLatestScript, keys, [requests.length, ...counts])
  }

  async usage(since: string): Promise<readonly UsageRow[]> {
    const keys = await this.usageKeys(since)
    const rows = await Promise.all(
      keys.map(async ({ name, key, day }) => rowsIn(texts(await this.ask(['HGETALL', name])), key, day)),
    )
    return rows.flat().toSorted((one, other) => (one.day < other.day ? -1 : Number(one.day > other.day)))
  }

  close(): Promise<void> {
    clearInterval(this.renewing)
    this.connection.close()
    return Promise.resolve()
  }

  private async usageKeys(since: string): Promise<{ name: string; key: string; day: string }[]> {
    const names = new Set<string>()
    const scan = async (cursor: string): Promise<void> => {
      const reply = await this.ask(['SCAN', cursor, 'MATCH', `${this.prefix}:*:usage:*`, 'COUNT', '1000'])
      const [next, found] = Array.isArray(reply) ? reply : []
      for (const name of texts(found)) names.add(name)
      if (typeof next === 'string' && next !== '0') await scan(next)
    }
    await scan('0')
    return [...names].flatMap((name) => {
      const [, key, day] = /:\{(.*)\}:usage:(\d{4}-\d\d-\d\d)$/s.exec(name) ?? []
      return key === undefined || day === undefined || day < since
        ? []
        : [{ name, key: decodeURIComponent(key), day }]
    })
  }

  /** The braces keep all keys of a client together, where a proxy spreads keys over several servers. */
  private keyOf(key: string, what: string): string {
    return `${this.prefix}:{${encodeURIComponent(key)}}:${what}`
  }

  private lease(id: string, key: string): void {
    this.leases.set(id, key)
    this.renewing ??= setInterval(() => this.renew(), RENEW_MS).unref()
  }

  private renew(): void {
    if (this.leases.size === 0) return
    // One that fails is tried again, long before the lease is over.
    this.run(renewScript, [...this.leases.values()], [LEASE_MS, ...this.leases.keys()]).catch(() => {})
  }

  private async run(
    { text, digest }: RedisScript,
    keys: readonly string[],
    values: readonly (string | number)[],
  ): Promise<Reply> {
    const rest = [String(keys.length), ...keys, ...values.map(String)]
    try {
      return await this.connection.command(['EVALSHA', digest, ...rest])
    } catch (error) {
      if (!(error instanceof RedisError) || !error.message.startsWith('NOSCRIPT')) throw asFault(error)
      // The server has never seen the script, or was started anew.
      return this.ask(['EVAL', text, ...rest])
    }
  }

  private async ask(words: readonly string[]): Promise<Reply> {
    try {
      return await this.connection.command(words)
    } catch (error) {
      throw asFault(error)
    }
  }
}

/** Nothing is asked for a key that may do everything. */
const unlimited: Verdict = {
  is: 'granted',
  taken: { slot: 0, tokens: 0, cost: 0, period: null },
  left: {},
}

/** A server that is full, or that only reads, says no: that is as good as one that does not answer. */
function asFault(error: unknown): unknown {
  return error instanceof RedisError ? new StoreFault(`the store says: ${error.message}`) : error
}

const limitNames: ReadonlySet<string> = new Set<LimitName>(['requests', 'tokens', 'concurrent', 'budget'])

function isLimitName(text: string): text is LimitName {
  return limitNames.has(text)
}

function claimReply(reply: Reply): [by: LimitName | '', wait: number, slot: number, ...counts: number[]] {
  const [by, ...numbers] = Array.isArray(reply) ? reply : []
  const [wait, slot, ...counts] = numbers.filter((each) => typeof each === 'number')
  const isRight = typeof by === 'string' && (by === '' || isLimitName(by))
  if (!isRight || wait === undefined || slot === undefined) {
    throw new StoreFault('the store gives an answer that cannot be understood')
  }
  return [by, wait, slot, ...counts]
}

function allowances({ limits }: Claim, counts: readonly number[]): Allowances {
  const { requestsPerMinute, tokensPerMinute } = limits
  const [requestsUsed = 0, requestsReset = 0, tokensUsed = 0, tokensReset = 0] = counts
  return {
    ...(requestsPerMinute === undefined
      ? {}
      : { requests: allowance(requestsPerMinute, requestsUsed, requestsReset) }),
    ...(tokensPerMinute === undefined ? {} : { tokens: allowance(tokensPerMinute, tokensUsed, tokensReset) }),
  }
}

function allowance(limit: number, used: number, resetIn: number): Allowance {
  return { limit, remaining: Math.max(0, limit - used), resetIn }
}

/** One field for each count of a model at an upstream: `["model","upstream","input"]`. */
function fieldsOf(row: UsageRow): (string | number)[] {
  return countNames.flatMap((name) =>
    row[name] === 0 ? [] : [JSON.stringify([row.model, row.upstream, name]), row[name]],
  )
}

function rowsIn(fields: readonly string[], key: string, day: string): UsageRow[] {
  const rows = new Map<string, UsageRow>()
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [model, upstream, name] = texts(JSON.parse(fields[at] ?? '[]'))
    if (model === undefined || upstream === undefined || !isCountName(name)) continue
    const place = JSON.stringify([model, upstream])
    const row = rows.get(place) ?? { ...nothingUsed, day, key, model, upstream }
    rows.set(place, { ...row, [name]: Number(fields[at + 1]) })
  }
  return [...rows.values()]
}

function isCountName(name: string | undefined): name is keyof UsageCounts {
  return countNames.some((each) => each === name)
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}
