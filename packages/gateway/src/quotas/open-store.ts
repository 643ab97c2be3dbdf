import type { AccountingConfig } from '../config/config.ts'
import { GuardedStore, type StoreObserver } from './guarded-store.ts'
import { MemoryStore, type StoreClock } from './memory-store.ts'
import { RedisStore } from './redis-store.ts'
import type { QuotaStore } from './store.ts'

/** Opens the store that the configuration names. One that cannot be reached is opened all the same, and tried again. */
export function openStore(
  { store, storeFailure }: AccountingConfig,
  clock: StoreClock,
  observer: StoreObserver,
): QuotaStore {
  if (store.is === 'memory') return new MemoryStore(clock)
  return new GuardedStore({
    store: new RedisStore({ url: store.url.reveal(), today: clock.today }),
    meanwhile: storeFailure === 'open' ? new MemoryStore(clock) : null,
    observer,
  })
}

/** Why the store cannot be asked now; null where it can. */
export async function storeObstacle({ store }: AccountingConfig): Promise<string | null> {
  if (store.is === 'memory') return null
  const redis = new RedisStore({ url: store.url.reveal(), today: Date.now })
  try {
    await redis.check()
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    await redis.close()
  }
}
