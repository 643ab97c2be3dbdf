import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ModelEvent } from '../../src/events.ts'
import { createParser } from '../../src/parser.ts'
import { fraction, markersIn } from '../support/model-output.ts'
import { callsOf, joined } from '../support/run-parser.ts'
import { everyMode, numRuns } from './setting.ts'

describe.each(everyMode)('%s', (_, mode) => {
  it('passes plain prose on at once', () => {
    const letters = 'abcdefghijklmnopqrstuvwxyz ,.;!?\n'
      .split('')
      .filter((letter) =>
        [...mode.samples, ...mode.firstWords].every((marker) => !marker.trimStart().startsWith(letter)),
      )
    const text = fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(text, (written) => {
        const prose = mode.hasHeaders ? written.trimStart() : written
        const parser = createParser(mode.options)
        for (const letter of prose) {
          expect(joined(parser.push(letter), 'text'), `in ${JSON.stringify(prose)}`).toBe(letter)
        }
        expect(parser.end()).toEqual([])
      }),
      { numRuns },
    )
  })

  it('holds at most 256 characters for an opener that comes to nothing', () => {
    const markers = mode.samples.flatMap(markersIn)
    const halfMarker = fc
      .tuple(fc.constantFrom('<|', ...markers), fraction())
      .map(([marker, part]) => marker.slice(0, Math.floor(part * marker.length)))
    const breaker = fc.constantFrom('zz', ' zz', '\nzz', 'z<', '(', 'z'.repeat(300))
    const text = fc
      .array(fc.tuple(fc.constantFrom('Hm. ', 'so ', '\n', ''), halfMarker, breaker), {
        maxLength: 8,
        size: 'max',
      })
      .map((parts) => parts.flat().join(''))
    fc.assert(
      fc.property(text, (input) => {
        const parser = createParser(mode.options)
        const events: ModelEvent[] = []
        let held = 0
        let mostHeld = 0
        for (const unit of input) {
          const given = parser.push(unit)
          held += blackLength(unit) - blackLength(joined(given, 'text'))
          mostHeld = Math.max(mostHeld, held)
          events.push(...given)
        }
        expect(mostHeld).toBeLessThanOrEqual(256)
        events.push(...parser.end())
        expect(callsOf(events)).toEqual([])
        expect(joined(events, 'text')).toBe(input)
      }),
      { numRuns },
    )
  })
})

it('passes a line break on at once where headers may stand behind it without their tokens', () => {
  const tools = [{ name: 'get_weather', parameters: { type: 'object' } }]
  const header = 'assistant to=functions.get_weather commentary json'
  const parser = createParser({ format: 'auto', tools })
  expect(joined([...parser.push('Let me look.'), ...parser.push('\n')], 'text')).toBe('Let me look.\n')
  const events = [...parser.push(header), ...parser.push('{"city":"Paris"}'), ...parser.end()]
  expect(callsOf(events)).toMatchObject([{ name: 'get_weather', json: '{"city":"Paris"}' }])
})

/** Whitespace does not count: next to a marker it may be held longer. */
function blackLength(text: string): number {
  return text.replaceAll(/\s/g, '').length
}
