import type { Signal } from '@preact/signals'
import type { JSX, TargetedKeyboardEvent } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { indexAt, rowStarts } from '../model/rows.ts'
import type { Reading, SourceSpan } from '../reading/protocol.ts'
import { ShownText } from './shown-text.tsx'
import { VirtualList } from './virtual-list.tsx'

/** Which event is looked at, by whichever list or text one points at it. */
export interface Focus {
  /** Under the pointer. */
  readonly hovered: Signal<number | null>
  /** Chosen by a click or a key. */
  readonly chosen: Signal<number | null>
}

interface SourceViewProps {
  readonly reading: Reading
  readonly focus: Focus
  readonly label: string
}

const ROW_HEIGHT = 21

/** What the model wrote, each character in the colour of what it became. */
export function SourceView({ reading, focus, label }: SourceViewProps): JSX.Element {
  const { text, trace } = reading
  const { spans, places } = trace
  const frame = useRef<HTMLDivElement>(null)
  const [columns, setColumns] = useState(80)
  useEffect(() => observeColumns(frame.current, setColumns), [])
  const starts = useMemo(() => rowStarts(text, columns), [text, columns])
  const spanStarts = useMemo(() => spans.map(({ from }) => from), [spans])
  const points = useMemo(() => pointsOf(trace), [trace])
  const chosen = focus.chosen.value
  const place = chosen === null ? undefined : places[chosen]

  const move = (step: number): void => {
    const events = spans.map(({ event }) => event)
    const at =
      chosen === null
        ? step > 0
          ? -1
          : events.length
        : step > 0
          ? events.lastIndexOf(chosen)
          : events.indexOf(chosen)
    for (let next = at + step; next >= 0 && next < events.length; next += step) {
      const event = events[next]
      if (event === null || event === undefined || event === chosen) continue
      focus.chosen.value = event
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
          return (
            <div key={index} class="source-row">
              {partsIn(spansIn(spans, spanStarts, from, to), points, from, to, text.length).map((part) =>
                'point' in part ? (
                  <Point key={`point ${part.point.event}`} point={part.point} focus={focus} />
                ) : (
                  <Stretch
                    key={part.from}
                    span={part.span}
                    text={text.slice(part.from, part.to)}
                    focus={focus}
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

interface StretchProps {
  readonly span: SourceSpan
  readonly text: string
  readonly focus: Focus
}

function Stretch({ span, text, focus }: StretchProps): JSX.Element {
  const endsLine = text.endsWith('\n')
  return (
    <span
      class={`k k-${span.kind}${focusOn(span.event, focus)}`}
      data-event={span.event ?? undefined}
      title={titleOf(span)}
    >
      <ShownText text={endsLine ? text.slice(0, -1) : text} />
      {endsLine ? <span class="line-end">⏎</span> : null}
    </span>
  )
}

/** A problem or a repair, where it happened. */
function Point({ point, focus }: { readonly point: SourcePoint; readonly focus: Focus }): JSX.Element {
  return (
    <span
      class={`point point-${point.type}${focusOn(point.event, focus)}`}
      data-event={point.event}
      title={`${point.code}: ${point.message}`}
    >
      {point.type === 'problem' ? '!' : '~'}
    </span>
  )
}

function focusOn(event: number | null, { hovered, chosen }: Focus): string {
  if (event === null) return ''
  return `${event === chosen.value ? ' is-chosen' : ''}${event === hovered.value ? ' is-hovered' : ''}`
}

interface SourcePoint {
  readonly at: number
  readonly event: number
  readonly type: 'problem' | 'repair'
  readonly code: string
  readonly message: string
}

function pointsOf({ events, places }: Reading['trace']): SourcePoint[] {
  const points = events.flatMap((event, index) => {
    if (event.type !== 'problem' && event.type !== 'repair') return []
    const { type, code, message } = event
    return [{ at: places[index]?.from ?? 0, event: index, type, code, message }]
  })
  return points.toSorted((a, b) => a.at - b.at)
}

type RowPart =
  | { readonly span: SourceSpan; readonly from: number; readonly to: number }
  | { readonly point: SourcePoint }

/** The spans of a row, cut where a point stands between their characters. */
function partsIn(
  spans: readonly SourceSpan[],
  points: readonly SourcePoint[],
  from: number,
  to: number,
  end: number,
): RowPart[] {
  const parts: RowPart[] = []
  const isLast = to === end
  let next = points.findIndex(({ at }) => at >= from)
  const passPoints = (before: number): void => {
    for (
      let point = points[next];
      next >= 0 && point !== undefined && point.at < before;
      point = points[++next]
    ) {
      parts.push({ point })
    }
  }
  for (const span of spans) {
    const last = Math.min(to, span.to)
    for (let at = Math.max(from, span.from); at < last;) {
      passPoints(at + 1)
      const stop = Math.min(last, next < 0 ? last : (points[next]?.at ?? last))
      parts.push({ span, from: at, to: stop })
      at = stop
    }
  }
  if (isLast) passPoints(end + 1)
  return parts
}

function titleOf({ kind, call, event }: SourceSpan): string {
  return [kind, call === null ? '' : `call ${call}`, event === null ? '' : `event ${event}`]
    .filter((part) => part !== '')
    .join(' · ')
}

function spansIn(
  spans: readonly SourceSpan[],
  starts: readonly number[],
  from: number,
  to: number,
): readonly SourceSpan[] {
  const found: SourceSpan[] = []
  for (let at = indexAt(starts, from); at < spans.length; at++) {
    const span = spans[at]
    if (span === undefined || span.from >= to) break
    if (span.to > from) found.push(span)
  }
  return found
}

function eventOf(target: EventTarget | null): number | null {
  const element = target instanceof Element ? target.closest('[data-event]') : null
  return element instanceof HTMLElement ? Number(element.dataset['event']) : null
}

/** How many characters fit into a row, whenever the width changes. */
function observeColumns(
  frame: HTMLDivElement | null,
  onChange: (columns: number) => void,
): (() => void) | undefined {
  if (frame === null) return undefined
  const ruler = document.createElement('span')
  ruler.className = 'ruler'
  ruler.textContent = '0'.repeat(100)
  frame.append(ruler)
  const measure = (): void => {
    const width = ruler.getBoundingClientRect().width / 100
    if (width > 0) onChange(Math.max(20, Math.floor((frame.clientWidth - 34) / width)))
  }
  measure()
  const observer = new ResizeObserver(measure)
  observer.observe(frame)
  return () => {
    observer.disconnect()
    ruler.remove()
  }
}
