import type { BudgetPeriod, KeyLimits } from '../config/config.ts'

/** Where use is counted. Whoever asks it may be one of several processes; each question is one step that no other divides. */
export interface QuotaStore {
  /** Takes what a request will need, or says what is in its way. Throws a `StoreFault` where it cannot be asked. */
  claim(claim: Claim): Promise<Verdict>
  /** Puts right what was taken, once it is known what was used. */
  settle(settlement: Settlement): Promise<void>
  /** What was used since the day, which is written `2026-11-16`. */
  usage(since: string): Promise<readonly UsageRow[]>
  close(): Promise<void>
}

/** A store that takes over what was counted elsewhere while it could not be asked. */
export interface SharedStore extends QuotaStore {
  addLatest(latest: LatestUse): Promise<void>
}

/** A store that counts in the place of another, and gives up what it has when that one is back. */
export interface StandIn extends QuotaStore {
  /** What was let through in the last minute. It counts here no longer. */
  takeLatest(): readonly LatestUse[]
}

/** What a key took of its limits in the last minute. */
export interface LatestUse {
  readonly key: string
  readonly requests: readonly UseInSecond[]
  readonly tokens: readonly UseInSecond[]
}

export interface UseInSecond {
  /** How many seconds ago it was, so that it means the same by another clock. */
  readonly ago: number
  readonly count: number
}

/** The store cannot be asked, or does not answer as it should. */
export class StoreFault extends Error {
  override readonly name = 'StoreFault'
}

/** What a request is expected to need. */
export interface Claim {
  /** The id of the request. */
  readonly id: string
  /** The name of the key; empty where there are no keys. */
  readonly key: string
  readonly limits: KeyLimits
  readonly tokens: number
  /** Null where the key may spend what it wants. */
  readonly budget: ClaimedBudget | null
}

export interface ClaimedBudget {
  /** What may be spent in the period, and what the request is expected to cost, both in billionths of a dollar. */
  readonly nano: number
  readonly cost: number
  readonly per: BudgetPeriod
}

export type Verdict = {
  /** How much of the limits is left. */
  readonly left: Allowances
} & (
  | {
      readonly is: 'granted'
      /** What was taken, so that it can be put right. */
      readonly taken: Taken
    }
  | { readonly is: 'refused'; readonly by: LimitName; readonly wait: number }
)

/** `wait` beside it is how many milliseconds it takes until the limit lets such a request through. */
export type LimitName = 'requests' | 'tokens' | 'concurrent' | 'budget'

/** Left out where there is no such limit. */
export interface Allowances {
  readonly requests?: Allowance
  readonly tokens?: Allowance
}

export interface Allowance {
  readonly limit: number
  readonly remaining: number
  /** Milliseconds until nothing of it is used. */
  readonly resetIn: number
}

export interface Taken {
  /** The second in which it was taken, by the clock of the store. */
  readonly slot: number
  readonly tokens: number
  readonly cost: number
  /** The period that pays, such as `2026-11`. Null without a budget. */
  readonly period: string | null
}

export interface Settlement {
  readonly claim: Claim
  /** Null where the request was let through while the store could not be asked. */
  readonly taken: Taken | null
  /** What counts towards the limit of tokens. */
  readonly tokens: number
  /** Null for a request that reached no upstream. */
  readonly used: UsageRow | null
}

/** What one key used of one model at one upstream on one day. */
export interface UsageRow extends UsageCounts {
  /** Such as `2026-11-16`, in UTC. */
  readonly day: string
  readonly key: string
  /** As the upstream calls it. */
  readonly model: string
  readonly upstream: string
}

export interface UsageCounts {
  readonly requests: number
  /** Tokens of prompts. */
  readonly input: number
  /** Those of them that came from a cache. */
  readonly cached: number
  readonly output: number
  /** Those of the output that were reasoning. */
  readonly reasoning: number
  /** Billionths of a dollar. */
  readonly cost: number
  /** Problems in what models wrote. */
  readonly problems: number
  /** Requests that failed. */
  readonly failures: number
}

export const countNames = [
  'requests',
  'input',
  'cached',
  'output',
  'reasoning',
  'cost',
  'problems',
  'failures',
] as const satisfies readonly (keyof UsageCounts)[]

export const nothingUsed: UsageCounts = {
  requests: 0,
  input: 0,
  cached: 0,
  output: 0,
  reasoning: 0,
  cost: 0,
  problems: 0,
  failures: 0,
}

export function sumOf(one: UsageCounts, other: UsageCounts): UsageCounts {
  return {
    requests: one.requests + other.requests,
    input: one.input + other.input,
    cached: one.cached + other.cached,
    output: one.output + other.output,
    reasoning: one.reasoning + other.reasoning,
    cost: one.cost + other.cost,
    problems: one.problems + other.problems,
    failures: one.failures + other.failures,
  }
}
