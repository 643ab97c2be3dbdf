import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutAt, lengthOf, unitByUnit, whole } from '../support/chunkings.ts'
import { eventLog } from '../support/event-log.ts'
import { cuts, modelOutput } from '../support/model-output.ts'
import { eventsOf } from '../support/run-parser.ts'
import { chunkingsPerOutput, everyMode, numRuns, optionsOf, reason, setting } from './setting.ts'

describe.each(everyMode)('%s', (_, mode) => {
  it('gives the same events for every chunking', () => {
    const someCuts = fc.array(cuts(), { minLength: chunkingsPerOutput, maxLength: chunkingsPerOutput })
    fc.assert(
      fc.property(modelOutput(mode), setting, reason, someCuts, (output, chosen, end, cutLists) => {
        const options = optionsOf(mode, chosen)
        const input = whole(output)
        const expected = eventLog(eventsOf(options, input, end))
        expect(eventLog(eventsOf(options, unitByUnit(input), end))).toBe(expected)
        for (const fractions of cutLists) {
          const offsets = fractions.map((part) => Math.floor(part * lengthOf(input)))
          expect(eventLog(eventsOf(options, cutAt(input, offsets), end))).toBe(expected)
        }
      }),
      { numRuns },
    )
  })
})
