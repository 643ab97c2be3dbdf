import type { JSX } from 'preact'
import type { ExchangeSummary } from '../api.ts'
import { oneLine } from '../model/visible.ts'

/** What there is to say about an exchange, at a glance. */
export function Marks({ exchange }: { readonly exchange: ExchangeSummary }): JSX.Element {
  const { state, problems, repairs, notes, failure } = exchange
  return (
    <span class="marks">
      {state === 'failed' ? (
        <span class="badge badge-bad" title={oneLine(failure ?? '', 400)}>
          failed
        </span>
      ) : null}
      {mark(problems, 'problem')}
      {mark(repairs, 'repair')}
      {mark(notes, 'note')}
    </span>
  )
}

function mark(number: number, what: 'problem' | 'repair' | 'note'): JSX.Element | null {
  if (number === 0) return null
  return (
    <span class={`badge badge-${what}`}>
      {number} {what}
      {number === 1 ? '' : 's'}
    </span>
  )
}
