import { DragomanError } from '../errors.ts'
import { formatIds, resolveFormatId, type FormatId } from '../formats/format-id.ts'
import { templateOf } from '../formats/template.ts'
import { anthropicIds } from './anthropic.ts'
import { kimiIds } from './kimi.ts'
import { mistralIds } from './mistral.ts'
import { standardIds } from './standard.ts'
import type { ToolIdStrategy } from './strategy.ts'

/** The ids that upstreams of a format expect. A format without a style of its own takes any legal id. */
export function getToolIdStrategy(format: FormatId): ToolIdStrategy {
  const known = resolveFormatId(format)
  if (known === undefined) {
    throw new DragomanError('unknown-format', `No format "${format}". Known: ${formatIds.join(', ')}`)
  }
  return strategies[templateOf(known).ids]
}

const strategies: Readonly<Record<ToolIdStrategy['name'], ToolIdStrategy>> = {
  standard: standardIds,
  anthropic: anthropicIds,
  kimi: kimiIds,
  mistral: mistralIds,
}
