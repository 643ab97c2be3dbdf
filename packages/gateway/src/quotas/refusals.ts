import { type DialectId, dialects, type RateLimit } from '@dragoman/core'
import type { Refusal } from '../base/refusal.ts'
import type { Budget, KeyLimits } from '../config/config.ts'
import { nextPeriod } from './budget-period.ts'
import type { Allowances, LimitName, Verdict } from './store.ts'

type Refused = Extract<Verdict, { is: 'refused' }>

/** What a client is told whose key is at one of its limits. SDKs wait as long as they are told, or do not ask again. */
export function limitRefusal(
  { by, wait, left }: Refused,
  { limits, budget }: { readonly limits?: KeyLimits; readonly budget?: Budget },
  dialect: DialectId,
  today: number,
): Refusal {
  const retryAfter = Math.max(1, Math.ceil(wait / 1000))
  const headers = limitHeaders(left, dialect, today)
  if (by === 'budget' && budget !== undefined) {
    const anew = new Date(nextPeriod(today, budget.per)).toISOString()
    const message = `The budget of this key is spent: ${budget.usd} USD a ${budget.per}. It begins anew at ${anew}.`
    // What is spent is spent until then: asking again after a while, as SDKs do by themselves, would not help.
    const final = { ...headers, 'x-should-retry': 'false' }
    return {
      failure: { kind: 'rate-limit', code: 'insufficient_quota', message, retryAfter },
      headers: final,
    }
  }
  const message = `${sentences[by](limits ?? {})} Please try again in ${retryAfter}s.`
  return { failure: { kind: 'rate-limit', code: 'rate_limit_exceeded', message, retryAfter }, headers }
}

const sentences: Readonly<Record<LimitName, (limits: KeyLimits) => string>> = {
  requests: ({ requestsPerMinute }) => `This key may make ${requestsPerMinute} requests a minute.`,
  tokens: ({ tokensPerMinute }) => `This key may use ${tokensPerMinute} tokens a minute.`,
  budget: () => 'The budget of this key is spent.',
  concurrent: ({ concurrent }) => `This key may have ${concurrent} requests under way at one time.`,
}

/** The store is gone, and nobody may be let through uncounted. */
export const storeGone: Refusal = {
  failure: {
    kind: 'overloaded',
    code: 'store_unavailable',
    message: 'The store in which the use of keys is counted does not answer.',
    retryAfter: 1,
  },
  status: 503,
}

/** How much of the limits is left, in the headers that the SDKs of the dialect read. */
export function limitHeaders(left: Allowances, dialect: DialectId, today: number): Record<string, string> {
  const { rateLimits } = dialects[dialect].http
  return Object.fromEntries(limitsIn(left, today).map((limit) => rateLimits.write(limit, today)))
}

function limitsIn(left: Allowances, today: number): RateLimit[] {
  return (['requests', 'tokens'] as const).flatMap((unit): RateLimit[] => {
    const allowance = left[unit]
    if (allowance === undefined) return []
    return [
      { unit, is: 'limit', count: String(allowance.limit) },
      { unit, is: 'remaining', count: String(allowance.remaining) },
      { unit, is: 'reset', at: today + allowance.resetIn },
    ]
  })
}
