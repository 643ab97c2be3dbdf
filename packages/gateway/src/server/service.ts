import { readFile } from 'node:fs/promises'
import type { GatewayConfig } from '../config/config.ts'
import type { Environment } from '../config/interpolate.ts'
import { secretsOf } from '../config/secrets-of.ts'
import { mayTrace } from '../observe/traces/may-trace.ts'
import { createLogger, type ServiceLogger } from '../observe/logger.ts'
import type { Metrics } from '../observe/metrics.ts'
import type { InspectorWorld } from '../inspection/inspector.ts'
import { FollowingRecorder } from '../recorder/recorder.ts'
import { createRedactor, type Redactor } from '../security/redact.ts'
import type { BuiltInServer, Upstreams } from '../upstream/upstreams.ts'
import { Gateway } from './gateway.ts'
import type { RequestLogWorld } from './request-log.ts'
import type { Traces } from './traces.ts'

/** A gateway with its log and its recordings, and with the secrets that neither of them may hold. */
export interface Service {
  readonly address: string
  readonly logger: ServiceLogger
  /** What is known of the upstreams. */
  readonly upstreams: Pick<Upstreams, 'settled' | 'models'>
  /** New requests follow the new configuration; those under way keep theirs. */
  reconfigure(config: GatewayConfig): void
  /** Waits for the requests under way, and closes everything. */
  drain(): Promise<void>
}

export interface ServiceOptions {
  readonly metrics: Metrics
  readonly now: () => number
  /** Whether people read the log on a terminal. */
  readonly isTerminal: boolean
  /** How many processes share the work. */
  readonly workers: number
  /** Starts the server that answers where no upstream is configured. */
  readonly startSimulator: () => Promise<BuiltInServer>
  /** What traces depend on. Left out, there are none. */
  readonly tracing?: { readonly env: Environment; readonly version: () => Promise<string> }
  /** Undefined where there is no inspector. */
  readonly inspector?: InspectorWorld | undefined
}

/** Starts a gateway, and resolves when it listens. */
export async function startService(
  config: GatewayConfig,
  { metrics, now, isTerminal, workers, startSimulator, inspector, tracing }: ServiceOptions,
): Promise<Service> {
  const secrets = new Set(secretsOf(config))
  let redactor = createRedactor([...secrets])
  const redact = (text: string): string => redactor(text)
  const logger = createLogger({
    config: config.log,
    redact,
    isTerminal,
    onDrop: (lines) => metrics.dropped('log', lines),
  })
  const recorders = new FollowingRecorder(config.record, {
    redact,
    now: Date.now,
    writers: workers,
    onDrop: () => metrics.dropped('record'),
    onFault: (message) => logger.warn({ message }, 'recordings cannot be written'),
  })
  const connections = await connectionLimit()
  const traces = await tracesFor(tracing, { logger, metrics, now, redact })
  const gateway = new Gateway(config, {
    logger,
    metrics,
    now,
    redact,
    recorders,
    traces,
    connections,
    startSimulator,
    inspector,
  })
  const address = await gateway.listen().catch(async (error: unknown) => {
    await logger.close()
    throw error
  })
  gateway.lookAround()
  return {
    address,
    logger,
    upstreams: gateway.upstreams,
    reconfigure: (next) => {
      // Requests under way still use the old secrets.
      for (const secret of secretsOf(next)) secrets.add(secret)
      redactor = createRedactor([...secrets])
      logger.reconfigure(next.log)
      recorders.reconfigure(next.record)
      gateway.reconfigure(next)
      gateway.lookAround()
    },
    drain: async () => {
      await gateway.drain()
      await recorders.close()
      await traces?.close()
      await logger.close()
    },
  }
}

/** What sends traces is loaded only where somebody wants them. */
async function tracesFor(
  tracing: ServiceOptions['tracing'],
  world: RequestLogWorld & { readonly redact: Redactor },
): Promise<Traces | undefined> {
  if (tracing === undefined || !mayTrace(tracing.env)) return undefined
  const { openTraces } = await import('./traces.ts')
  return openTraces(tracing.env, await tracing.version(), world)
}

/** The descriptors that are left for files and for connections that are not of clients. */
const OTHER_DESCRIPTORS = 64

/**
 * How many clients may be connected. Each of them may need a connection to an upstream too. Without a free descriptor
 * no request could be answered, no recording written, and the process would spin on connections that it cannot
 * accept.
 */
export async function connectionLimit(): Promise<number> {
  // Only Linux shows the limit. On other systems the system itself refuses connections.
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '')
  const descriptors = /^Max open files +(\d+)/m.exec(limits)?.[1]
  if (descriptors === undefined) return Infinity
  return Math.max(1, Math.floor((Number(descriptors) - OTHER_DESCRIPTORS) / 2))
}
