import { isLegalId, withoutHistoryPrefix } from './legal-id.ts'
import { createToolIdMapper } from './mapper.ts'
import type { ToolIdStrategy } from './strategy.ts'
import { UniqueIds } from './unique-ids.ts'

/** Legal ids stay as they are, so that an upstream's prefix cache stays warm. */
export const standardIds: ToolIdStrategy = {
  name: 'standard',
  createMapper(contents) {
    const unique = new UniqueIds('call_')
    return createToolIdMapper(contents, (id) => {
      const wanted = withoutHistoryPrefix(id, 'call_')
      return unique.take(id, isLegalId(wanted) ? wanted : null)
    })
  },
}
