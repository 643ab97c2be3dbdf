import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { ExchangeSummary, StageChunk } from '../api.ts'
import { duration, exact } from '../model/numbers.ts'
import { oneLine } from '../model/visible.ts'
import { type Arrival, arrivalsOf, isPing } from '../model/waterfall.ts'
import type { BothReadings } from '../reading/protocol.ts'
import { VirtualList } from './virtual-list.tsx'

interface TimelineProps {
  readonly summary: ExchangeSummary
  readonly upstream: readonly StageChunk[]
  readonly client: readonly StageChunk[]
  /** The text of the model that each chunk brought. */
  readonly saidTexts: BothReadings['saidTexts']
  readonly gotTexts: BothReadings['gotTexts']
}

const ROW_HEIGHT = 26
/** A silence that a person notices. */
const LONG_GAP = 1000

/** Every chunk by the time it came: first byte, gaps and pings are seen at once. */
export function Timeline({ summary, upstream, client, saidTexts, gotTexts }: TimelineProps): JSX.Element {
  const arrivals = useMemo(() => arrivalsOf(upstream, client), [upstream, client])
  const end = Math.max(summary.durationMs ?? 0, arrivals.at(-1)?.at ?? 0, 1)
  const longest = arrivals.reduce(
    (most, { gap, lane }) => (lane === 'upstream' ? Math.max(most, gap) : most),
    0,
  )
  if (arrivals.length === 0)
    return <p class="empty empty-page">No times were written down for this exchange.</p>
  return (
    <section class="panel timeline" aria-label="Timeline">
      <header class="panel-head">
        <h2>Timeline</h2>
        <dl class="facts">
          <Fact name="First byte" value={duration(summary.firstByteMs)} />
          <Fact name="Duration" value={duration(summary.durationMs)} />
          <Fact name="Longest silence" value={duration(longest)} />
          <Fact name="Chunks" value={`${exact(upstream.length)} in, ${exact(client.length)} out`} />
        </dl>
      </header>
      <Overview arrivals={arrivals} end={end} />
      <VirtualList
        class="arrivals"
        label="Chunks in the order in which they came"
        count={arrivals.length}
        rowHeight={ROW_HEIGHT}
        row={(index) => {
          const arrival = arrivals[index]
          if (arrival === undefined) return null
          const { lane, at, gap, bytes } = arrival
          const raw = (lane === 'upstream' ? upstream : client)[arrival.index]?.text ?? ''
          const text = (lane === 'upstream' ? saidTexts : gotTexts)[arrival.index] ?? null
          const isSign = isPing(raw)
          const from = ((at - gap) / end) * 100
          return (
            <div
              key={index}
              class={`arrival is-${lane}${isSign ? ' is-ping' : ''}${gap >= LONG_GAP ? ' is-late' : ''}`}
            >
              <span class="number">{duration(at)}</span>
              <span class="arrival-lane">{lane === 'upstream' ? '← upstream' : '→ client'}</span>
              <span class="arrival-bar" title={`${duration(gap)} after the one before`}>
                <span
                  class="arrival-gap"
                  style={{ left: `${from}%`, width: `${Math.max(0.3, (gap / end) * 100)}%` }}
                />
              </span>
              <span class="number">{exact(bytes)} B</span>
              <span class={`arrival-text${text === null ? ' hint' : ''}`}>
                {isSign ? 'ping' : oneLine(text ?? raw.slice(0, 200), 120)}
              </span>
            </div>
          )
        }}
      />
    </section>
  )
}

function Fact({ name, value }: { readonly name: string; readonly value: string }): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}

/** So many columns show how much came when. */
const COLUMNS = 240

interface OverviewProps {
  readonly arrivals: readonly Arrival[]
  readonly end: number
}

function Overview({ arrivals, end }: OverviewProps): JSX.Element {
  const lanes = useMemo(() => {
    const heights = {
      upstream: Array.from({ length: COLUMNS }, () => 0),
      client: Array.from({ length: COLUMNS }, () => 0),
    }
    for (const { lane, at, bytes } of arrivals) {
      const column = Math.min(COLUMNS - 1, Math.floor((at / end) * COLUMNS))
      heights[lane][column] = (heights[lane][column] ?? 0) + bytes
    }
    return heights
  }, [arrivals, end])
  const most = Math.max(1, ...lanes.upstream, ...lanes.client)
  const bars = (heights: readonly number[], y: (height: number) => number, kind: string): JSX.Element[] =>
    heights.flatMap((height, column) => {
      if (height === 0) return []
      const tall = Math.max(1.5, Math.sqrt(height / most) * 26)
      return [
        <rect key={`${kind} ${column}`} class={kind} x={column} y={y(tall)} width={0.8} height={tall} />,
      ]
    })
  return (
    <div class="overview">
      <ul class="overview-lanes" aria-hidden="true">
        <li class="is-upstream">← from upstream</li>
        <li class="is-client">→ to client</li>
      </ul>
      <svg
        viewBox={`0 0 ${COLUMNS} 60`}
        preserveAspectRatio="none"
        role="img"
        aria-label="How much came from the upstream, above, and went to the client, below, over time"
      >
        <line x1="0" y1="30" x2={COLUMNS} y2="30" class="overview-axis" />
        {bars(lanes.upstream, (tall) => 29 - tall, 'lane-upstream')}
        {bars(lanes.client, () => 31, 'lane-client')}
      </svg>
      <div class="overview-times hint">
        {[0, 1, 2, 3, 4].map((quarter) => (
          <span key={quarter}>{quarter === 0 ? '0' : duration((end / 4) * quarter)}</span>
        ))}
      </div>
    </div>
  )
}
