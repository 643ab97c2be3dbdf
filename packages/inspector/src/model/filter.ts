import type { ExchangeSummary } from '../api.ts'

/** What of the list is to be seen. Empty means all. */
export interface Filter {
  readonly text: string
  readonly model: string
  readonly upstream: string
  readonly state: '' | ExchangeSummary['state']
  readonly onlyProblems: boolean
}

export const noFilter: Filter = { text: '', model: '', upstream: '', state: '', onlyProblems: false }

export function filtered(exchanges: readonly ExchangeSummary[], filter: Filter): readonly ExchangeSummary[] {
  const words = filter.text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  const isAll =
    words.length === 0 &&
    Object.entries(filter).every(([key, value]) => key === 'text' || value === '' || value === false)
  if (isAll) return exchanges
  return exchanges.filter(
    (each) =>
      (filter.model === '' || each.model === filter.model) &&
      (filter.upstream === '' || each.upstream === filter.upstream) &&
      (filter.state === '' || each.state === filter.state) &&
      (!filter.onlyProblems || each.problems + each.repairs > 0 || each.state === 'failed') &&
      holdsAll(each, words),
  )
}

/** The values that a field of the exchanges has, each once, in order. */
export function valuesOf(exchanges: readonly ExchangeSummary[], field: 'model' | 'upstream'): string[] {
  const values = new Set(exchanges.map((each) => each[field]))
  return [...values].filter((value) => value !== null).toSorted()
}

function holdsAll(each: ExchangeSummary, words: readonly string[]): boolean {
  if (words.length === 0) return true
  const { id, client, model, upstream, upstreamModel, format, finish, failure, status } = each
  const all = [id, client, model, upstream, upstreamModel, format, finish, failure, status]
    .join(' ')
    .toLowerCase()
  return words.every((word) => all.includes(word))
}
