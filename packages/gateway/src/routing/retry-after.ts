import type { Failure } from '@dragoman/core'
import type { RateLimits } from '../upstream/rate-limits.ts'

/** No upstream is left alone for longer, whatever it says. */
const LONGEST_MS = 86_400_000

/** How many milliseconds an upstream wants to be left alone; undefined where it does not say. `today`: since 1970. */
export function retryAfter(
  limits: RateLimits | undefined,
  { retryAfter: told }: Pick<Failure, 'retryAfter'>,
  today: number,
): number | undefined {
  const exact = Number(limits?.['retry-after-ms'] ?? NaN)
  const wait = exact >= 0 ? exact : (inHeader(limits?.['retry-after'], today) ?? secondsToMs(told))
  return wait === undefined ? undefined : Math.min(Math.max(0, wait), LONGEST_MS)
}

/** Seconds, or the time of day when they are over. */
function inHeader(value: string | undefined, today: number): number | undefined {
  if (value === undefined) return undefined
  if (/^\d+(?:\.\d+)?$/.test(value.trim())) return Number(value) * 1000
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : at - today
}

function secondsToMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000
}
