import type { JSX, TargetedKeyboardEvent } from 'preact'
import { useMemo, useRef } from 'preact/hooks'
import { indexAt, rowStarts } from '../model/rows.ts'
import { oneLine } from '../model/visible.ts'
import type { Reading, SourceSpan } from '../reading/protocol.ts'
import { eventOf, type Focus, focusOn, spansIn, Stretch, useColumns } from './stretch.tsx'
import { VirtualList } from './virtual-list.tsx'

interface SourceViewProps {
  readonly reading: Reading
  readonly focus: Focus
  readonly label: string
}

const ROW_HEIGHT = 21
/** Pixels of a row that the text does not get: padding, and the scroll bar. */
const TAKEN = 34

/** What the model wrote, each character in the colour of what it became. */
export function SourceView({ reading, focus, label }: SourceViewProps): JSX.Element {
  const { text, trace } = reading
  const { spans, places } = trace
  const { frame, columns } = useColumns(TAKEN)
  const starts = useMemo(() => rowStarts(text, columns), [text, columns])
  const spanStarts = useMemo(() => spans.map(({ from }) => from), [spans])
  const remarks = useMemo(() => remarksOf(trace), [trace])
  const remarkStarts = useMemo(() => remarks.map(({ from }) => from), [remarks])
  /** The span that the arrow keys have come to. An event may have several, with others between them. */
  const walked = useRef<number | null>(null)
  const chosen = focus.chosen.value
  const place = chosen === null ? undefined : places[chosen]

  const move = (step: number): void => {
    const last = walked.current
    const isThere = last !== null && chosen !== null && spans[last]?.event === chosen
    const first = step > 0 ? -1 : spans.length
    const from = isThere ? last : chosen === null ? first : spans.findIndex((span) => span.event === chosen)
    for (let next = from + step; next >= 0 && next < spans.length; next += step) {
      const span = spans[next]
      // Markup belongs to what it encloses, which has characters of its own.
      if (span === undefined || span.event === null || span.kind === 'markup' || span.event === chosen)
        continue
      walked.current = next
      focus.chosen.value = span.event
      return
    }
  }

  const onKeyDown = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    if (event.key === 'ArrowRight' || event.key === 'ArrowLeft') {
      event.preventDefault()
      move(event.key === 'ArrowRight' ? 1 : -1)
    } else if (event.key === 'Escape' && chosen !== null) {
      event.stopPropagation()
      focus.chosen.value = null
    }
  }

  return (
    <div
      ref={frame}
      class="source"
      onMouseOver={(event) => (focus.hovered.value = eventOf(event.target))}
      onMouseLeave={() => (focus.hovered.value = null)}
      onClick={(event) => (focus.chosen.value = eventOf(event.target) ?? focus.chosen.value)}
    >
      <VirtualList
        class="source-rows"
        label={label}
        count={starts.length}
        rowHeight={ROW_HEIGHT}
        seen={place === undefined ? null : indexAt(starts, place.from)}
        onKeyDown={onKeyDown}
        row={(index) => {
          const from = starts[index] ?? 0
          const to = starts[index + 1] ?? text.length
          const near = remarksNear(remarks, remarkStarts, from, to, to === text.length)
          return (
            <div key={index} class="source-row">
              {partsIn(spansIn(spans, spanStarts, from, to), near, from, to).map((part) =>
                'point' in part ? (
                  <Point key={`point ${part.point.event}`} point={part.point} focus={focus} />
                ) : (
                  <Stretch
                    key={part.from}
                    span={part.span}
                    text={text.slice(part.from, part.to)}
                    focus={focus}
                    title={titleOf(part.span, part.remark)}
                    mark={part.remark === undefined ? '' : markOf(part.remark, focus)}
                  />
                ),
              )}
            </div>
          )
        }}
      />
    </div>
  )
}

/** A problem or a repair, where it happened. */
function Point({ point, focus }: { readonly point: Remark; readonly focus: Focus }): JSX.Element {
  return (
    <span
      class={`point point-${point.type}${focusOn(point.event, focus)}`}
      data-event={point.event}
      title={sentenceOf(point)}
    >
      {point.type === 'problem' ? '!' : '~'}
    </span>
  )
}

/** A problem or a repair, and the characters that it speaks of: none where it is a point. */
interface Remark {
  readonly from: number
  readonly to: number
  readonly event: number
  readonly type: 'problem' | 'repair'
  readonly code: string
  readonly message: string
}

function remarksOf({ events, places }: Reading['trace']): Remark[] {
  const remarks = events.flatMap((event, index) => {
    if (event.type !== 'problem' && event.type !== 'repair') return []
    const { type, code, message } = event
    const { from = 0, to = from } = places[index] ?? {}
    return [{ from, to, event: index, type, code, message }]
  })
  return remarks.toSorted((a, b) => a.from - b.from)
}

/** How many remarks before a row are looked at, whether they reach into it. */
const MOST_BEFORE = 100

/** The remarks that begin in a row or reach into it. Behind the last character stands what is told of the end. */
function remarksNear(
  remarks: readonly Remark[],
  starts: readonly number[],
  from: number,
  to: number,
  isLast: boolean,
): readonly Remark[] {
  if (remarks.length === 0) return remarks
  const last = indexAt(starts, isLast ? to : to - 1)
  const found: Remark[] = []
  for (let at = last, before = 0; at >= 0 && before < MOST_BEFORE; at--) {
    const remark = remarks[at]
    if (remark === undefined) break
    if (remark.from < from) before++
    if (remark.from >= from || remark.to > from) found.unshift(remark)
  }
  return found.filter((remark) => remark.from < to || (isLast && remark.from === to))
}

type RowPart =
  | {
      readonly span: SourceSpan
      readonly from: number
      readonly to: number
      readonly remark: Remark | undefined
    }
  | { readonly point: Remark }

/** The spans of a row, cut where a remark begins or ends. */
function partsIn(
  spans: readonly SourceSpan[],
  remarks: readonly Remark[],
  from: number,
  to: number,
): RowPart[] {
  const parts: RowPart[] = []
  const cuts = remarks.flatMap((remark) => [remark.from, remark.to])
  let next = remarks.findIndex((remark) => remark.from >= from)
  const passPoints = (until: number): void => {
    for (
      let point = remarks[next];
      next >= 0 && point !== undefined && point.from <= until;
      point = remarks[++next]
    ) {
      parts.push({ point })
    }
  }
  for (const span of spans) {
    const last = Math.min(to, span.to)
    for (let at = Math.max(from, span.from); at < last;) {
      passPoints(at)
      const stop = cuts.reduce((least, cut) => (cut > at && cut < least ? cut : least), last)
      const start = at
      const remark = remarks.findLast((each) => each.from <= start && each.to >= stop)
      parts.push({ span, from: at, to: stop, remark })
      at = stop
    }
  }
  passPoints(to)
  return parts
}

function markOf({ type, event }: Remark, focus: Focus): string {
  return `${type === 'problem' ? ' has-problem' : ''}${focusOn(event, focus)}`
}

function titleOf({ kind, call, event }: SourceSpan, remark: Remark | undefined): string {
  return [
    kind,
    call === null ? '' : `call ${call}`,
    event === null ? '' : `event ${event}`,
    remark === undefined ? '' : sentenceOf(remark),
  ]
    .filter((part) => part !== '')
    .join(' · ')
}

function sentenceOf({ code, message }: Remark): string {
  return oneLine(`${code}: ${message}`, 1000)
}
