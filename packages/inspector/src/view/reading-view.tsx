import { signal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { Reading } from '../reading/protocol.ts'
import { oneLine } from '../model/visible.ts'
import { exact } from '../model/numbers.ts'
import { EventList, saidBy } from './event-list.tsx'
import { kinds } from './kinds.ts'
import { Outcome } from './outcome.tsx'
import { ShownText } from './shown-text.tsx'
import { SourceView } from './source-view.tsx'
import type { Focus } from './stretch.tsx'
import { Tabs } from './tabs.tsx'

interface ReadingViewProps {
  readonly reading: Reading
  readonly focus: Focus
  readonly title: string
  /** Stands beside the title. */
  readonly head?: ComponentChildren
  /** Stands in the place of the text. */
  readonly bytes?: ComponentChildren
  /** Stands below the text. */
  readonly children?: ComponentChildren
}

export function useFocus(): Focus {
  return useMemo(() => ({ hovered: signal<number | null>(null), chosen: signal<number | null>(null) }), [])
}

/** A text beside what became of it. */
export function ReadingView({ reading, focus, title, head, bytes, children }: ReadingViewProps): JSX.Element {
  const [tab, setTab] = useState<'calls' | 'events'>('calls')
  const { trace } = reading
  return (
    <div class="reading">
      <section class="panel reading-source" aria-label={title}>
        <header class="panel-head">
          <h2>{title}</h2>
          {head}
          <Legend reading={reading} />
        </header>
        {reading.complaints.length === 0 ? null : (
          <ul class="fault" aria-label="Complaints">
            {reading.complaints.map((complaint) => (
              <li key={complaint}>
                <ShownText text={complaint} />
              </li>
            ))}
          </ul>
        )}
        {bytes ??
          (reading.text === '' ? (
            <p class="empty">The model wrote nothing here.</p>
          ) : (
            <SourceView reading={reading} focus={focus} label={`${title}, coloured by what it became`} />
          ))}
        {children}
      </section>
      <section class="panel reading-events" aria-label={`${title}: what it became`}>
        <header class="panel-head">
          <Tabs
            label={`${title}: what it became`}
            chosen={tab}
            onChoose={setTab}
            tabs={[
              { id: 'calls', name: 'Outcome' },
              { id: 'events', name: `Events (${exact(trace.events.length)})` },
            ]}
          />
          <span class="hint">
            {trace.format !== null
              ? `read as ${trace.format}`
              : reading.wireCalls.length > 0
                ? 'calls came as data'
                : 'no call was read'}
          </span>
        </header>
        <div class="panel-body" role="tabpanel" aria-label={tab === 'calls' ? 'Outcome' : 'Events'}>
          {tab === 'calls' ? (
            <Outcome reading={reading} focus={focus} />
          ) : (
            <>
              <EventList trace={trace} focus={focus} />
              <ChosenEvent reading={reading} focus={focus} />
            </>
          )}
        </div>
        <output class="visually-hidden" aria-live="polite">
          {chosenIn(reading, focus)}
        </output>
      </section>
    </div>
  )
}

/** The whole of the event that was chosen: the list has room for its beginning. */
function ChosenEvent({ reading, focus }: Pick<ReadingViewProps, 'reading' | 'focus'>): JSX.Element | null {
  const event = reading.trace.events[focus.chosen.value ?? -1]
  const place = reading.trace.places[focus.chosen.value ?? -1]
  if (event === undefined || place === undefined) return null
  const said = saidBy(event)
  return (
    <section class="event-whole" aria-label="The chosen event">
      <header class="hint">
        {event.type} ·{' '}
        {place.from === place.to
          ? `at character ${exact(place.from)}`
          : `from characters ${exact(place.from)} to ${exact(place.to)}`}
      </header>
      <pre tabIndex={0} aria-label="What it says">
        <ShownText text={said.slice(0, LONGEST_SHOWN)} />
        {said.length > LONGEST_SHOWN ? `\n… ${said.length - LONGEST_SHOWN} more characters` : null}
        {event.type === 'problem' && event.source !== '' ? (
          <>
            {'\n'}
            <ShownText text={event.source.slice(0, LONGEST_SHOWN)} />
          </>
        ) : null}
      </pre>
    </section>
  )
}

const LONGEST_SHOWN = 20_000

/** For who cannot see what was marked. */
function chosenIn({ trace }: Reading, { chosen }: Focus): string {
  const event = trace.events[chosen.value ?? -1]
  return event === undefined ? '' : `Event ${chosen.value}, ${event.type}: ${oneLine(saidBy(event), 120)}`
}

/** Only the kinds that occur, with how many characters each has. */
function Legend({ reading }: { readonly reading: Reading }): JSX.Element {
  const counts = useMemo(() => {
    const lengths = new Map<string, number>()
    for (const { kind, from, to } of reading.trace.spans) {
      lengths.set(kind, (lengths.get(kind) ?? 0) + to - from)
    }
    return lengths
  }, [reading])
  return (
    <ul class="legend" aria-label="Colours">
      {kinds
        .filter(({ id }) => counts.has(id))
        .map(({ id, name, means }) => (
          <li key={id} title={means}>
            <span class={`k k-${id}`}>{name}</span> <span class="hint">{exact(counts.get(id) ?? 0)}</span>
          </li>
        ))}
    </ul>
  )
}
