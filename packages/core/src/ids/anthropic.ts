import { isLegalId, withoutHistoryPrefix } from './legal-id.ts'
import { createToolIdMapper } from './mapper.ts'
import type { ToolIdStrategy } from './strategy.ts'
import { UniqueIds } from './unique-ids.ts'

/**
 * Every id begins with `toolu_`, as Anthropic's own do, also one that was legal before: then a conversation that
 * began with another model shows a single style of ids.
 */
export const anthropicIds: ToolIdStrategy = {
  name: 'anthropic',
  createMapper(contents) {
    const unique = new UniqueIds('toolu_')
    return createToolIdMapper(contents, (id) => {
      const wanted = withoutHistoryPrefix(id, 'toolu_')
      return unique.take(id, isAnthropicId(wanted) ? wanted : null)
    })
  },
}

function isAnthropicId(id: string): boolean {
  return isLegalId(id) && id.startsWith('toolu_') && id.length > 'toolu_'.length
}
