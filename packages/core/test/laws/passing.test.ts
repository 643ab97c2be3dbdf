import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { coalesce, EventCollector, type ModelEvent } from '../../src/events.ts'
import { createParser } from '../../src/parser.ts'
import { createPassingStage } from '../../src/parser-stage.ts'
import { cutAt } from '../support/chunkings.ts'
import { eventLog } from '../support/event-log.ts'
import { cuts, fraction, modelText } from '../support/model-output.ts'
import type { Options } from '../support/run-parser.ts'
import { everyMode, inContent, numRuns, optionsOf, setting } from './setting.ts'

describe.each(everyMode)('%s', (_, mode) => {
  it('holds the same text whatever the chunks', () => {
    fc.assert(
      fc.property(modelText(mode), setting, (text, chosen) => {
        const [inOne, inUnits] = [
          createParser(optionsOf(mode, chosen)),
          createParser(optionsOf(mode, chosen)),
        ]
        const given = coalesce(text.split('').flatMap((unit) => inUnits.push(unit)))
        expect(eventLog(given)).toBe(eventLog(coalesce(inOne.push(text))))
      }),
      { numRuns },
    )
  })

  it('passes on as it is what it says would pass, in pieces and at once', () => {
    fc.assert(
      fc.property(modelText(mode), setting, cuts(), fraction(), (text, chosen, fractions, part) => {
        const offsets = fractions.map((cut) => Math.floor(cut * text.length))
        const pieces = cutAt(inContent(`So. ${text}`), offsets).map((piece) => piece.text)
        const read = Math.floor(part * pieces.length)
        const inPieces = parserBehind(pieces.slice(0, read), optionsOf(mode, chosen))
        const atOnce = parserBehind(pieces.slice(0, read), optionsOf(mode, chosen))
        const rest = pieces.slice(read)
        const ends = rest.map((_piece, at) => rest.slice(0, at + 1).join('').length)
        const passing = rest.slice(0, inPieces.countPassing(rest.join(''), ends))
        const asTheyAre = passing.map((piece): ModelEvent => ({ type: 'text', text: piece }))
        expect(passing.flatMap((piece) => inPieces.push(piece))).toEqual(asTheyAre)
        expect(coalesce(atOnce.push(passing.join('')))).toEqual(coalesce(asTheyAre))
      }),
      { numRuns },
    )
  })
})

interface PassingParser {
  push(text: string): ModelEvent[]
  countPassing(text: string, ends: readonly number[]): number
}

/** A parser that has read these pieces. */
function parserBehind(pieces: readonly string[], options: Options): PassingParser {
  const events = new EventCollector()
  const stage = createPassingStage(options, events)
  for (const piece of pieces) stage.push(piece, 'content')
  events.take()
  return {
    push: (text) => {
      stage.push(text, 'content')
      return events.take()
    },
    countPassing: (text, ends) => stage.countPassing(text, ends),
  }
}
