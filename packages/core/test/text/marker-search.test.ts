import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TextWindow } from '../../src/text/text-window.ts'
import { NONE, PARTIAL } from '../../src/text/marker.ts'
import { MarkerSearch, searchFor } from '../../src/text/marker-search.ts'
import { isSpace } from '../../src/text/space.ts'

describe('finding markers', () => {
  it('finds what looking for each marker at each place would find', () => {
    fc.assert(
      fc.property(markersAndText(), fc.boolean(), ({ markers, text, from }, final) => {
        const search = new MarkerSearch<string>()
        for (const marker of markers) search.add(marker, wordOf(marker))
        const length = search.find(text, from, final)
        const found = length > 0 ? search.found : undefined
        expect({ at: search.index, length, found }).toEqual(naiveFind(markers, text, from, final))
      }),
      { numRuns: 10_000 },
    )
  })

  it('the longest of several markers at one place wins, in whatever order they were added', () => {
    for (const markers of [
      ['<a', '<a>', '<a>>'],
      ['<a>>', '<a>', '<a'],
    ]) {
      const search = new MarkerSearch<string>()
      for (const marker of markers) search.add(marker, marker)
      expect(search.match('<a>x', 0, false)).toBe(3)
      expect(search.found).toBe('<a>')
    }
  })

  it('the first place wins over the longer marker', () => {
    const search = searchFor('ab', 'bcd')
    expect(search.find('xabcd', 0, false)).toBe(2)
    expect(search.index).toBe(1)
  })

  it('half a marker at the end of the text is partial, unless nothing more can come', () => {
    const search = searchFor('<tool_call>')
    expect(search.find('text <tool', 0, false)).toBe(PARTIAL)
    expect(search.index).toBe(5)
    expect(search.find('text <tool', 0, true)).toBe(NONE)
    expect(search.index).toBe(10)
  })

  it('a marker that might still become a longer one is partial, unless nothing more can come', () => {
    const search = searchFor('<a', '<a>')
    expect(search.match('<a', 0, false)).toBe(PARTIAL)
    expect(search.match('<a', 0, true)).toBe(2)
    expect(search.match('<ab', 0, false)).toBe(2)
  })

  it('a marker that no other continues is found as soon as it is whole', () => {
    expect(searchFor('<a>', '<b>').match('<a>', 0, false)).toBe(3)
  })

  it('a false start does not hide the marker behind it', () => {
    const search = searchFor('<<a>')
    expect(search.find('<<<a> and a long text behind it', 0, false)).toBe(4)
    expect(search.index).toBe(1)
  })

  it('characters outside ASCII are markers like all others', () => {
    const search = searchFor('<｜tool▁calls▁begin｜>', '◁think▷', '😀')
    expect(search.find('some text ◁think▷', 0, false)).toBe('◁think▷'.length)
    expect(search.find('text <｜tool▁calls▁begin｜>', 0, false)).toBe('<｜tool▁calls▁begin｜>'.length)
    expect(search.find('x\ud83d', 0, false)).toBe(PARTIAL)
    expect(search.find('x😀', 0, false)).toBe(2)
  })

  it('without markers nothing is found', () => {
    const search = new MarkerSearch<true>()
    expect(search.find('any text of some length', 0, false)).toBe(NONE)
    expect(search.index).toBe(23)
    search.add('', true)
    expect(search.find('any text of some length', 0, true)).toBe(NONE)
  })

  it('a marker added later is found too', () => {
    const search = searchFor('<a>')
    expect(search.find('a long text with <b> in it', 0, false)).toBe(NONE)
    search.add('<b>', true)
    expect(search.find('a long text with <b> in it', 0, false)).toBe(3)
    expect(search.index).toBe(17)
  })

  it('hundreds of markers are told apart', () => {
    const markers = Array.from({ length: 500 }, (_, index) => `<m${index}>`)
    const search = new MarkerSearch<string>()
    for (const marker of markers) search.add(marker, marker)
    for (const marker of markers) {
      expect(search.find(`plain text ${marker} and more`, 0, false)).toBe(marker.length)
      expect(search.found).toBe(marker)
    }
  })

  it('asking what was found before anything was is a mistake of the caller', () => {
    expect(() => searchFor('a').found).toThrow(TypeError)
  })
})

describe('markers of several pieces', () => {
  const search = searchFor(['<|open|>', 'call ', '<|sep|>'])

  it('are found with white space between the pieces, or without', () => {
    expect(search.match('<|open|>call <|sep|>', 0, false)).toBe(20)
    expect(search.match('<|open|> \n call \t<|sep|>', 0, false)).toBe(24)
  })

  it('are not found with white space inside a piece, or anything else between them', () => {
    expect(search.match('<| open|>call <|sep|>', 0, false)).toBe(NONE)
    expect(search.match('<|open|>x call <|sep|>', 0, false)).toBe(NONE)
    expect(search.match('<|open|>\u00a0call <|sep|>', 0, false)).toBe(NONE)
  })

  it('are partial after white space between the pieces', () => {
    expect(search.match('<|open|>  ', 0, false)).toBe(PARTIAL)
  })

  it('may spread over 256 characters and no more, so that white space cannot hold text for ever', () => {
    expect(search.match(`<|open|>${' '.repeat(236)}call <|sep|>`, 0, false)).toBe(256)
    expect(search.match(`<|open|>${' '.repeat(237)}call <|sep|>`, 0, false)).toBe(NONE)
    expect(search.match(`<|open|>${' '.repeat(247)}`, 0, false)).toBe(PARTIAL)
    expect(search.match(`<|open|>${' '.repeat(248)}`, 0, false)).toBe(NONE)
  })
})

