import type { ComponentChildren, JSX, TargetedKeyboardEvent } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

interface VirtualListProps {
  readonly count: number
  readonly rowHeight: number
  /** Draws a row. Its element gets the place from the list. */
  readonly row: (index: number) => ComponentChildren
  readonly class: string
  readonly label: string
  /** This row is to be seen, whenever the value changes. */
  readonly seen?: number | null
  /** `listbox`: rows are options, of which one is active. */
  readonly role?: 'listbox' | 'group'
  readonly activeId?: string | undefined
  readonly onKeyDown?: (event: TargetedKeyboardEvent<HTMLDivElement>) => void
}

/** Rows beyond the edge that are drawn too, so that scrolling shows no gap. */
const SPARE = 12

/** Draws only the rows that can be seen: of a hundred thousand some fifty. */
export function VirtualList(props: VirtualListProps): JSX.Element {
  const { count, rowHeight, row, label, seen, role = 'group' } = props
  const box = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ from: 0, rows: 40 })

  const look = (): void => {
    const { current } = box
    if (current === null) return
    const from = Math.floor(current.scrollTop / rowHeight)
    const rows = Math.ceil(current.clientHeight / rowHeight)
    setView((before) => (before.from === from && before.rows === rows ? before : { from, rows }))
  }

  useLayoutEffect(look, [count, rowHeight])
  useEffect(() => {
    const { current } = box
    if (current === null) return undefined
    const observer = new ResizeObserver(look)
    observer.observe(current)
    return () => observer.disconnect()
  }, [rowHeight])
  useLayoutEffect(() => {
    const { current } = box
    if (current === null || seen === undefined || seen === null) return
    const top = seen * rowHeight
    const isAbove = top < current.scrollTop
    const isBelow = top + rowHeight > current.scrollTop + current.clientHeight
    if (isAbove || isBelow) current.scrollTop = Math.max(0, top - current.clientHeight / 3)
    look()
  }, [seen, rowHeight])

  const first = Math.max(0, Math.min(view.from, count) - SPARE)
  const last = Math.min(count, view.from + view.rows + SPARE)
  const rows = Array.from({ length: Math.max(0, last - first) }, (_, offset) => first + offset)
  return (
    <div
      ref={box}
      class={`virtual ${props.class}`}
      role={role}
      aria-label={label}
      aria-activedescendant={role === 'listbox' ? props.activeId : undefined}
      tabIndex={0}
      onScroll={look}
      onKeyDown={props.onKeyDown}
      style={{ '--rows': `${count * rowHeight}px` }}
    >
      <div class="virtual-all" role="presentation" style={{ height: `${count * rowHeight}px` }}>
        <div
          class="virtual-some"
          role="presentation"
          style={{ transform: `translateY(${first * rowHeight}px)` }}
        >
          {rows.map(row)}
        </div>
      </div>
    </div>
  )
}
