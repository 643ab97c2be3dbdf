import { detectFormat, normalisedName } from './detect.ts'
import type { FormatId } from './format-id.ts'
import type { ThinkingFamily } from './format.ts'
import { formats } from './registry.ts'

export type { ThinkingFamily } from './format.ts'

/**
 * How a model is told to think. Where the format in use knows no such model, the one that its name suggests does: a
 * dialect or a user may have chosen the format for other reasons. Undefined: nothing is known of the model.
 */
export function thinkingOf(format: FormatId, model: string): ThinkingFamily | undefined {
  const name = normalisedName(model)
  return familyIn(format, name) ?? familyIn(detectFormat(model), name)
}

function familyIn(format: FormatId, name: string): ThinkingFamily | undefined {
  return families.get(format)?.find(({ models }) => models?.test(name) !== false)
}

const families: ReadonlyMap<FormatId, readonly ThinkingFamily[]> = new Map(
  formats.map(({ id, thinking }) => [id, thinking ?? []]),
)
