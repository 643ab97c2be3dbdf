import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { ExchangeSummary } from '../api.ts'
import { type Filter, noFilter, valuesOf } from '../model/filter.ts'
import { counted, exact } from '../model/numbers.ts'
import { oneLine } from '../model/visible.ts'

interface FilterBarProps {
  readonly filter: Filter
  readonly onChange: (filter: Filter) => void
  readonly search: { current: HTMLInputElement | null }
  readonly all: readonly ExchangeSummary[]
  readonly shown: number
}

/** Which exchanges of the list are to be seen. */
export function FilterBar({ filter, onChange, search, all, shown }: FilterBarProps): JSX.Element {
  const models = useMemo(() => valuesOf(all, 'model'), [all])
  const upstreams = useMemo(() => valuesOf(all, 'upstream'), [all])
  const isFiltered = filter !== noFilter
  const set = (change: Partial<Filter>): void => onChange({ ...filter, ...change })
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <input
        ref={search}
        type="search"
        aria-label="Filter by text"
        placeholder="Filter by any word"
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
        <option value="">any model</option>
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
        <option value="">any upstream</option>
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
          const state = (['running', 'ended', 'failed'] as const).find(
            (each) => each === event.currentTarget.value,
          )
          set({ state: state ?? '' })
        }}
      >
        <option value="">any state</option>
        <option value="running">running</option>
        <option value="ended">succeeded</option>
        <option value="failed">failed</option>
      </select>
      <label class="check" title="Problems, repairs and failures">
        <input
          type="checkbox"
          checked={filter.onlyProblems}
          onChange={(event) => set({ onlyProblems: event.currentTarget.checked })}
        />
        with problems
      </label>
      {isFiltered ? (
        <button type="button" class="quiet" onClick={() => onChange(noFilter)}>
          Show all
        </button>
      ) : null}
      <span class="spacer" />
      <output class="hint" aria-live="polite">
        {shown === all.length ? counted(all.length, 'exchange') : `${exact(shown)} of ${exact(all.length)}`}
      </output>
      {isFiltered ? null : (
        <span class="hint keys">
          <kbd>/</kbd> filter <kbd>j</kbd> <kbd>k</kbd> move <kbd>Enter</kbd> open <kbd>Esc</kbd> back
        </span>
      )}
    </form>
  )
}
