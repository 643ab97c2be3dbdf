import { AggregatorRegistry, collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

/** What the gateway counts. Labels are few and bounded: names that a client can invent are none of them. */
export interface Metrics {
  requestEnded(request: RequestMeasure): void
  toolCalls(format: string, outcome: 'complete' | 'incomplete', count: number): void
  problem(format: string, code: string): void
  upstreamError(kind: string): void
  dropped(sink: 'log' | 'record', count?: number): void
  /** How much it holds is counted until it is closed. */
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

/** Requests are counted when somebody asks, or when there are so many: many at once take a fraction of the time. */
const MOST_UNCOUNTED = 256

/** How often the lag of the event loop is measured: ten times as often, by default, an idle process would never sleep. */
const LAG_STEP_MS = 100

const seconds = [0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600]
const overhead = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5]

export interface MetricsOptions {
  /** Asks for the sums over all processes that share the work; null where they cannot be had. */
  readonly gather?: () => Promise<string | null>
}

export function createMetrics(version: string, { gather }: MetricsOptions = {}): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({
    register: registry,
    prefix: 'dragoman_',
    eventLoopMonitoringPrecision: LAG_STEP_MS,
  })
  const registers = [registry]
  const ended: RequestMeasure[] = []
  const countEnded = (): void => {
    for (const request of ended.splice(0)) countOne(request)
  }
  const requests = new Counter({
    name: 'dragoman_requests_total',
    help: 'Requests answered.',
    labelNames: ['route', 'status'],
    registers,
    // The first of them that is asked: those below are asked after it.
    collect: countEnded,
  })
  const duration = new Histogram({
    name: 'dragoman_request_duration_seconds',
    help: 'From the request to the last byte of its answer.',
    labelNames: ['route'],
    buckets: seconds,
    registers,
  })
  const firstEvent = new Histogram({
    name: 'dragoman_time_to_first_event_seconds',
    help: 'From the request to the first byte of its answer.',
    labelNames: ['route'],
    buckets: seconds,
    registers,
  })
  const added = new Histogram({
    name: 'dragoman_overhead_seconds',
    help: 'What the gateway added before the first byte.',
    labelNames: ['route'],
    buckets: overhead,
    registers,
  })
  const detected = new Counter({
    name: 'dragoman_formats_detected_total',
    help: 'Answers in which calls were read, by the format they were written in.',
    labelNames: ['format'],
    registers,
  })
  const calls = new Counter({
    name: 'dragoman_tool_calls_total',
    help: 'Tool calls, by format and outcome.',
    labelNames: ['format', 'outcome'],
    registers,
  })
  const problems = new Counter({
    name: 'dragoman_parse_problems_total',
    help: 'Problems in what models wrote.',
    labelNames: ['format', 'code'],
    registers,
  })
  const upstreamErrors = new Counter({
    name: 'dragoman_upstream_errors_total',
    help: 'Calls of upstreams that failed.',
    labelNames: ['kind'],
    registers,
  })
  const dropped = new Counter({
    name: 'dragoman_dropped_total',
    help: 'Log lines and recordings dropped because they could not be written fast enough.',
    labelNames: ['sink'],
    registers,
  })
  // A rate over a series that begins with its first drop does not see that drop.
  for (const sink of ['log', 'record']) dropped.inc({ sink }, 0)
  const parsers = new Set<HoldingParser>()
  const held: Gauge = new Gauge({
    name: 'dragoman_parser_held_bytes',
    help: 'Text of answers that is held back until it is known whether it is a call.',
    registers,
    collect: () => {
      held.set([...parsers].reduce((sum, { heldBytes }) => sum + heldBytes, 0))
    },
  })
  let streams = 0
  const active: Gauge = new Gauge({
    name: 'dragoman_streams_active',
    help: 'Answers being sent.',
    registers,
    collect: () => active.set(streams),
  })
  new Gauge({
    name: 'dragoman_build_info',
    help: 'The version that runs.',
    labelNames: ['version'],
    aggregator: 'first',
    registers,
  }).set({ version }, 1)
  if (gather !== undefined) answerGathering(registry)

  function countOne({ route, status, format, ...took }: RequestMeasure): void {
    requests.inc({ route, status })
    duration.observe({ route }, took.seconds)
    if (took.secondsToFirstEvent !== null) firstEvent.observe({ route }, took.secondsToFirstEvent)
    if (took.overheadSeconds !== null) added.observe({ route }, took.overheadSeconds)
    if (format !== null) detected.inc({ format })
  }

  return {
    requestEnded(request) {
      ended.push(request)
      if (ended.length >= MOST_UNCOUNTED) countEnded()
    },
    toolCalls: (format, outcome, count) => {
      if (count > 0) calls.inc({ format, outcome }, count)
    },
    problem: (format, code) => problems.inc({ format, code }),
    upstreamError: (kind) => upstreamErrors.inc({ kind }),
    dropped: (sink, count = 1) => dropped.inc({ sink }, count),
    parserOpened: (parser) => void parsers.add(parser),
    parserClosed: (parser) => void parsers.delete(parser),
    streamOpened: () => void streams++,
    streamClosed: () => void streams--,
    expose: async () => {
      const sums = gather === undefined ? null : await gather()
      return { contentType: registry.contentType, text: sums ?? (await registry.metrics()) }
    },
  }
}

/** In a worker: its share of the sums, whenever the process above asks for it. */
function answerGathering(registry: Registry): void {
  AggregatorRegistry.setRegistries([registry])
  // Made for what its constructor does: it listens for the question.
  void new AggregatorRegistry()
}
