import type { Environment } from '../../config/interpolate.ts'

/** The base address of a collector, for all that it collects. */
export const endpoint = 'OTEL_EXPORTER_OTLP_ENDPOINT'
/** The whole address for traces, which wins. */
export const tracesEndpoint = 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'

/** Whether there can be traces at all. It is asked at every start, before anything else of this folder is loaded. */
export function mayTrace(env: Environment): boolean {
  return [endpoint, tracesEndpoint].some((name) => (env[name]?.trim() ?? '') !== '')
}
