import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyUnit, markersIn, modelOutput } from '../support/model-output.ts'
import { sampleTools } from '../support/modes.ts'
import { callsOf, eventsOf } from '../support/run-parser.ts'
import { argumentsIn, valuesIn } from '../support/sample-places.ts'
import { everyMode, inContent, numRuns, optionsOf, reason, setting } from './setting.ts'

describe.each(everyMode)('%s', (_, mode) => {
  it.each(mode.samples)('reads the sample %j', (sample) => {
    const events = eventsOf({ ...mode.options, tools: sampleTools }, inContent(sample))
    const [call, ...others] = callsOf(events)
    expect(call).toMatchObject({ name: 'get_weather', complete: true })
    expect(JSON.parse(call?.json ?? '')).toEqual({ city: 'Paris' })
    expect(others).toEqual([])
    expect(events.filter((event) => event.type === 'problem' || event.type === 'repair')).toEqual([])
  })

  it('calls complete only what is valid JSON', () => {
    fc.assert(
      fc.property(modelOutput(mode), setting, reason, (output, chosen, end) => {
        for (const call of callsOf(eventsOf(optionsOf(mode, chosen), output, end))) {
          if (call.complete) expect(() => JSON.parse(call.json), call.json).not.toThrow()
        }
      }),
      { numRuns },
    )
  })

  // In auto mode, with no tools known, JSON that no marker announces is nobody's call.
  const announced = mode.samples.filter(
    (sample) => !mode.title.startsWith('auto') || !/^\s*\[?\{/.test(sample),
  )

  it.each(announced.flatMap(argumentsIn))(
    'passes JSON between $before and $after on byte for byte',
    (place) => {
      const key = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'a'))
      const leaf = fc.oneof(fc.jsonValue(), fc.constantFrom('', ...mode.samples.flatMap(markersIn)))
      const json = fc
        .tuple(fc.dictionary(key, leaf), fc.constantFrom(undefined, 1, '\t'))
        .map(([value, indent]) => JSON.stringify(value, undefined, indent))
      fc.assert(
        fc.property(json, (written) => {
          const [call] = callsOf(eventsOf(mode.options, inContent(place.before + written + place.after)))
          expect(call).toMatchObject({ json: written, complete: true })
        }),
        { numRuns },
      )
    },
  )

  it.each(mode.samples.flatMap(valuesIn))('passes text between $before and $after on unchanged', (place) => {
    const options = { ...mode.options, tools: sampleTools }
    const text = fc
      .string({ unit: anyUnit(), minLength: 1 })
      .filter((value) => /^[^\s<][^<]*(?<!\s)$/s.test(value))
    fc.assert(
      fc.property(text, (written) => {
        const [call] = callsOf(eventsOf(options, inContent(place.before + written + place.after)))
        expect(call?.complete).toBe(true)
        expect(JSON.parse(call?.json ?? '')).toEqual({ city: written })
      }),
      { numRuns },
    )
  })

  it.each(mode.samples)('never takes a cut of %j for a whole call', (sample) => {
    for (const options of [mode.options, { ...mode.options, tools: sampleTools }]) {
      const uncut = callsOf(eventsOf(options, inContent(sample)))
      for (let length = 0; length < sample.length; length += 1) {
        const cut = inContent(sample.slice(0, length))
        for (const end of [undefined, 'length', 'error'] as const) {
          const complete = callsOf(eventsOf(options, cut, end)).filter((call) => call.complete)
          if (complete.length > 0) expect(complete, `cut at ${length}, ended by ${end}`).toEqual(uncut)
        }
      }
    }
  })
})
