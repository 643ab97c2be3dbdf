import type { ComponentChildren, JSX, TargetedKeyboardEvent } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

interface VirtualListProps {
  readonly count: number
  readonly rowHeight: number
  /** Draws a row. Its element gets the place from the list. */
  readonly row: (index: number) => ComponentChildren
  readonly class: string
  readonly label: string
  /** What the rows show, where more may come in above: then what is read stays where it is. */
  readonly items?: readonly { readonly id: string }[]
  /** The row to scroll to: when another becomes active, or, in a list without an active row, when this changes. */
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
  const { count, items, rowHeight, row, label, seen, role = 'group' } = props
  const box = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ from: 0, rows: 40 })
  /** The first row that is seen. */
  const first = useRef<string | undefined>(undefined)

  const look = (): void => {
    const { current } = box
    if (current === null) return
    const from = Math.floor(current.scrollTop / rowHeight)
    const rows = Math.ceil(current.clientHeight / rowHeight)
    first.current = items?.[from]?.id
    setView((before) => (before.from === from && before.rows === rows ? before : { from, rows }))
  }

  useLayoutEffect(() => {
    const { current } = box
    const at = items?.findIndex(({ id }) => id === first.current) ?? -1
    // At the top, the newest rows are what one wants to see.
    if (current !== null && at >= 0 && current.scrollTop > 0) {
      current.scrollTop += (at - Math.floor(current.scrollTop / rowHeight)) * rowHeight
    }
    look()
  }, [count, items, rowHeight])
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
  }, [props.activeId ?? seen, rowHeight])

  const begin = Math.max(0, Math.min(view.from, count) - SPARE)
  const last = Math.min(count, view.from + view.rows + SPARE)
  const rows = Array.from({ length: Math.max(0, last - begin) }, (_, offset) => begin + offset)
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
          style={{ transform: `translateY(${begin * rowHeight}px)` }}
        >
          {rows.map(row)}
        </div>
      </div>
    </div>
  )
}
