import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { ExchangeSummary } from '../api.ts'
import { filtered, type Filter, noFilter, valuesOf } from '../model/filter.ts'
import { gateway } from '../model/gateway.ts'
import { clock, count, counted, duration } from '../model/numbers.ts'
import { oneLine } from '../model/visible.ts'
import { ExchangeView } from './exchange-view.tsx'
import { Lock } from './lock.tsx'
import { Marks } from './marks.tsx'
import { VirtualList } from './virtual-list.tsx'

const ROW_HEIGHT = 40

/** What went through this gateway, newest first; one of them, if it was chosen. */
export function ExchangesPage({ id }: { readonly id: string | null }): JSX.Element {
  const filter = useSignal<Filter>(noFilter)
  const active = useSignal<string | null>(null)
  const search = useRef<HTMLInputElement>(null)
  const all = gateway.exchanges.value
  const rows = useMemo(() => filtered(all, filter.value), [all, filter.value])
  const at = rows.findIndex((each) => each.id === (id ?? active.value))

  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.altKey || event.ctrlKey || event.metaKey || isTyping(event)) return
      const step = event.key === 'j' ? 1 : event.key === 'k' ? -1 : 0
      if (step !== 0) {
        const next = rows[Math.max(0, Math.min(rows.length - 1, at + step))]
        if (next === undefined) return
        active.value = next.id
        if (id !== null) location.hash = `#/exchanges/${encodeURIComponent(next.id)}`
      } else if (event.key === '/') {
        search.current?.focus()
      } else if (event.key === 'Enter' && id === null && active.value !== null && !isControl(event.target)) {
        location.hash = `#/exchanges/${encodeURIComponent(active.value)}`
      } else if (event.key === 'Escape' && id !== null) {
        active.value = id
        location.hash = '#/exchanges'
      } else return
      event.preventDefault()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [rows, at, id])

  const state = gateway.state.value
  if (state === 'locked' || state === 'none') {
    return (
      <main class="exchanges">
        <h1 class="visually-hidden">Exchanges</h1>
        {state === 'locked' ? <Lock /> : <NoGateway />}
      </main>
    )
  }
  if (id !== null) return <ExchangeView key={id} id={id} />
  return (
    <main class="exchanges">
      <h1 class="visually-hidden">Exchanges</h1>
      <FilterBar
        filter={filter.value}
        onChange={(next) => (filter.value = next)}
        search={search}
        all={all}
        shown={rows.length}
      />
      <ListState isEmpty={rows.length === 0} isFiltered={all.length > 0} />
      {rows.length === 0 ? null : (
        <>
          <div class="exchange-row exchange-head" aria-hidden="true">
            {columns.map((name) => (
              <span key={name}>{name}</span>
            ))}
          </div>
          <VirtualList
            class="exchange-list"
            label="Exchanges, newest first"
            role="listbox"
            activeId={active.value === null ? undefined : `exchange-${active.value}`}
            count={rows.length}
            rowHeight={ROW_HEIGHT}
            seen={at < 0 ? null : at}
            onKeyDown={(event) => {
              const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
              const next = rows[Math.max(0, Math.min(rows.length - 1, at + step))]
              if (step === 0 || next === undefined) return
              event.preventDefault()
              active.value = next.id
            }}
            row={(index) => {
              const exchange = rows[index]
              return exchange === undefined ? null : (
                <Row key={exchange.id} exchange={exchange} isActive={exchange.id === active.value} />
              )
            }}
          />
        </>
      )}
    </main>
  )
}

const columns = [
  'Time',
  'Client',
  'Model',
  'Format',
  'First byte',
  'Duration',
  'Tokens in / out',
  'Calls',
  'Finish',
  'Marks',
] as const

function Row({
  exchange,
  isActive,
}: {
  readonly exchange: ExchangeSummary
  readonly isActive: boolean
}): JSX.Element {
  const { id, client, model, upstream, upstreamModel, format, formatFrom, firstByteMs, durationMs } = exchange
  const open = (): void => {
    location.hash = `#/exchanges/${encodeURIComponent(id)}`
  }
  return (
    <div
      id={`exchange-${id}`}
      role="option"
      aria-selected={isActive}
      class={`exchange-row is-${exchange.state}`}
      onClick={open}
    >
      <span class="number" title={exchange.time}>
        {clock(exchange.time)}
      </span>
      <span title={client ?? ''}>{oneLine(client ?? '–', 40)}</span>
      <span class="exchange-model" title={`${model} → ${upstreamModel ?? '–'} at ${upstream ?? '–'}`}>
        {oneLine(model, 60)}
        {upstreamModel === null || upstreamModel === model ? null : (
          <span class="hint"> → {oneLine(upstreamModel, 60)}</span>
        )}
      </span>
      <span title={formatFrom === null ? '' : `told by the ${formatFrom}`}>
        {format ?? '–'}{' '}
        <span class="hint">{formatFrom === 'configuration' ? 'config' : (formatFrom ?? '')}</span>
      </span>
      <span class="number">{duration(firstByteMs)}</span>
      <span class="number">{exchange.state === 'running' ? 'running' : duration(durationMs)}</span>
      <span class="number">
        {count(exchange.inputTokens)} / {count(exchange.outputTokens)}
      </span>
      <span class="number">{exchange.calls === 0 ? '' : exchange.calls}</span>
      <span>
        {exchange.finish ?? (exchange.status !== null && exchange.status >= 400 ? exchange.status : '–')}
      </span>
      <Marks exchange={exchange} />
    </div>
  )
}

