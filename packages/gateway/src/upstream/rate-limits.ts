import type { IncomingHttpHeaders } from 'node:http'
import type { Dialect } from '../base/dialect.ts'

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
export function rateLimitsFor(dialect: Dialect, limits: RateLimits, now: number): Record<string, string> {
  const translate = dialect === 'anthropic-messages' ? forAnthropic : forChat
  return Object.fromEntries(Object.entries(limits).map((header) => translate(header, now)))
}

type Header = [name: string, value: string]

function forAnthropic(header: Header, now: number): Header {
  const [, what, unit] = /^x-ratelimit-(limit|remaining|reset)-(requests|tokens)$/.exec(header[0]) ?? []
  if (what === undefined) return header
  const value = what === 'reset' ? timeAfter(header[1], now) : header[1]
  return value === undefined ? header : [`anthropic-ratelimit-${unit}-${what}`, value]
}

function forChat(header: Header, now: number): Header {
  const [, unit, what] =
    /^anthropic-ratelimit-(requests|tokens)-(limit|remaining|reset)$/.exec(header[0]) ?? []
  if (what === undefined) return header
  const value = what === 'reset' ? spanUntil(header[1], now) : header[1]
  return value === undefined ? header : [`x-ratelimit-${what}-${unit}`, value]
}

/** OpenAI states a span such as `6m0s`, Anthropic a point in time. */
function timeAfter(span: string, now: number): string | undefined {
  const parts =
    /^(?=\d)(?:(\d{1,4})h)?(?:(\d{1,6})m)?(?:(\d{1,8}(?:\.\d+)?)s)?(?:(\d{1,9}(?:\.\d+)?)ms)?$/.exec(span)
  if (parts === null) return undefined
  const [hours, minutes, seconds, milliseconds] = parts.slice(1).map((part) => Number(part ?? '0'))
  const all = (((hours ?? 0) * 60 + (minutes ?? 0)) * 60 + (seconds ?? 0)) * 1000 + (milliseconds ?? 0)
  return new Date(now + all).toISOString()
}

function spanUntil(time: string, now: number): string | undefined {
  const at = Date.parse(time)
  return Number.isNaN(at) ? undefined : `${Math.max(0, Math.ceil((at - now) / 1000))}s`
}
