import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { filtered, type Filter, noFilter } from '../model/filter.ts'
import { gateway } from '../model/gateway.ts'
import { ExchangeHead, ExchangeRow, ROW_HEIGHT } from './exchange-row.tsx'
import { ExchangeView } from './exchange-view.tsx'
import { FilterBar } from './filter-bar.tsx'
import { ListState, NoGateway } from './list-state.tsx'
import { Lock } from './lock.tsx'
import { VirtualList } from './virtual-list.tsx'

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
        location.hash = '#/exchanges'
      } else return
      event.preventDefault()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [rows, at, id])

  // Whichever way leads back to the list, the exchange that was open is marked there.
  useEffect(() => {
    if (id !== null) active.value = id
  }, [id])

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
    <main class={`exchanges${gateway.isFolder ? ' is-folder' : ''}`}>
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
          <ExchangeHead />
          <VirtualList
            class="exchange-list"
            label="Exchanges, newest first"
            role="listbox"
            activeId={active.value === null ? undefined : `exchange-${active.value}`}
            items={rows}
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
                <ExchangeRow key={exchange.id} exchange={exchange} isActive={exchange.id === active.value} />
              )
            }}
          />
        </>
      )}
    </main>
  )
}

function isTyping({ target }: KeyboardEvent): boolean {
  return target instanceof HTMLElement && target.matches('input:not([type=checkbox]), textarea, select')
}

function isControl(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('a, button, summary')
}
