import { expect, it } from 'vitest'
import { formats } from '../../../src/formats/registry.ts'

it('a marker that begins with a mark of code fences begins with three of them', () => {
  const texts = formats.flatMap((format) => textsIn([format.grammars, format.salvage, format.reasoning]))
  const marked = texts.filter((text) => /^[`~]/.test(text))
  expect(marked.length).toBeGreaterThan(0)
  expect(marked.filter((text) => !/^(?:```|~~~)/.test(text))).toEqual([])
})

/** Every text in a record, however deep. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}
