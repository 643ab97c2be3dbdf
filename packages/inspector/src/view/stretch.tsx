import type { JSX, RefObject } from 'preact'
import type { Signal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import { indexAt } from '../model/rows.ts'
import type { SourceSpan } from '../reading/protocol.ts'
import { ShownText } from './shown-text.tsx'

/** Which event is looked at, by whichever list or text one points at it. */
export interface Focus {
  /** Under the pointer. */
  readonly hovered: Signal<number | null>
  /** Chosen by a click or a key. */
  readonly chosen: Signal<number | null>
}

/** What a stretch of text is, and the event that it belongs to. */
export interface Span {
  readonly from: number
  readonly to: number
  readonly kind: SourceSpan['kind']
  readonly event: number | null
}

interface StretchProps {
  readonly span: Span
  readonly text: string
  readonly focus: Focus
  readonly title: string
  /** How it is marked beside its colour. */
  readonly mark?: string
}

/** A stretch of text in the colour of what it became. */
export function Stretch({ span, text, focus, title, mark = '' }: StretchProps): JSX.Element {
  const endsLine = text.endsWith('\n')
  return (
    <span
      class={`k k-${span.kind}${mark}${focusOn(span.event, focus)}`}
      data-event={span.event ?? undefined}
      title={title}
    >
      <ShownText text={endsLine ? text.slice(0, -1) : text} />
      {endsLine ? <span class="line-end">⏎</span> : null}
    </span>
  )
}

export function focusOn(event: number | null, { hovered, chosen }: Focus): string {
  if (event === null) return ''
  return `${event === chosen.value ? ' is-chosen' : ''}${event === hovered.value ? ' is-hovered' : ''}`
}

/** The event of the stretch that the pointer is on. */
export function eventOf(target: EventTarget | null): number | null {
  const element = target instanceof Element ? target.closest('[data-event]') : null
  return element instanceof HTMLElement ? Number(element.dataset['event']) : null
}

/** The spans that are seen between two places. `starts`: where each of them begins. */
export function spansIn<Each extends Span>(
  spans: readonly Each[],
  starts: readonly number[],
  from: number,
  to: number,
): readonly Each[] {
  const found: Each[] = []
  for (let at = indexAt(starts, from); at < spans.length; at++) {
    const span = spans[at]
    if (span === undefined || span.from >= to) break
    if (span.to > from) found.push(span)
  }
  return found
}

/** How many characters fit into a row of the frame, beside `taken` pixels; it changes with the width. */
export function useColumns(taken: number): { frame: RefObject<HTMLDivElement | null>; columns: number } {
  const frame = useRef<HTMLDivElement>(null)
  const [columns, setColumns] = useState(80)
  useEffect(() => {
    const { current } = frame
    if (current === null) return undefined
    const ruler = document.createElement('span')
    ruler.className = 'ruler'
    ruler.textContent = '0'.repeat(100)
    current.append(ruler)
    const measure = (): void => {
      const width = ruler.getBoundingClientRect().width / 100
      if (width > 0) setColumns(Math.max(20, Math.floor((current.clientWidth - taken) / width)))
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(current)
    return () => {
      observer.disconnect()
      ruler.remove()
    }
  }, [])
  return { frame, columns }
}