describe('words that count right behind a line break', () => {
  const search = new MarkerSearch<string>()
  search.addBehindBreak('call me', 'call')

  it('are found with the break, in a text that holds both', () => {
    for (const before of ['', 'Please do. ', 'Please do, and do it soon. ']) {
      const text = `${before}\ncall me`
      expect(search.nextStart(text, 0, 46)).toBe(before.length)
      expect(search.match(text, before.length, false)).toBe('\ncall me'.length)
    }
  })

  it('are found alone where the break ended the text before, whole or begun', () => {
    expect(search.nextStart('call me', 0, 10)).toBe(0)
    expect(search.matchInLines('call me', 0, false)).toBe('call me'.length)
    expect(search.matchInLines('ca', 0, false)).toBe(PARTIAL)
  })

  it('are words like any others elsewhere', () => {
    for (const text of ['call me', 'call me, or call me not'])
      expect(search.nextStart(text, 0, 46)).toBe(text.length)
  })

  it('hold no break at the end of a text', () => {
    for (const text of ['\n', 'Done.\n', 'Done, and done well.\n']) {
      expect(search.nextStart(text, 0, 46)).toBe(text.length)
    }
  })
})

describe('looking ahead', () => {
  it('skips white space and tells the marker without taking it', () => {
    const { search, input } = ahead(' \n</b>x')
    expect(search.ahead(input)).toBe('b')
    expect([input.at, search.length]).toEqual([2, 4])
  })

  it('says that none stands there', () => {
    const { search, input } = ahead('  x</b>')
    expect(search.ahead(input)).toBe('none')
    expect(input.at).toBe(2)
  })

  it.each(['', '  ', ' </'])('asks for more after %j', (text) => {
    const { search, input } = ahead(text)
    expect(search.ahead(input)).toBe('more')
    expect(text.slice(input.at)).toBe(text.trimStart())
  })

  it('at the end of the stream takes half a marker, which was cut off', () => {
    const { search, input } = ahead(' </')
    input.final = true
    expect(search.ahead(input)).toBe('more')
    expect(input.isEmpty).toBe(true)
  })

  it('at the end of the stream knows a marker that could have become longer', () => {
    const { search, input } = ahead('</b>')
    search.add('</b>>', 'longer')
    expect(search.ahead(input)).toBe('more')
    input.final = true
    expect(search.ahead(input)).toBe('b')
    expect(search.length).toBe(4)
  })
})

function ahead(text: string): { search: MarkerSearch<string>; input: TextWindow } {
  const search = new MarkerSearch<string>()
  search.add('</a>', 'a')
  search.add('</b>', 'b')
  const input = new TextWindow()
  input.append(text)
  return { search, input }
}

/** Without suffixes, which have tests of their own. */
type Pieces = string | readonly string[]

interface Haystack {
  readonly markers: readonly Pieces[]
  readonly text: string
  readonly from: number
}

/** Markers over a small alphabet, so that they share beginnings, and a text made of bits of them. */
function markersAndText(): fc.Arbitrary<Haystack> {
  const piece = fc.array(fc.constantFrom('<', '|', 'a', 'b', '｜'), { minLength: 1, maxLength: 3 })
  const word = piece.map((units) => units.join(''))
  const marker = fc.oneof(word, fc.array(word, { minLength: 2, maxLength: 3 }))
  const markers = fc.uniqueArray<Pieces, string>(marker, { minLength: 1, maxLength: 5, selector: wordOf })
  return markers.chain((chosen) => {
    const bits = chosen.flatMap((one) =>
      typeof one === 'string' ? [one] : [...one, one.join(' '), one.join('\n\t')],
    )
    const bit = fc.oneof(
      fc.constantFrom(...bits),
      fc.constantFrom('<', '|', 'a', 'b', ' ', '\n', 'x', '｜', 'plain words'),
    )
    const text = fc.array(bit, { maxLength: 8, size: 'max' }).map((parts) => parts.join(''))
    return fc.record({ markers: fc.constant(chosen), text, from: fc.nat({ max: 3 }) })
  })
}

function wordOf(marker: Pieces): string {
  return typeof marker === 'string' ? marker : marker.join('')
}

function naiveFind(
  markers: readonly Pieces[],
  text: string,
  from: number,
  final: boolean,
): { at: number; length: number; found: string | undefined } {
  for (let at = from; at < text.length; at++) {
    const outcomes = markers.map((marker) => naiveMatch(marker, markers, text, at))
    if (!final && outcomes.includes(PARTIAL)) return { at, length: PARTIAL, found: undefined }
    const length = Math.max(...outcomes)
    const winner = markers[outcomes.indexOf(length)]
    if (length > 0 && winner !== undefined) return { at, length, found: wordOf(winner) }
  }
  return { at: Math.max(from, text.length), length: NONE, found: undefined }
}

/** One marker at one place, character by character. */
function naiveMatch(marker: Pieces, all: readonly Pieces[], text: string, at: number): number {
  const word = wordOf(marker)
  const joints = new Set(all.flatMap(jointsOf))
  let cursor = at
  let matched = 0
  while (matched < word.length) {
    if (cursor === text.length) return PARTIAL
    if (text.charAt(cursor) === word.charAt(matched)) matched++
    else if (!joints.has(word.slice(0, matched)) || !isSpace(text.charCodeAt(cursor))) return NONE
    cursor++
  }
  return cursor - at
}

/** What stands in front of the places where white space may stand. Markers that begin alike share them. */
function jointsOf(marker: Pieces): string[] {
  if (typeof marker === 'string') return []
  return marker.slice(1).map((_, index) => marker.slice(0, index + 1).join(''))
}
