import type { JSX } from 'preact'
import { useMemo, useRef } from 'preact/hooks'
import type { StageChunk } from '../api.ts'
import { duration } from '../model/numbers.ts'
import { chunkRows, indexAt } from '../model/rows.ts'
import type { Delivered } from '../reading/protocol.ts'
import { ShownText } from './shown-text.tsx'
import { eventOf, type Focus, spansIn, Stretch, useColumns } from './stretch.tsx'
import { VirtualList } from './virtual-list.tsx'

interface BytesViewProps {
  readonly chunks: readonly StageChunk[]
  readonly delivered: readonly Delivered[]
  readonly label: string
  readonly focus: Focus
  /** The event whose bytes are to be seen. */
  readonly event: number | null
  /** `lines`: a row a line, of which the part is shown that says something. */
  readonly shows: 'lines' | 'all'
}

const ROW_HEIGHT = 20
/** Pixels of a row that the text does not get: the time, padding, and the scroll bar. */
const TAKEN = 94
const LONGEST_ROW = 2000

/** The bytes of a stage as they went over the wire. What the model said in them has the colour that it has in the output. */
export function BytesView(props: BytesViewProps): JSX.Element {
  const { chunks, delivered, label, focus, event } = props
  // A whole answer is one line, of which nobody would see the end.
  const isStream = /^(?:data|event|id|retry)?:/.test(chunks[0]?.text ?? '')
  const shows = isStream ? props.shows : 'all'
  const { frame, columns } = useColumns(TAKEN)
  const isPointedAt = useRef(false)
  const text = useMemo(() => chunks.map((chunk) => chunk.text).join(''), [chunks])
  const rows = useMemo(
    () =>
      chunkRows(
        chunks.map((chunk) => chunk.text),
        shows === 'all' ? columns : null,
      ),
    [chunks, columns, shows],
  )
  const starts = useMemo(() => delivered.map(({ from }) => from), [delivered])
  const stretches = useMemo(() => stretchesOf(delivered), [delivered])
  const place = event === null ? undefined : stretches.get(event)
  const first = place === undefined ? -1 : indexAt(rows.starts, place.from)
  const last = place === undefined ? -1 : indexAt(rows.starts, Math.max(place.from, place.to - 1))
  const firstChunk = rows.chunks[first] ?? -1
  const lastChunk = rows.chunks[last] ?? -2
  return (
    <div
      ref={frame}
      class="bytes"
      onMouseEnter={() => (isPointedAt.current = true)}
      onMouseOver={({ target }) => (focus.hovered.value = eventOf(target))}
      onMouseLeave={() => {
        isPointedAt.current = false
        focus.hovered.value = null
      }}
      onClick={({ target }) => (focus.chosen.value = eventOf(target) ?? focus.chosen.value)}
    >
      <VirtualList
        class={chunks.some(({ at }) => at !== null) ? 'chunks' : 'chunks is-timeless'}
        label={label}
        count={rows.starts.length}
        rowHeight={ROW_HEIGHT}
        // What is under the pointer must not run away from it.
        seen={first < 0 || isPointedAt.current ? null : first}
        row={(index) => {
          const from = rows.starts[index] ?? 0
          const to = Math.min(rows.ends[index] ?? from, from + LONGEST_ROW)
          const spans = spansIn(delivered, starts, from, to)
          const begin = shows === 'all' ? from : beginOf(text, spans, from)
          const chunk = rows.chunks[index] ?? 0
          const isFirst = rows.chunks[index - 1] !== chunk
          const isFocused = chunk >= firstChunk && chunk <= lastChunk
          return (
            <div
              key={index}
              class={`chunk-row${isFocused ? ' is-focused' : ''}${isFirst && index > 0 ? ' is-first' : ''}`}
            >
              <span class="chunk-time">{isFirst ? timeOf(chunks[chunk]) : ''}</span>
              <span class="chunk-text">
                {begin > from ? '…' : null}
                {piecesOf(spans, begin, to).map((piece) => {
                  const part = text.slice(piece.from, piece.to).replace(/\n$/, '')
                  return piece.span === null ? (
                    <ShownText key={piece.from} text={part} />
                  ) : (
                    <Stretch
                      key={piece.from}
                      span={piece.span}
                      text={part}
                      focus={focus}
                      title={titleOf(piece.span)}
                    />
                  )
                })}
              </span>
            </div>
          )
        }}
      />
    </div>
  )
}

/** Where a line begins to say something: at the field that has it. */
function beginOf(text: string, [first]: readonly Delivered[], from: number): number {
  if (first === undefined) return from
  const before = text.slice(from, first.from - 1)
  return from + Math.max(before.lastIndexOf('{'), before.lastIndexOf(','), -1) + 1
}

function timeOf(chunk: StageChunk | undefined): string {
  return chunk === undefined || chunk.at === null ? '' : duration(chunk.at)
}

function titleOf({ kind, event }: Delivered): string {
  return event === null ? kind : `${kind} · from event ${event}`
}

/** For each event from where to where its stretches go. */
function stretchesOf(delivered: readonly Delivered[]): Map<number, { from: number; to: number }> {
  const places = new Map<number, { from: number; to: number }>()
  for (const { event, from, to } of delivered) {
    if (event === null) continue
    const place = places.get(event)
    if (place === undefined) places.set(event, { from, to })
    else place.to = to
  }
  return places
}

interface RowPiece {
  readonly from: number
  readonly to: number
  /** Null for what the dialect puts around it. */
  readonly span: Delivered | null
}

function piecesOf(spans: readonly Delivered[], from: number, to: number): RowPiece[] {
  const pieces: RowPiece[] = []
  let at = from
  for (const span of spans) {
    const begin = Math.max(at, span.from)
    const end = Math.min(to, span.to)
    if (begin > at) pieces.push({ from: at, to: begin, span: null })
    if (end > begin) pieces.push({ from: begin, to: end, span })
    at = Math.max(at, end)
  }
  if (at < to) pieces.push({ from: at, to, span: null })
  return pieces
}