interface FilterBarProps {
  readonly filter: Filter
  readonly onChange: (filter: Filter) => void
  readonly search: { current: HTMLInputElement | null }
  readonly all: readonly ExchangeSummary[]
  readonly shown: number
}

function FilterBar({ filter, onChange, search, all, shown }: FilterBarProps): JSX.Element {
  const models = useMemo(() => valuesOf(all, 'model'), [all])
  const upstreams = useMemo(() => valuesOf(all, 'upstream'), [all])
  const set = (change: Partial<Filter>): void => onChange({ ...filter, ...change })
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <input
        ref={search}
        type="search"
        aria-label="Filter by text"
        placeholder="Filter  ( / )"
        value={filter.text}
        onInput={(event) => set({ text: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key === 'Escape' || event.key === 'Enter') event.currentTarget.blur()
        }}
      />
      <select
        aria-label="Model"
        value={filter.model}
        onChange={(event) => set({ model: event.currentTarget.value })}
      >
        <option value="">every model</option>
        {models.map((name) => (
          <option key={name} value={name}>
            {oneLine(name, 80)}
          </option>
        ))}
      </select>
      <select
        aria-label="Upstream"
        value={filter.upstream}
        onChange={(event) => set({ upstream: event.currentTarget.value })}
      >
        <option value="">every upstream</option>
        {upstreams.map((name) => (
          <option key={name} value={name}>
            {oneLine(name, 80)}
          </option>
        ))}
      </select>
      <select
        aria-label="State"
        value={filter.state}
        onChange={(event) => {
          const state = (['running', 'good', 'failed'] as const).find(
            (each) => each === event.currentTarget.value,
          )
          set({ state: state ?? '' })
        }}
      >
        <option value="">every state</option>
        <option value="running">running</option>
        <option value="good">good</option>
        <option value="failed">failed</option>
      </select>
      <label class="check">
        <input
          type="checkbox"
          checked={filter.onlyProblems}
          onChange={(event) => set({ onlyProblems: event.currentTarget.checked })}
        />
        with problems
      </label>
      <span class="spacer" />
      <output class="hint" aria-live="polite">
        {shown === all.length
          ? counted(all.length, 'exchange')
          : `${shown.toLocaleString('en')} of ${all.length.toLocaleString('en')}`}
      </output>
      <span class="hint keys">
        <kbd>j</kbd> <kbd>k</kbd> move <kbd>Enter</kbd> open <kbd>Esc</kbd> back
      </span>
    </form>
  )
}

function NoGateway(): JSX.Element {
  return (
    <div class="empty empty-page">
      <h2>No gateway serves this page</h2>
      <p>
        Exchanges are shown where a gateway serves it, at <code>/inspector</code>. The{' '}
        <a href="#/workbench">workbench</a> works without one.
      </p>
    </div>
  )
}

/** What there is to say about the list, apart from its rows. */
function ListState({
  isEmpty,
  isFiltered,
}: {
  readonly isEmpty: boolean
  readonly isFiltered: boolean
}): JSX.Element | null {
  const state = gateway.state.value
  const fault = gateway.fault.value
  const status = gateway.status.value
  return (
    <>
      {state === 'lost' ? (
        <p class="fault" role="alert">
          The gateway does not answer. What is shown may be old; it is asked again.
        </p>
      ) : null}
      {fault === null ? null : (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
      {status?.instance === null || status === null ? null : (
        <p class="hint list-note">
          Several processes serve here, and each knows its own exchanges. This is {status.instance}: what
          another one has may be missing, or cannot be opened.
          {status.shows === 'live' ? ' Turn recordings on, to one folder, and all of them are shown.' : null}
        </p>
      )}
      {isEmpty && isFiltered ? <p class="empty empty-page">Nothing fits the filter.</p> : null}
      {isEmpty && !isFiltered && fault === null ? (
        <div class="empty empty-page">
          {state === 'connecting' ? (
            <p>Looking…</p>
          ) : (
            <>
              <h2>Nothing has gone through yet</h2>
              <p>
                Send a request to this gateway, and it appears here. When it starts, the gateway prints lines
                to try.
              </p>
            </>
          )}
        </div>
      ) : null}
    </>
  )
}

function isTyping({ target }: KeyboardEvent): boolean {
  return target instanceof HTMLElement && target.matches('input:not([type=checkbox]), textarea, select')
}

function isControl(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('a, button, summary')
}
