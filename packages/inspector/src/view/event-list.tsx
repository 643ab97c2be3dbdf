import type { JSX, TargetedKeyboardEvent } from 'preact'
import { oneLine } from '../model/visible.ts'
import type { OutputTrace } from '../reading/protocol.ts'
import type { Focus } from './stretch.tsx'
import { VirtualList } from './virtual-list.tsx'

interface EventListProps {
  readonly trace: OutputTrace
  readonly focus: Focus
}

type ModelEvent = OutputTrace['events'][number]

const ROW_HEIGHT = 32

/** Every event in order. To point at one shows where it comes from. */
export function EventList({ trace, focus }: EventListProps): JSX.Element {
  const { events } = trace
  const chosen = focus.chosen.value
  const choose = (index: number): void => {
    focus.chosen.value = Math.max(0, Math.min(events.length - 1, index))
  }
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: (chosen ?? -1) + 1,
      ArrowUp: (chosen ?? events.length) - 1,
      Home: 0,
      End: events.length - 1,
      PageDown: (chosen ?? 0) + 10,
      PageUp: (chosen ?? 0) - 10,
    }
    const next = steps[event.key]
    if (next === undefined || events.length === 0) return
    event.preventDefault()
    choose(next)
  }
  if (events.length === 0) return <p class="empty">No events yet.</p>
  return (
    <VirtualList
      class="events"
      label="Events"
      role="listbox"
      activeId={chosen === null ? undefined : `event-${chosen}`}
      count={events.length}
      rowHeight={ROW_HEIGHT}
      seen={chosen}
      onKeyDown={onKeyDown}
      row={(index) => {
        const event = events[index]
        if (event === undefined) return null
        return (
          <div
            key={index}
            id={`event-${index}`}
            role="option"
            aria-selected={index === chosen}
            class={`event e-${event.type}${index === focus.hovered.value ? ' is-hovered' : ''}`}
            onMouseEnter={() => (focus.hovered.value = index)}
            onMouseLeave={() => (focus.hovered.value = null)}
            onClick={() => choose(index)}
          >
            <span class="event-number">{index}</span>
            <span class="event-type">{event.type}</span>
            <span class="event-text">{oneLine(saidBy(event), 240)}</span>
          </div>
        )
      }}
    />
  )
}

/** What an event says, on one line or, if it is long, on many. */
export function saidBy(event: ModelEvent): string {
  switch (event.type) {
    case 'text':
    case 'reasoning':
      return event.text
    case 'call-start':
      return `${event.index} · ${event.name}${event.id === null ? '' : ` · ${event.id}`}`
    case 'call-delta':
      return `${event.index} · ${event.json}`
    case 'call-end':
      return `${event.index} · ${event.complete ? 'complete' : 'not complete'}`
    case 'problem':
    case 'repair':
      return `${event.code} · ${event.message}`
  }
}
