import { randomUUID } from 'node:crypto'
import type { Environment } from '../../config/interpolate.ts'
import type { Redactor } from '../../security/redact.ts'
import type { Logger } from '../logger.ts'
import { Collector } from './collector.ts'
import { SpanQueue } from './span-queue.ts'
import { traceSettings } from './trace-settings.ts'
import { Tracer } from './tracer.ts'

/** The traces of a gateway. */
export interface Tracing {
  readonly tracer: Tracer
  /** Whether what was said is part of a trace. */
  readonly content: 'captured' | 'left out'
  /** Sends the spans that wait, for a limited time. */
  close(): Promise<void>
}

export interface TracingOptions {
  readonly env: Environment
  readonly version: string
  readonly logger: Logger
  /** Takes secrets out of what is sent. */
  readonly redact: Redactor
  readonly onDrop: (spans: number) => void
}

/** Null where the environment asks for no traces after all. */
export function openTracing({ env, version, logger, redact, onDrop }: TracingOptions): Tracing | null {
  const { settings, warnings } = traceSettings(env)
  for (const message of warnings) logger.warn({}, message)
  if (settings === null) return null
  const name = 'dragoman'
  const resource = new Map([
    ['service.version', version],
    // Several processes may share the work, and each of them sends its own spans.
    ['service.instance.id', randomUUID()],
    ...settings.resource,
    ['telemetry.sdk.name', name],
    ['telemetry.sdk.version', version],
    ['telemetry.sdk.language', 'nodejs'],
  ])
  const queue = new SpanQueue({
    settings,
    sender: { resource, scope: { name, version } },
    collector: new Collector(settings),
    redact,
    onDrop,
    onTrouble: (message) =>
      logger.warn({ collector: settings.url.host, reason: message }, 'traces cannot be sent'),
    onRecovery: () => logger.info({ collector: settings.url.host }, 'traces are sent again'),
  })
  const tracer = new Tracer(settings.sampler, (span) => queue.add(span))
  return { tracer, content: settings.content, close: () => queue.close() }
}
