import type { AccountingConfig } from '../config/config.ts'
import type { Logger } from '../observe/logger.ts'
import type { Metrics } from '../observe/metrics.ts'
import { MemoryStore } from '../quotas/memory-store.ts'
import { Quotas } from '../quotas/quotas.ts'
import type { QuotaStore } from '../quotas/store.ts'

export interface AccountingWorld {
  readonly logger: Logger
  readonly metrics: Metrics
  readonly now: () => number
  readonly openStore?: (accounting: AccountingConfig) => QuotaStore
}

/** Counts use where the configuration says, and tells log and metrics. */
export function quotasFor(accounting: AccountingConfig, world: AccountingWorld): Quotas {
  const { logger, metrics, now, openStore } = world
  const store = openStore?.(accounting) ?? new MemoryStore({ now, today: Date.now })
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
