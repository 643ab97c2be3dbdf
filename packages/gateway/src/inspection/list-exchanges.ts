import type { ExchangePage, ExchangeSummary } from './api-types.ts'
import type { ExchangeSource, ListedExchange, Place } from './exchange-source.ts'

/** The most exchanges on one page of the list. */
const MOST = 500

/** How many are looked at together: each may be a file that has to be opened. */
const TOGETHER = 8

/** One page of the list. A cursor names the last exchange of the page before, so that new ones do not move the rest. */
export async function listExchanges(
  source: ExchangeSource,
  cursor: string | null,
  limit: number,
): Promise<ExchangePage> {
  const listed = await source.listedAfter(cursor === null ? null : placeIn(cursor))
  const shown = listed.slice(0, Math.min(MOST, Math.max(1, limit)))
  const last = shown.at(-1)
  const exchanges = await summariesOf(shown)
  return { exchanges, next: last === undefined || shown.length === listed.length ? null : cursorOf(last) }
}

async function summariesOf(
  listed: readonly ListedExchange[],
  before: readonly ExchangeSummary[] = [],
): Promise<readonly ExchangeSummary[]> {
  if (listed.length === 0) return before
  const found = await Promise.all(listed.slice(0, TOGETHER).map((each) => each.look()))
  const summaries = found.flatMap((each) => (each === undefined ? [] : [each.summary()]))
  return summariesOf(listed.slice(TOGETHER), [...before, ...summaries])
}

function cursorOf({ time, id }: Place): string {
  return `${time} ${id}`
}

function placeIn(cursor: string): Place {
  const space = cursor.indexOf(' ')
  return { time: cursor.slice(0, Math.max(0, space)), id: cursor.slice(space + 1) }
}
