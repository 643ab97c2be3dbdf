import { detectModel, type DialectId, dialects, type FormatId } from '@dragoman/core'
import type { GatewayConfig } from '../config/config.ts'
import type { ModelRoute } from '../config/match-model.ts'

/** The format of a model, and what told it. */
export interface ModelFormat {
  readonly format: FormatId
  readonly toldBy: 'configuration' | 'dialect' | 'name' | 'nothing'
}

/** The format that the configuration or the model's name tells; null where neither says anything. */
export function namedFormat(
  route: Pick<ModelRoute, 'format' | 'model'>,
  config: GatewayConfig,
): FormatId | null {
  if (route.format !== 'auto') return route.format
  const { format, isTold, isOverride } = detectModel(route.model, config.formats.overrides)
  return isOverride === true || format !== 'standard' || isTold === true ? format : null
}

/** An explicit format counts first, then what the dialect of the upstream demands, then the model's name. */
export function modelFormat(
  route: Pick<ModelRoute, 'format' | 'model'>,
  dialect: DialectId,
  config: GatewayConfig,
): ModelFormat {
  if (route.format !== 'auto') return { format: route.format, toldBy: 'configuration' }
  const { format, isTold, isOverride } = detectModel(route.model, config.formats.overrides)
  if (isOverride === true) return { format, toldBy: 'configuration' }
  const { format: own } = dialects[dialect].request
  if (own !== null) return { format: own, toldBy: 'dialect' }
  return { format, toldBy: format !== 'standard' || isTold === true ? 'name' : 'nothing' }
}
