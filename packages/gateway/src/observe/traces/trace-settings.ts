import type { Environment } from '../../config/interpolate.ts'
import { endpoint, tracesEndpoint } from './may-trace.ts'

/** Where spans are sent, and which. It comes from the variables that OpenTelemetry has for this, and from nothing else. */
export interface TraceSettings {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** How long the collector may take to answer, in milliseconds. */
  readonly timeout: number
  /** How many spans wait at most to be sent. */
  readonly queueSize: number
  /** How many spans are sent together at most. */
  readonly batchSize: number
  /** How long a span waits at most for others, in milliseconds. */
  readonly delay: number
  readonly sampler: Sampler
  readonly resource: ReadonlyMap<string, string>
  readonly content: 'captured' | 'left out'
}

export interface Sampler {
  /** The share of traces that begin here and are kept. */
  readonly root: number
  /** Whether the decision of the client counts for its traces. */
  readonly parent: 'decides' | 'ignored'
}

export interface ReadTraceSettings {
  /** Null where no traces are wanted, or where nobody says where to send them. */
  readonly settings: TraceSettings | null
  /** What a variable says that we cannot do. */
  readonly warnings: readonly string[]
}

export function traceSettings(env: Environment): ReadTraceSettings {
  const warnings: string[] = []
  const read = new Variables(env, warnings)
  const address = addressIn(read)
  if (address === undefined || isOff(read)) return { settings: null, warnings }
  const url = URL.canParse(address.url) ? new URL(address.url) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    return { settings: null, warnings: [`${address.name} is no address of a collector; no traces are sent`] }
  }
  const protocol = read.text('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? read.text('OTEL_EXPORTER_OTLP_PROTOCOL')
  if (protocol === 'grpc') {
    warnings.push(
      'OTEL_EXPORTER_OTLP_PROTOCOL is grpc; traces are sent over HTTP, for which collectors have port 4318',
    )
  }
  const queueSize = read.count('OTEL_BSP_MAX_QUEUE_SIZE', 2048)
  const settings: TraceSettings = {
    url,
    headers: {
      ...read.pairs('OTEL_EXPORTER_OTLP_HEADERS', lowerCase),
      ...read.pairs('OTEL_EXPORTER_OTLP_TRACES_HEADERS', lowerCase),
    },
    timeout: read.count(
      'OTEL_EXPORTER_OTLP_TRACES_TIMEOUT',
      read.count('OTEL_EXPORTER_OTLP_TIMEOUT', 10_000),
    ),
    queueSize,
    batchSize: Math.min(queueSize, read.count('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512)),
    delay: read.count('OTEL_BSP_SCHEDULE_DELAY', 5000),
    sampler: samplerIn(read),
    resource: resourceIn(read),
    content: capturesContent(read) ? 'captured' : 'left out',
  }
  return { settings, warnings }
}

function addressIn(read: Variables): { readonly name: string; readonly url: string } | undefined {
  const traces = read.text(tracesEndpoint)
  if (traces !== undefined) return { name: tracesEndpoint, url: traces }
  const base = read.text(endpoint)
  if (base === undefined) return undefined
  return { name: endpoint, url: `${base.replace(/\/+$/, '')}/v1/traces` }
}

function isOff(read: Variables): boolean {
  const exporters = read.text('OTEL_TRACES_EXPORTER')?.split(',') ?? ['otlp']
  return read.text('OTEL_SDK_DISABLED')?.toLowerCase() === 'true' || !exporters.includes('otlp')
}

type Samplers = Readonly<Record<string, (ratio: number) => Sampler>>

const samplers: Samplers = {
  always_on: () => ({ root: 1, parent: 'ignored' }),
  always_off: () => ({ root: 0, parent: 'ignored' }),
  traceidratio: (root) => ({ root, parent: 'ignored' }),
  parentbased_always_on: () => ({ root: 1, parent: 'decides' }),
  parentbased_always_off: () => ({ root: 0, parent: 'decides' }),
  parentbased_traceidratio: (root) => ({ root, parent: 'decides' }),
}

function samplerIn(read: Variables): Sampler {
  const name = read.text('OTEL_TRACES_SAMPLER') ?? 'parentbased_always_on'
  const make = Object.hasOwn(samplers, name) ? samplers[name] : undefined
  if (make === undefined) read.warn(`OTEL_TRACES_SAMPLER: ${name} is not known; every trace is kept`)
  return make?.(read.ratio('OTEL_TRACES_SAMPLER_ARG')) ?? { root: 1, parent: 'decides' }
}

function resourceIn(read: Variables): ReadonlyMap<string, string> {
  const name = read.text('OTEL_SERVICE_NAME')
  return new Map(
    Object.entries({
      'service.name': 'dragoman',
      ...read.pairs('OTEL_RESOURCE_ATTRIBUTES', (key) => key),
      ...(name === undefined ? {} : { 'service.name': name }),
    }),
  )
}

/** The variable was a truth value first, and later the place where the content is wanted. Ours is in spans. */
function capturesContent(read: Variables): boolean {
  const wish = read.text('OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT')?.toLowerCase()
  return wish === 'true' || wish === '1' || wish === 'span_only' || wish === 'span_and_event'
}

/** A variable that is empty counts as one that is not set. */
class Variables {
  private readonly env: Environment
  private readonly warnings: string[]

  constructor(env: Environment, warnings: string[]) {
    this.env = env
    this.warnings = warnings
  }

  warn(message: string): void {
    this.warnings.push(message)
  }

  text(name: string): string | undefined {
    const value = this.env[name]?.trim()
    return value === '' ? undefined : value
  }

  count(name: string, otherwise: number): number {
    const value = this.text(name)
    if (value === undefined) return otherwise
    const count = Number(value)
    if (Number.isInteger(count) && count > 0 && count < 2 ** 31) return count
    this.warn(`${name}: ${value} is no count; it is ${otherwise}`)
    return otherwise
  }

  ratio(name: string): number {
    const value = this.text(name)
    const ratio = Number(value ?? 1)
    if (ratio >= 0 && ratio <= 1) return ratio
    this.warn(`${name}: ${value} is no number from 0 to 1; it is 1`)
    return 1
  }

  /** `a=1,b=2`, with the values written as in an address. */
  pairs(name: string, spelled: (key: string) => string): Record<string, string> {
    const items = this.text(name)?.split(',') ?? []
    const pairs = items.flatMap((item): [string, string][] => {
      const at = item.indexOf('=')
      const key = item.slice(0, Math.max(0, at)).trim()
      if (item.trim() === '') return []
      if (key !== '') return [[spelled(key), decoded(item.slice(at + 1).trim())]]
      // The value may be a key of somebody's account.
      this.warn(`${name} has a part without a name; it is left out`)
      return []
    })
    return Object.fromEntries(pairs)
  }
}

function lowerCase(name: string): string {
  return name.toLowerCase()
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}
