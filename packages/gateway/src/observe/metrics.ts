import { AggregatorRegistry, collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { registerLag } from './event-loop-lag.ts'

/** What the gateway counts. The values of labels come from short fixed lists, never from a client. */
export interface Metrics {
  requestEnded(request: RequestMeasure): void
  toolCalls(format: string, outcome: 'complete' | 'incomplete', count: number): void
  problem(format: string, code: string): void
  upstreamError(kind: string): void
  /** A try of one upstream where others could have been asked. `outcome` is `answered`, or why it failed. */
  upstreamAttempt(upstream: string, outcome: string): void
  dropped(sink: Sink, count?: number): void
  /** The bytes that the parser holds are counted until it is closed. */
  parserOpened(parser: HoldingParser): void
  parserClosed(parser: HoldingParser): void
  streamOpened(): void
  streamClosed(): void
  /** The text that Prometheus reads. */
  expose(): Promise<{ contentType: string; text: string }>
}

export interface HoldingParser {
  readonly heldBytes: number
}

export interface RequestMeasure {
  readonly route: string
  readonly status: number
  readonly seconds: number
  readonly secondsToFirstEvent: number | null
  readonly overheadSeconds: number | null
  readonly format: string | null
}

/** What is given up rather than waited for. */
const sinks = ['log', 'record', 'trace'] as const

type Sink = (typeof sinks)[number]

/**
 * Requests are counted in batches, when somebody asks or when there are this many: a batch takes a fraction of the
 * time.
 */
const MOST_UNCOUNTED = 256

/** The library measures the lag too, which we do ourselves: as seldom as it can. */
const UNUSED_LAG_STEP_MS = 60_000

const seconds = [0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600]
const overhead = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5]

export interface MetricsOptions {
  /** Asks for the sums over all processes that share the work. Resolves to null where there are none. */
  readonly gather?: () => Promise<string | null>
}

export function createMetrics(version: string, { gather }: MetricsOptions = {}): Metrics {
  return new PrometheusMetrics(version, gather)
}

/** Every counter and histogram. Prometheus sees them in this order, behind those of the process. */
function createSeries(registry: Registry, countEnded: () => void) {
  const registers = [registry]
  return {
    requests: new Counter({
      name: 'dragoman_requests_total',
      help: 'Requests answered.',
      labelNames: ['route', 'status'],
      registers,
      // The registry asks this series before the ones below: what waits is counted for all of them.
      collect: countEnded,
    }),
    duration: new Histogram({
      name: 'dragoman_request_duration_seconds',
      help: 'From the request to the last byte of its answer.',
      labelNames: ['route'],
      buckets: seconds,
      registers,
    }),
    firstEvent: new Histogram({
      name: 'dragoman_time_to_first_event_seconds',
      help: 'From the request to the first byte of its answer.',
      labelNames: ['route'],
      buckets: seconds,
      registers,
    }),
    overhead: new Histogram({
      name: 'dragoman_overhead_seconds',
      help: 'What the gateway added before the first byte.',
      labelNames: ['route'],
      buckets: overhead,
      registers,
    }),
    formats: new Counter({
      name: 'dragoman_formats_detected_total',
      help: 'Answers in which calls were read, by the format they were written in.',
      labelNames: ['format'],
      registers,
    }),
    calls: new Counter({
      name: 'dragoman_tool_calls_total',
      help: 'Tool calls, by format and outcome.',
      labelNames: ['format', 'outcome'],
      registers,
    }),
    problems: new Counter({
      name: 'dragoman_parse_problems_total',
      help: 'Problems in what models wrote.',
      labelNames: ['format', 'code'],
      registers,
    }),
    upstreamErrors: new Counter({
      name: 'dragoman_upstream_errors_total',
      help: 'Calls of upstreams that failed.',
      labelNames: ['kind'],
      registers,
    }),
    attempts: new Counter({
      name: 'dragoman_upstream_attempts_total',
      help: 'Tries of upstreams where there was a choice, by what became of them.',
      labelNames: ['upstream', 'outcome'],
      registers,
    }),
    dropped: new Counter({
      name: 'dragoman_dropped_total',
      help: 'Log lines, recordings and spans dropped because they could not be written or sent fast enough.',
      labelNames: ['sink'],
      registers,
    }),
  }
}

