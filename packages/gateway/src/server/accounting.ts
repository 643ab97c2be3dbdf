import { sendJson } from '../base/send.ts'
import type { AccountingConfig } from '../config/config.ts'
import type { Logger } from '../observe/logger.ts'
import type { Metrics } from '../observe/metrics.ts'
import { openStore as openConfigured } from '../quotas/open-store.ts'
import { Quotas } from '../quotas/quotas.ts'
import { storeGone } from '../quotas/refusals.ts'
import { type QuotaStore, StoreFault } from '../quotas/store.ts'
import { shownRow } from '../quotas/usage-report.ts'
import type { RouteContext } from './route-context.ts'
import { askedAt } from './route-table.ts'

/** `GET /usage?since=2026-11-16`: what was used, as far back as it is kept. */
export async function answerUsage({ request, client, quotas }: RouteContext): Promise<void> {
  if (quotas === undefined) {
    sendJson(client.response, 200, { counted: false, usage: [] })
    return
  }
  const since = askedAt(request.url ?? '').query['since'] ?? ''
  try {
    const rows = await quotas.store.usage(since)
    sendJson(client.response, 200, { counted: true, usage: rows.map(shownRow) })
  } catch (error) {
    if (!(error instanceof StoreFault)) throw error
    client.refuse(storeGone)
  }
}

export interface AccountingWorld {
  readonly logger: Logger
  readonly metrics: Metrics
  readonly now: () => number
  readonly openStore?: (accounting: AccountingConfig) => QuotaStore
}

/** Counts use where the configuration says, and tells log and metrics. */
export function quotasFor(accounting: AccountingConfig, world: AccountingWorld): Quotas {
  const { logger, metrics, now, openStore } = world
  const clock = { now, today: Date.now }
  const store =
    openStore?.(accounting) ??
    openConfigured(accounting, clock, {
      fault: () => metrics.storeFault(),
      gone: (reason) => logger.warn({ reason, storeFailure: accounting.storeFailure }, 'the store is gone'),
      back: () => logger.warn({}, 'the store is back'),
    })
  return new Quotas({
    store,
    today: Date.now,
    observer: {
      used: (row) => metrics.used(row),
      refused: (key, by) => metrics.keyRefused(key, by),
      lost: (reason) => logger.warn({ reason }, 'usage could not be written down'),
    },
  })
}
