import { isDeepStrictEqual } from 'node:util'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createTracer, type OutputTrace } from '../../src/trace.ts'
import { cutAt, lengthOf, type Piece, unitByUnit, whole } from '../support/chunkings.ts'
import { cuts, modelOutput } from '../support/model-output.ts'
import { type EndReason, eventsOf, type Options } from '../support/run-parser.ts'
import { everyMode, numRuns, optionsOf, reason, setting } from './setting.ts'

/** A trace costs several times as much as the events that it explains, and the laws of those have tried as many outputs. */
const numTraces = Math.ceil(numRuns / 3)

describe.each(everyMode)('%s', (_, mode) => {
  it('tells of every character what it became, the same for every chunking', () => {
    fc.assert(
      fc.property(modelOutput(mode), setting, reason, cuts(), (output, chosen, end, fractions) => {
        const options = optionsOf(mode, chosen)
        const input = whole(output)
        const expected = traceOf(options, input, end)
        expect(expected.events).toEqual(eventsOf(options, input, end))
        expect(gapIn(expected, lengthOf(input))).toBeUndefined()
        expect(misplacedIn(expected, input)).toEqual([])
        expect(traceOf(options, unitByUnit(input), end)).toEqual(expected)
        const offsets = fractions.map((part) => Math.floor(part * lengthOf(input)))
        expect(traceOf(options, cutAt(input, offsets), end)).toEqual(expected)
      }),
      { numRuns: numTraces },
    )
  })

  it('tells of every character at any time, and calls held what is not certain', () => {
    fc.assert(
      fc.property(modelOutput(mode), setting, (output, chosen) => {
        const tracer = createTracer(optionsOf(mode, chosen))
        const wrong: unknown[] = []
        let length = 0
        for (const { text, channel } of unitByUnit(whole(output))) {
          tracer.push(text, channel)
          length += text.length
          const trace = tracer.trace()
          const gap = gapIn(trace, length)
          const held = trace.spans.filter(({ kind }) => kind === 'held').map(({ from, to }) => [from, to])
          const expected = trace.held === null ? [] : [[trace.held.from, length]]
          // An `expect` for each character would take as long as all the rest.
          if (gap !== undefined || !isDeepStrictEqual(held, expected))
            wrong.push({ length, gap, held, expected })
        }
        expect(wrong).toEqual([])
      }),
      { numRuns: Math.ceil(numTraces / 3) },
    )
  })
})

it('a trace takes linear time, also where there is much to tell', () => {
  const sample = '<tool_call>{"name": "ping", "arguments": {"a": 1,}}}</tool_call> and\n'
  const timeOf = (count: number): number => {
    const began = performance.now()
    traceOf(
      { format: 'hermes' },
      Array.from({ length: count }, () => ({ text: sample, channel: 'content' })),
      'stop',
    )
    return performance.now() - began
  }
  const short = Math.min(...[1, 2, 3].map(() => timeOf(200)))
  // Ten times is linear, a hundred quadratic. A busy machine can only make a run slower: one quick run proves the point.
  const limit = 30 * short + 10
  expect([1, 2, 3, 4, 5].some(() => timeOf(2000) < limit)).toBe(true)
}, 60_000)

function traceOf(options: Options, pieces: readonly Piece[], end: EndReason | undefined): OutputTrace {
  const tracer = createTracer(options)
  for (const { text, channel } of pieces) tracer.push(text, channel)
  tracer.end(end)
  return tracer.trace()
}

/** Where the spans do not follow each other, or do not end where the input does. */
function gapIn({ spans }: OutputTrace, length: number): number | undefined {
  let at = 0
  for (const { from, to } of spans) {
    if (from !== at || to <= from) return at
    at = to
  }
  return at === length ? undefined : at
}

/** Events of text and reasoning whose characters are not those of their spans. */
function misplacedIn({ events, spans }: OutputTrace, input: readonly Piece[]): string[] {
  const source = input.map(({ text }) => text).join('')
  const written = events.map(() => '')
  for (const { from, to, kind, event } of spans) {
    if (event !== null && (kind === 'text' || kind === 'reasoning')) written[event] += source.slice(from, to)
  }
  return events.flatMap((event, index) => {
    if (event.type !== 'text' && event.type !== 'reasoning') return []
    return event.text === written[index]
      ? []
      : [`${JSON.stringify(event)} from ${JSON.stringify(written[index])}`]
  })
}