class PrometheusMetrics implements Metrics {
  private readonly registry = new Registry()
  private readonly gather: MetricsOptions['gather']
  private readonly series: ReturnType<typeof createSeries>
  private readonly ended: RequestMeasure[] = []
  private readonly parsers = new Set<HoldingParser>()
  private streams = 0

  constructor(version: string, gather: MetricsOptions['gather']) {
    const { registry } = this
    this.gather = gather
    collectDefaultMetrics({
      register: registry,
      prefix: 'dragoman_',
      eventLoopMonitoringPrecision: UNUSED_LAG_STEP_MS,
    })
    registerLag(registry)
    this.series = createSeries(registry, () => this.countEnded())
    // A series that begins with its first drop has no rate that shows this drop.
    for (const sink of sinks) this.series.dropped.inc({ sink }, 0)
    this.registerGauges(version)
    if (gather !== undefined) answerGathering(registry)
  }

  requestEnded(request: RequestMeasure): void {
    this.ended.push(request)
    if (this.ended.length >= MOST_UNCOUNTED) this.countEnded()
  }

  toolCalls(format: string, outcome: 'complete' | 'incomplete', count: number): void {
    if (count > 0) this.series.calls.inc({ format, outcome }, count)
  }

  problem(format: string, code: string): void {
    this.series.problems.inc({ format, code })
  }

  upstreamError(kind: string): void {
    this.series.upstreamErrors.inc({ kind })
  }

  upstreamAttempt(upstream: string, outcome: string): void {
    this.series.attempts.inc({ upstream, outcome })
  }

  dropped(sink: Sink, count = 1): void {
    this.series.dropped.inc({ sink }, count)
  }

  parserOpened(parser: HoldingParser): void {
    this.parsers.add(parser)
  }

  parserClosed(parser: HoldingParser): void {
    this.parsers.delete(parser)
  }

  streamOpened(): void {
    this.streams++
  }

  streamClosed(): void {
    this.streams--
  }

  async expose(): Promise<{ contentType: string; text: string }> {
    const sums = await this.gather?.()
    return { contentType: this.registry.contentType, text: sums ?? (await this.registry.metrics()) }
  }

  /** Gauges are read when somebody asks for them. */
  private registerGauges(version: string): void {
    const registers = [this.registry]
    const held: Gauge = new Gauge({
      name: 'dragoman_parser_held_bytes',
      help: 'Text of answers that is held back until it is known whether it is a call.',
      registers,
      collect: () => {
        held.set([...this.parsers].reduce((sum, { heldBytes }) => sum + heldBytes, 0))
      },
    })
    const active: Gauge = new Gauge({
      name: 'dragoman_streams_active',
      help: 'Answers being sent.',
      registers,
      collect: () => active.set(this.streams),
    })
    const build = new Gauge({
      name: 'dragoman_build_info',
      help: 'The version that runs.',
      labelNames: ['version'],
      aggregator: 'first',
      registers,
    })
    build.set({ version }, 1)
  }

  private countEnded(): void {
    const { requests, duration, firstEvent, overhead: added, formats } = this.series
    for (const { route, status, format, ...took } of this.ended.splice(0)) {
      requests.inc({ route, status })
      duration.observe({ route }, took.seconds)
      if (took.secondsToFirstEvent !== null) firstEvent.observe({ route }, took.secondsToFirstEvent)
      if (took.overheadSeconds !== null) added.observe({ route }, took.overheadSeconds)
      if (format !== null) formats.inc({ format })
    }
  }
}

/** A worker sends its share of the sums whenever the process above it asks. */
function answerGathering(registry: Registry): void {
  AggregatorRegistry.setRegistries([registry])
  // The constructor is what registers the listener for that question; the object itself is of no use.
  void new AggregatorRegistry()
}
