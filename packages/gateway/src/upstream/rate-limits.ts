import type { IncomingHttpHeaders } from 'node:http'
import { type DialectId, dialectIds, dialects } from '@dragoman/core'

/** Headers in which an upstream says how much may still be asked, and when. They are meant for the client. */
export type RateLimits = Readonly<Record<string, string>>

const passedName = /^(?:retry-after(?:-ms)?|x-should-retry|(?:x|anthropic)-ratelimit-[a-z-]+)$/
/** A character that a header cannot hold would make the whole answer fail. */
const plainText = /^[\t -~]*$/

/** The rate limits in the headers of an upstream, or undefined where there are none, which is the usual case. */
export function rateLimitsIn(headers: IncomingHttpHeaders): RateLimits | undefined {
  let found: Record<string, string> | undefined
  for (const name of Object.keys(headers)) {
    if (!passedName.test(name)) continue
    const value = headers[name]
    if (typeof value === 'string' && plainText.test(value)) (found ??= {})[name] = value
  }
  return found
}

/** The limits under the names that the SDKs of a dialect know. A limit without such a name keeps its own. */
export function rateLimitsFor(dialect: DialectId, limits: RateLimits, now: number): Record<string, string> {
  const others = dialectIds.filter((id) => id !== dialect).map((id) => dialects[id].http.rateLimits)
  const translated = Object.entries(limits).map(([name, value]) => {
    const [limit] = others.flatMap((other) => other.read(name, value, now) ?? [])
    return limit === undefined ? [name, value] : dialects[dialect].http.rateLimits.write(limit, now)
  })
  return Object.fromEntries(translated)
}
