import { DragomanError } from '../errors.ts'
import type { Marker } from '../text/marker-search.ts'
import type { Format, Grammar } from './format.ts'

/** New strings for the markers of a format, by the names they have in its record. */
export type MarkerOverrides = Readonly<Record<string, string | readonly string[]>>

/** The format with other markers. The record itself is left as it is. */
export function overrideMarkers(format: Format, overrides: MarkerOverrides): Format {
  const unused = new Set(Object.keys(overrides))
  const grammars = new Map<Grammar, Grammar>()
  const override = (grammar: Grammar): Grammar => {
    const known = grammars.get(grammar)
    if (known !== undefined) return known
    const changed: Grammar = { ...grammar, ...changedFields(grammar, overrides, unused) }
    grammars.set(grammar, changed)
    return changed
  }
  const result: Format = {
    ...format,
    grammars: format.grammars.map(override),
    salvage: format.salvage.map(override),
  }
  for (const key of unused) {
    const known = [...new Set(format.grammars.flatMap(markerFields))].join(', ')
    throw new DragomanError(
      'invalid-option',
      `The format ${format.id} has no marker "${key}". It has: ${known}.`,
    )
  }
  return result
}

function changedFields(
  grammar: Grammar,
  overrides: MarkerOverrides,
  unused: Set<string>,
): Record<string, unknown> {
  const changed: Record<string, unknown> = {}
  for (const field of markerFields(grammar)) {
    const value = Object.hasOwn(overrides, field) ? overrides[field] : undefined
    if (value === undefined) continue
    unused.delete(field)
    const markers = typeof value === 'string' ? [value] : value
    if (markers.length === 0 || markers.some((marker) => typeof marker !== 'string' || marker === '')) {
      throw new DragomanError('invalid-option', `The marker "${field}" must be a text that is not empty.`)
    }
    changed[field] = withMarkers(Reflect.get(grammar, field), markers)
  }
  return changed
}

/** Where a marker begins a tag, the new one begins the same tag. */
function withMarkers(current: readonly unknown[], markers: readonly string[]): readonly unknown[] {
  const [first] = current
  const isTag = typeof first === 'object' && first !== null && 'open' in first
  return isTag ? markers.map((open) => ({ ...first, open })) : markers
}

function markerFields(grammar: Grammar): string[] {
  return Object.entries(grammar)
    .filter(([, value]) => isMarkerList(value))
    .map(([key]) => key)
}

function isMarkerList(value: unknown): value is readonly Marker[] {
  return Array.isArray(value)
}
