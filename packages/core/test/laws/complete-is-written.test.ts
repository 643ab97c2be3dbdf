import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ModelEvent } from '../../src/events.ts'
import { damagedCalls, hostileCalls } from '../support/hostile-calls.ts'
import { sampleTools } from '../support/modes.ts'
import { callsOf, eventsOf } from '../support/run-parser.ts'
import { everyMode, inContent, numRuns, reason } from './setting.ts'

// A format that reads nothing in-band writes nothing either.
const writingModes = everyMode.filter(([, mode]) => mode.samples.length > 0)

describe.each(writingModes)('%s', (_, mode) => {
  const options = { ...mode.options, tools: sampleTools }

  it.each(mode.samples)('gives back what was written as %j, whatever stands in it', (sample) => {
    fc.assert(
      fc.property(hostileCalls(mode, sample), ({ text, meant }) => {
        const calls = callsOf(eventsOf(options, inContent(text)))
        expect(calls.map(({ json, complete }) => (complete ? JSON.parse(json) : null))).toEqual(
          meant.map((city) => ({ city })),
        )
      }),
      { numRuns },
    )
  })

  it.each(mode.samples)('calls complete only what was meant as %j, or says what it changed', (sample) => {
    fc.assert(
      fc.property(damagedCalls(mode, sample), reason, ({ text, meant }, end) => {
        for (const { args, isExplained } of completeCalls(eventsOf(options, inContent(text), end))) {
          if (!isExplained) expect(meant.map((city) => ({ city }))).toContainEqual(args)
        }
      }),
      { numRuns },
    )
  })
})

interface CompleteCall {
  readonly args: unknown
  /** A problem or a repair tells what is odd about it. */
  readonly isExplained: boolean
}

/** What is said of a call is said before the next one begins. */
function completeCalls(events: readonly ModelEvent[]): CompleteCall[] {
  const starts = events.flatMap(({ type }, at) => (type === 'call-start' ? [at] : []))
  return starts.flatMap((start, index) => {
    const own = events.slice(start, starts[index + 1])
    const [call] = callsOf(own)
    const isExplained = own.some(({ type }) => type === 'problem' || type === 'repair')
    return call?.complete ? [{ args: JSON.parse(call.json), isExplained }] : []
  })
}
