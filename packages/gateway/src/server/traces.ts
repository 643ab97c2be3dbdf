import type { Environment } from '../config/interpolate.ts'
import { openTracing } from '../observe/traces/tracing.ts'
import type { Redactor } from '../security/redact.ts'
import type { RequestLog, RequestLogWorld } from './request-log.ts'
import type { HttpRoute } from './route-table.ts'
import { type TracedRequest, TracedRequestLog } from './traced-request-log.ts'

/** The traces of the requests of a gateway. */
export interface Traces {
  /** The log of a request that is traced. Undefined for all that are no requests for an answer. */
  open(asking: TracedRequest, route: HttpRoute | null, requestId: string): RequestLog | undefined
  /** Sends what waits to be sent, for a limited time. */
  close(): Promise<void>
}

/** Undefined where the environment asks for no traces after all. */
export function openTraces(
  env: Environment,
  version: string,
  world: RequestLogWorld & { readonly redact: Redactor },
): Traces | undefined {
  const { logger, metrics, redact } = world
  const onDrop = (spans: number): void => metrics.dropped('trace', spans)
  const tracing = openTracing({ env, version, logger, redact, onDrop })
  if (tracing === null) return undefined
  return {
    open: (asking, route, requestId) =>
      route !== null && isTraced(route)
        ? new TracedRequestLog(tracing, asking, route, requestId, world)
        : undefined,
    close: () => tracing.close(),
  }
}

function isTraced({ serves }: HttpRoute): boolean {
  return serves === 'answer' || serves === 'compaction'
}
