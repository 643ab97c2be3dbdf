import { expect, it } from 'vitest'
import type { Format } from '../../src/formats/format.ts'
import { formats } from '../../src/formats/registry.ts'
import { insert, markerRoot, startPattern } from '../../src/text/marker-tree.ts'
import type { Marker } from '../../src/text/marker.ts'

/** Longer patterns are not optimised by V8, and all text takes twice as long. */
const longestPattern = 20_000

it('the pattern that looks for the markers of all formats is short enough to be fast', () => {
  const root = markerRoot<true>()
  for (const marker of formats.flatMap(markersOf)) insert(root, marker).value = true
  expect(startPattern(root.children).source.length).toBeLessThan(longestPattern)
})

/** Every marker of a record, and a few that are never looked for in text. */
function markersOf({ grammars, salvage, reasoning, turnTokens, structure }: Format): Marker[] {
  const inGrammars = [...grammars, ...salvage].flatMap((grammar) => Object.values(grammar).flatMap(markersIn))
  return [...inGrammars, ...reasoning.flatMap(({ begin, end }) => [begin, end]), ...turnTokens, ...structure]
}

function markersIn(field: unknown): Marker[] {
  if (!Array.isArray(field)) return []
  return field.flatMap((each: unknown) => {
    if (typeof each === 'object' && each !== null && 'open' in each) return markersIn([each.open])
    if (Array.isArray(each)) return [each.filter((piece) => typeof piece === 'string')]
    return typeof each === 'string' && each.length > 1 ? [each] : []
  })
}
