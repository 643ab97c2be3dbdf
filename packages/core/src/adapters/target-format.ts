import { DragomanError } from '../errors.ts'
import { detectModel } from '../formats/detect.ts'
import { formatIds, resolveFormatId, type FormatId } from '../formats/format-id.ts'
import { formatOfCallId } from '../ids/mint.ts'
import type { AdapterOptions } from './adapter-options.ts'

/** The format by name where the user set one, for this model or for all. */
export function explicitFormat({ format, overrides }: AdapterOptions, model: string): FormatId | 'auto' {
  if (format !== undefined && format !== 'auto') return knownFormat(format)
  const detected = detectModel(model, overrides)
  return detected.isOverride === true ? detected.format : 'auto'
}

/** In whose style ids go out: an explicit format, then what the model's name says, then the newest call. */
export function targetFormat(
  explicit: FormatId | 'auto',
  model: string,
  newestCallId: string | undefined,
): FormatId {
  if (explicit !== 'auto') return explicit
  const named = detectModel(model)
  if (named.format !== 'standard' || named.isTold === true) return named.format
  const tag = formatOfCallId(newestCallId ?? '')
  return tag === null || tag === 'std' ? 'standard' : tag
}

function knownFormat(name: string): FormatId {
  const format = resolveFormatId(name)
  if (format !== undefined) return format
  throw new DragomanError('unknown-format', `No format "${name}". Known: ${formatIds.join(', ')}`)
}
