import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { coalesce } from '../../src/events.ts'
import { anyUnit, modelText } from '../support/model-output.ts'
import { rawEventsOf } from '../support/run-parser.ts'
import { channel, everyMode, numRuns, optionsOf, reason, setting } from './setting.ts'

describe.each(everyMode)('%s', (_, mode) => {
  it('never throws, whatever the string', () => {
    const anything = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.string({ unit: 'grapheme', maxLength: 100 }),
      fc.string({ unit: anyUnit(), maxLength: 200 }),
      modelText(mode),
    )
    const pieces = fc.array(fc.record({ text: anything, channel }), { maxLength: 5 })
    fc.assert(
      fc.property(
        pieces,
        setting,
        reason,
        fc.string({ unit: anyUnit() }),
        (output, chosen, end, promptTail) => {
          const events = rawEventsOf({ ...optionsOf(mode, chosen), promptTail }, output, end)
          expect(coalesce(events).length).toBeLessThanOrEqual(events.length)
        },
      ),
      { numRuns },
    )
  })
})
