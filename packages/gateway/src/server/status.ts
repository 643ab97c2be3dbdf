import type { GatewayConfig } from '../config/config.ts'
import type { Routing } from '../routing/routing.ts'
import type { LastFailure, Standing, UpstreamHealth } from '../routing/upstream-health.ts'
import type { Redactor } from '../security/redact.ts'

/** `GET /status`: each upstream as this process has found it. */
export function statusOf(
  { upstreams }: GatewayConfig,
  routing: Routing,
  { now, redact }: { readonly now: () => number; readonly redact: Redactor },
): object {
  const all = upstreams === 'simulator' ? [] : [...upstreams.values()]
  return { upstreams: all.map((upstream) => entryOf(routing.healthOf(upstream), now(), redact)) }
}

function entryOf(health: UpstreamHealth, now: number, redact: Redactor): object {
  const { name, inFlight, lastFailure } = health
  return { name, ...stateOf(health, now), inFlight, lastFailure: failureOf(lastFailure, now, redact) }
}

function stateOf({ standing }: UpstreamHealth, now: number): object {
  switch (standing.is) {
    case 'in':
      return { state: 'in', failuresInARow: standing.failures }
    case 'out':
      return { state: 'out', why: reasons[standing.why], backInSeconds: secondsUntil(standing.until, now) }
    case 'on trial':
      return { state: 'on trial' }
  }
}

const reasons: Readonly<Record<Extract<Standing, { is: 'out' }>['why'], string>> = {
  failures: 'failures in a row',
  told: 'Retry-After',
}

function failureOf(failure: LastFailure | null, now: number, redact: Redactor): object | null {
  if (failure === null) return null
  const { cause, code, message, at } = failure
  return { cause, code: redact(code), message: redact(message), secondsAgo: Math.round((now - at) / 1000) }
}

function secondsUntil(until: number, now: number): number {
  return Math.max(0, Math.ceil((until - now) / 1000))
}
