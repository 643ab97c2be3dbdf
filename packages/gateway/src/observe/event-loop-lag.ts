import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Gauge, type Registry } from 'prom-client'

/** How often the lag of the event loop is measured. At the default, ten times as often, an idle process never sleeps. */
const STEP_MS = 100

/**
 * Measures by how much timers are late. What Node counts is the time between two of them, so that a process in which
 * nothing runs would show a lag of a whole step: the step is taken off.
 */
export function registerLag(registry: Registry): void {
  const histogram = monitorEventLoopDelay({ resolution: STEP_MS })
  histogram.enable()
  const gauges = figures.map(({ name, help, aggregator, read }) => {
    const fullName = `dragoman_nodejs_eventloop_lag_${name}_seconds`
    // The library has registered its own under this name.
    registry.removeSingleMetric(fullName)
    return { gauge: new Gauge({ name: fullName, help, aggregator, registers: [registry] }), read }
  })
  const [first] = gauges
  if (first === undefined) return
  // All of them are read together, as the histogram begins anew then.
  Object.assign(first.gauge, {
    collect: () => {
      for (const { gauge, read } of gauges) {
        const late = read(histogram) / 1e9 - STEP_MS / 1000
        gauge.set(Number.isFinite(late) ? Math.max(0, late) : 0)
      }
      histogram.reset()
    },
  })
}

type Histogram = ReturnType<typeof monitorEventLoopDelay>

const figures: readonly {
  readonly name: string
  readonly help: string
  readonly aggregator: 'min' | 'max' | 'average'
  readonly read: (histogram: Histogram) => number
}[] = [
  { name: 'min', help: 'The smallest delay of the event loop.', aggregator: 'min', read: ({ min }) => min },
  { name: 'max', help: 'The largest delay of the event loop.', aggregator: 'max', read: ({ max }) => max },
  {
    name: 'mean',
    help: 'The mean delay of the event loop.',
    aggregator: 'average',
    read: ({ mean }) => mean,
  },
  ...[50, 90, 99].map((percent) => ({
    name: `p${percent}`,
    help: `The delay of the event loop that ${percent} of 100 are below.`,
    aggregator: 'average' as const,
    read: (histogram: Histogram) => histogram.percentile(percent),
  })),
]
