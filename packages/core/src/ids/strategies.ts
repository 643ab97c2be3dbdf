import { DragomanError } from '../errors.ts'
import { formatIds, resolveFormatId, type FormatId } from '../formats/format-id.ts'
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
  return ownStrategies.get(known) ?? standardIds
}

const ownStrategies: ReadonlyMap<FormatId, ToolIdStrategy> = new Map([
  ['kimi', kimiIds],
  ['mistral', mistralIds],
  ['anthropic', anthropicIds],
])
