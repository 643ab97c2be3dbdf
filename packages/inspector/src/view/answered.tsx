import { type Signal, useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { ExchangeDetails } from '../api.ts'
import { counted } from '../model/numbers.ts'
import { indexAt } from '../model/rows.ts'
import type { LoadedExchange } from '../model/loaded-exchange.ts'
import type { OutputTrace } from '../reading/protocol.ts'
import { BytesView } from './bytes-view.tsx'
import { Held } from './held.tsx'
import { ReadingView, useFocus } from './reading-view.tsx'
import { ShownText } from './shown-text.tsx'

/** What the upstream said, what it became, and what the client got for it. */
export function Answered({
  stages,
  said,
  delivered,
  details,
}: Pick<LoadedExchange, 'stages' | 'said' | 'delivered' | 'details'>): JSX.Element {
  const focus = useFocus()
  const isAll = useSignal(false)
  const isRaw = useSignal(false)
  const isRunning = details.summary.state === 'running'
  const came = stages['upstream-response']
  const got = stages['client-response']
  const looked = focus.hovered.value ?? focus.chosen.value
  return (
    <>
      <ReadingView
        reading={said}
        focus={focus}
        title="Upstream said"
        head={
          <>
            <span class="hint">{answerOf(details.upstream, details.upstream?.status)}</span>
            <AllBytes isOn={isRaw} />
          </>
        }
        // An error, or calls that came as data, are seen nowhere else.
        bytes={
          came.length === 0 ? (
            <p class="empty">{isRunning ? 'Nothing yet.' : unsaid(details.upstream)}</p>
          ) : isRaw.value || (said.text === '' && !isRunning) ? (
            <BytesView
              chunks={came}
              delivered={none}
              label="What the upstream said, as it came"
              focus={focus}
              event={null}
              shows="all"
            />
          ) : null
        }
      >
        {isRunning ? (
          <p class="held-line">
            <span class="hint">It is still running. </span>
            <Held held={said.trace.held} text={said.text} />
          </p>
        ) : null}
        <Told told={details.told} isOpen={false} />
      </ReadingView>
      <section class="panel got" aria-label="Client got">
        <header class="panel-head">
          <h2>Client got</h2>
          <AllBytes isOn={isAll} />
          <span class="hint">
            {answerOf(details.client, details.summary.status, counted(got.length, 'chunk'))}
          </span>
        </header>
        {got.length === 0 ? (
          <p class="empty">{isRunning ? 'Nothing yet.' : 'Nothing.'}</p>
        ) : (
          <BytesView
            chunks={got}
            delivered={delivered}
            label="What the client got, as it was sent"
            focus={focus}
            event={looked === null ? null : sentEvent(said.trace, looked)}
            shows={isAll.value ? 'all' : 'lines'}
          />
        )}
      </section>
    </>
  )
}

const none: readonly never[] = []

/** Why nothing is there of what the upstream said. */
function unsaid(upstream: ExchangeDetails['upstream']): string {
  if (upstream === null) return 'No upstream was asked.'
  const { contentType } = upstream
  return contentType === '' ? 'It sent no answer.' : `It answered with ${contentType}, which was not read.`
}

/** How an answer came: its dialect and its status, as far as they are known. */
function answerOf(
  side: { readonly dialect: string } | null,
  status: number | null | undefined,
  chunks = '',
): string {
  return [side?.dialect, status && `status ${status}`, chunks].filter(Boolean).join(' · ')
}

/** Whether every byte is to be seen, or what they say. */
function AllBytes({ isOn }: { readonly isOn: Signal<boolean> }): JSX.Element {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={isOn.value}
        onChange={(event) => (isOn.value = event.currentTarget.checked)}
      />
      all bytes
    </label>
  )
}

/** The event whose bytes show what became of this one: a remark shows those of the text that it speaks of. */
function sentEvent({ events, places, spans }: OutputTrace, looked: number): number | null {
  const event = events[looked]
  const place = places[looked]
  if (event === undefined || place === undefined) return null
  switch (event.type) {
    case 'problem':
    case 'repair': {
      const starts = spans.map(({ from }) => from)
      const span = spans[indexAt(starts, place.from)]
      if (span?.event !== looked) return span?.event ?? null
      // What was rewritten belongs to the remark itself, and went out with the arguments of its call.
      return argumentsOf(events, span.call)
    }
    case 'call-delta':
      return argumentsOf(events, event.index)
    case 'call-end':
      return argumentsOf(events, event.index)
    default:
      return looked
  }
}

/** The first event with arguments of a call: what the client got of them is counted to it. */
function argumentsOf(events: OutputTrace['events'], call: number | null): number | null {
  const delta = events.findIndex((each) => each.type === 'call-delta' && each.index === call)
  return delta < 0 ? null : delta
}

/** Problems and repairs, as the gateway told them. */
export function Told({
  told,
  isOpen,
}: Pick<ExchangeDetails, 'told'> & { readonly isOpen: boolean }): JSX.Element | null {
  if (told.length === 0) return null
  return (
    <details class="told" open={isOpen}>
      <summary>What the gateway said of this answer ({told.length})</summary>
      <ul>
        {told.map(({ kind, code, message }, index) => (
          <li key={index}>
            <span class={`badge badge-${kind}`}>{code}</span> <ShownText text={message} />
          </li>
        ))}
      </ul>
    </details>
  )
}
