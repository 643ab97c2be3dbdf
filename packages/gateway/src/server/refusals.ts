import type { RouteMatch } from './route-table.ts'
import type { Itinerary } from '../routing/routing.ts'
import { type Refusal, refusal } from '../base/refusal.ts'

const soon = { 'retry-after': '1' }

export const shuttingDown = refusal(
  503,
  'overloaded',
  'gateway_shutdown',
  'The gateway is shutting down.',
  soon,
)

export const tooMany = refusal(
  503,
  'overloaded',
  'too_many_requests',
  'Too many requests are under way.',
  soon,
)

export const noRoomForBody = refusal(
  503,
  'overloaded',
  'too_many_requests',
  'The bodies of the requests under way take all the room there is for them (limits.bodiesBytes).',
  soon,
)

/** The rest of the body may still arrive, so the connection cannot be used for another request. */
export const lateBody = refusal(
  408,
  'timeout',
  'request_timeout',
  'The body of the request did not come in time.',
  { connection: 'close' },
)

export function modelNotFound(model: string): Refusal {
  return refusal(404, 'not-found', 'model_not_found', `There is no model "${model}".`)
}

/** No upstream of a model may be asked now. The client is told how long that will be so. */
export function everyoneOut({ wait }: Pick<Itinerary, 'wait'>): Refusal {
  return {
    failure: {
      kind: wait.isRateLimit ? 'rate-limit' : 'overloaded',
      code: 'upstreams_out',
      message: 'No upstream of this model may be asked now: each has failed, or asked to be left alone.',
      retryAfter: Math.max(1, Math.ceil(wait.milliseconds / 1000)),
    },
  }
}

export function inspectorOff(why: string): Refusal {
  return refusal(404, 'not-found', 'inspector_off', why)
}

export function refuseRoute(found: Exclude<RouteMatch, { is: 'route' }>, url: string): Refusal {
  if (found.is === 'unknown') {
    // The path helps users to find a wrong base address. The query is left out, as it may hold a secret.
    const path = url.split('?', 1)[0]?.slice(0, 100) ?? ''
    return refusal(404, 'not-found', 'unknown_route', `There is no such route: ${path}`)
  }
  const message = `This route takes ${found.allow}.`
  return refusal(405, 'invalid-request', 'method_not_allowed', message, { allow: found.allow })
}
