import type { Failure } from '@dragoman/core'
import type { RouteMatch } from './route-table.ts'
import { reject, type Rejection } from '../security/gatekeeper.ts'

const soon = { 'retry-after': '1' }

export const shuttingDown = reject(
  503,
  'overloaded',
  'gateway_shutdown',
  'The gateway is shutting down.',
  soon,
)

export const tooMany = reject(
  503,
  'overloaded',
  'too_many_requests',
  'Too many requests are under way.',
  soon,
)

/** What is left of the body may still come: the connection is of no use any more. */
export const lateBody = reject(
  408,
  'timeout',
  'request_timeout',
  'The body of the request did not come in time.',
  { connection: 'close' },
)

export function modelNotFound(model: string): Failure {
  return { kind: 'not-found', code: 'model_not_found', message: `There is no model "${model}".` }
}

export function rejectRoute(found: Exclude<RouteMatch, { is: 'route' }>, url: string): Rejection {
  if (found.is === 'unknown') {
    // Most of the time the base address is wrong, which shows here. What stands behind a `?` may be a secret.
    const path = url.split('?', 1)[0]?.slice(0, 100) ?? ''
    return reject(404, 'not-found', 'unknown_route', `There is no such route: ${path}`)
  }
  const message = `This route takes ${found.allow}.`
  return reject(405, 'invalid-request', 'method_not_allowed', message, { allow: found.allow })
}
