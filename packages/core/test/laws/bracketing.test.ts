import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bracketFault } from '../support/bracket-fault.ts'
import { unitByUnit } from '../support/chunkings.ts'
import { modelOutput } from '../support/model-output.ts'
import { rawEventsOf } from '../support/run-parser.ts'
import { everyMode, numRuns, optionsOf, reason, setting } from './setting.ts'

describe.each(everyMode)('%s', (_, mode) => {
  it('brackets every call and numbers them from zero', () => {
    fc.assert(
      fc.property(modelOutput(mode), setting, reason, (output, chosen, end) => {
        expect(bracketFault(rawEventsOf(optionsOf(mode, chosen), unitByUnit(output), end))).toBeNull()
      }),
      { numRuns },
    )
  })
})
