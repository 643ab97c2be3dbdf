import type { ChannelsGrammar } from '../engines/messages/grammar.ts'
import { DragomanError } from '../errors.ts'
import type { Marker } from '../text/marker.ts'
import type { Format, Grammar } from './format.ts'

/** New strings for the markers of a format, by the names they have in its record. */
export type MarkerOverrides = Readonly<Record<string, string | readonly string[]>>

/** The format with other markers in the first of its grammars that has them. The record itself is left as it is. */
export function overrideMarkers(format: Format, overrides: MarkerOverrides): Format {
  const unused = new Set(Object.keys(overrides))
  const changed = new Map<Grammar, Grammar>()
  for (const grammar of format.grammars) {
    changed.set(grammar, { ...grammar, ...changedFields(grammar, overrides, unused) })
  }
  const channels = format.channels && overrideHeaders(format.channels, changed, overrides, unused)
  const result: Format = {
    ...format,
    ...(channels === undefined ? {} : { channels }),
    grammars: format.grammars.map((grammar) => changed.get(grammar) ?? grammar),
    salvage: format.salvage.map((grammar) => changed.get(grammar) ?? grammar),
  }
  for (const key of unused) {
    const records = [...format.grammars, ...(format.channels === undefined ? [] : [format.channels])]
    const known = [...new Set(records.flatMap(markerFields))].join(', ')
    throw new DragomanError(
      'invalid-option',
      `The format ${format.id} has no marker "${key}". It has: ${known}.`,
    )
  }
  return result
}

/** The bodies of messages to tools are read by the grammars as the overrides changed them. */
function overrideHeaders(
  channels: ChannelsGrammar,
  changed: ReadonlyMap<Grammar, Grammar>,
  overrides: MarkerOverrides,
  unused: Set<string>,
): ChannelsGrammar {
  const calls = channels.calls.map((call) => {
    const other = changed.get(call)
    return other?.engine === 'name-then-args' || other?.engine === 'tagged-params' ? other : call
  })
  return { ...channels, ...changedFields(channels, overrides, unused), calls }
}

function changedFields(
  grammar: Grammar | ChannelsGrammar,
  overrides: MarkerOverrides,
  unused: Set<string>,
): Record<string, unknown> {
  const changed: Record<string, unknown> = {}
  for (const field of markerFields(grammar)) {
    if (!unused.delete(field)) continue
    const value: unknown = overrides[field]
    const markers = (Array.isArray(value) ? value : [value]).filter(isText)
    if (markers.length === 0 || (Array.isArray(value) && markers.length < value.length)) {
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

function markerFields(grammar: Grammar | ChannelsGrammar): string[] {
  const notMarkers = 'engine' in grammar ? [] : ['speakers', 'types', 'builtins', 'calls']
  return Object.entries(grammar)
    .filter(([key, value]) => isMarkerList(value) && !notMarkers.includes(key))
    .map(([key]) => key)
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function isMarkerList(value: unknown): value is readonly Marker[] {
  return Array.isArray(value)
}
