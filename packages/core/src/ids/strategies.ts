import { DragomanError } from '../errors.ts'
import { type FormatId, formatIds, resolveFormatId } from '../formats/format-id.ts'
import { templateOf } from '../formats/template.ts'
import { isLegalId, withoutHistoryPrefix, withoutRawPrefix } from './legal-id.ts'
import { createToolIdMapper } from './mapper.ts'
import type { ToolIdStrategy } from './strategy.ts'
import { UniqueIds } from './unique-ids.ts'

/** The style of ids that upstreams of a format expect, as its record says. */
export function getToolIdStrategy(format: FormatId): ToolIdStrategy {
  const known = resolveFormatId(format)
  if (known === undefined) {
    throw new DragomanError('unknown-format', `No format "${format}". Known: ${formatIds.join(', ')}`)
  }
  return strategies[templateOf(known).ids]
}

/** Legal ids stay as they are, so that an upstream's prefix cache stays warm. */
const standardIds: ToolIdStrategy = {
  name: 'standard',
  createMapper(contents) {
    const unique = new UniqueIds('call_')
    return createToolIdMapper(contents, (id) => {
      const wanted = withoutHistoryPrefix(id, 'call_')
      return unique.take(id, isLegalId(wanted) ? wanted : null)
    })
  },
}

/**
 * Every id begins with `toolu_`, as Anthropic's own do, also one that was legal before: then a conversation that
 * began with another model shows a single style of ids.
 */
const anthropicIds: ToolIdStrategy = {
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

/**
 * Kimi's template shows the model the id and not the name of the tool: `functions.{name}:{n}`, n counting from 0
 * over the whole conversation. Among ids of another style the model loses the name and copies that style, so every
 * id is made anew. A response without a call takes the number at its place, as the call it lacks would have.
 */
const kimiIds: ToolIdStrategy = {
  name: 'kimi',
  createMapper(contents) {
    let count = 0
    return createToolIdMapper(contents, (_id, toolName) => `functions.${toolName || 'unknown'}:${count++}`)
  },
}

/** Mistral refuses any id that is not exactly nine letters and digits. */
const mistralIds: ToolIdStrategy = {
  name: 'mistral',
  createMapper(contents) {
    const unique = new UniqueIds('')
    return createToolIdMapper(contents, (id) => {
      const wanted = withoutRawPrefix(id)
      return unique.take(id, /^[a-zA-Z0-9]{9}$/.test(wanted) ? wanted : null)
    })
  },
}

const strategies: Readonly<Record<ToolIdStrategy['name'], ToolIdStrategy>> = {
  standard: standardIds,
  anthropic: anthropicIds,
  kimi: kimiIds,
  mistral: mistralIds,
}
