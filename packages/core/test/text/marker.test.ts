import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  endsWithMarker,
  keyOf,
  type Marker,
  markerOf,
  matchTag,
  NONE,
  PARTIAL,
  spelled,
} from '../../src/text/marker.ts'
import { MarkerSearch, searchFor } from '../../src/text/marker-search.ts'

const tag = { before: '<call', after: '>' }

describe('a tag with a suffix', () => {
  it.each([
    ['<call:open>', 11],
    ['<call:open-source_2.1>x', 22],
    ['<call:a:b>', 10],
    ['<call>', NONE],
    ['<call:>', NONE],
    ['<call:two words>', NONE],
    ['<call:<call:a>', NONE],
    ['<calls:a>', NONE],
    [`<call:${'a'.repeat(65)}>`, NONE],
    ['<cal', PARTIAL],
    ['<call', PARTIAL],
    ['<call:', PARTIAL],
    ['<call:op', PARTIAL],
  ])('%j is read to %j', (text, length) => {
    expect(matchTag(text, 0, tag)).toBe(length)
    expect(searchFor(tag).match(text, 0, false)).toBe(length)
  })

  it('is found by a search as it is by itself', () => {
    const bit = fc.constantFrom('<', '<call', ':', 'a', '>', ' ', 'open', '｜', '<call:a>')
    const text = fc.array(bit, { maxLength: 10, size: 'max' }).map((bits) => bits.join(''))
    fc.assert(
      fc.property(text, (written) => {
        const starts = written.split('').map((_, at) => matchTag(written, at, tag))
        const at = starts.findIndex((length) => length !== NONE)
        const search = searchFor(tag)
        expect(search.find(written, 0, false)).toBe(at < 0 ? NONE : starts[at])
        expect(search.index).toBe(at < 0 ? written.length : at)
      }),
      { numRuns: 5000 },
    )
  })

  it('is another one than the same tag without a suffix', () => {
    const search = new MarkerSearch<string>()
    search.add('<call>', 'plain')
    search.add(tag, 'suffixed')
    search.add('<calls>', 'section')
    const copy = search.copy()
    for (const [text, found] of [
      ['<call>', 'plain'],
      ['<call:x>', 'suffixed'],
      ['<calls>', 'section'],
    ] as const) {
      expect(copy.match(text, 0, false)).toBe(text.length)
      expect(copy.found).toBe(found)
    }
    expect(search.get('<call>')).toBe('plain')
    expect(search.get(tag)).toBe('suffixed')
  })

  it('may stand at the end of a prompt', () => {
    expect(endsWithMarker('user: hi<call:x>', tag)).toBe(true)
    expect(endsWithMarker('user: hi<call>', tag)).toBe(false)
    expect(endsWithMarker('<call:x> hi', tag)).toBe(false)
  })
})

it.each<Marker>(['<a>', ['<a', '>'], tag])('%j comes back from its key', (marker) => {
  expect(markerOf(keyOf(marker))).toEqual(marker)
  expect(searchFor(marker).match(spelled(marker), 0, true)).toBe(spelled(marker).length)
})
