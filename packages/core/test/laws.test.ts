import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { coalesce, type ModelEvent } from '../src/events.ts'
import { createParser, createPassingParser, type PassingParser } from '../src/parser.ts'
import { bracketFault } from './support/bracket-fault.ts'
import { cutAt, lengthOf, unitByUnit, whole, type Channel, type Piece } from './support/chunkings.ts'
import { eventLog } from './support/event-log.ts'
import {
  anyUnit,
  cuts,
  fraction,
  markersIn,
  modelOutput,
  modelText,
  textWithWords,
} from './support/model-output.ts'
import { hostileInputs, parseTime } from './support/hostile-inputs.ts'
import { modes, sampleTools, type Mode } from './support/modes.ts'
import { argumentsIn, valuesIn } from './support/sample-places.ts'
import { callsOf, eventsOf, joined, rawEventsOf, type EndReason, type Options } from './support/run-parser.ts'

/** Random chunkings over the whole file; each law takes its share of outputs from the same number. */
const chunkings = Number(process.env['LAWS_RUNS'] ?? 100_000)
const chunkingsPerOutput = 10
const numRuns = Math.ceil(chunkings / chunkingsPerOutput / modes.length)

const reasons: readonly (EndReason | undefined)[] = [undefined, 'stop', 'length', 'tool_calls', 'error']

const setting = fc.record({
  tools: fc.constantFrom<Options['tools']>(undefined, [], sampleTools, sampleTools, sampleTools),
  promptOpensReasoning: fc.constantFrom(undefined, true, false),
  delivery: fc.constantFrom<'incremental' | 'complete'>('incremental', 'incremental', 'complete'),
  toolCallBytes: fc.oneof(fc.constant(undefined), fc.integer({ min: 1, max: 160 })),
  overflow: fc.constantFrom<'error' | 'flush'>('error', 'flush'),
})

const reason = fc.constantFrom(...reasons)

const channel = fc.constantFrom<Channel>('content', 'content', 'reasoning')

describe.each(modes.map((mode) => [mode.title, mode] as const))('%s', (_, mode) => {
  it.each(mode.samples)('reads the sample %j', (sample) => {
    const events = eventsOf({ ...mode.options, tools: sampleTools }, inContent(sample))
    const [call, ...others] = callsOf(events)
    expect(call).toMatchObject({ name: 'get_weather', complete: true })
    expect(JSON.parse(call?.json ?? '')).toEqual({ city: 'Paris' })
    expect(others).toEqual([])
    expect(events.filter((event) => event.type === 'problem' || event.type === 'repair')).toEqual([])
  })

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

  it('loses nothing that a model wrote', () => {
    fc.assert(
      fc.property(textWithWords(mode), channel, setting, reason, ({ text, words }, from, chosen, end) => {
        const accounted = accountOf(eventsOf(optionsOf(mode, chosen), [{ text, channel: from }], end))
        const lost = words.filter((word) => !accounted.includes(word))
        expect(lost, `from ${JSON.stringify(text)}`).toEqual([])
      }),
      { numRuns },
    )
  })

  it('passes plain prose on at once', () => {
    const letters = 'abcdefghijklmnopqrstuvwxyz ,.;!?\n'
      .split('')
      .filter((letter) =>
        [...mode.samples, ...mode.firstWords].every((marker) => !marker.trimStart().startsWith(letter)),
      )
    const text = fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(text, (prose) => {
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

  // The header of a message is markup, whatever becomes of its body.
  const unheaded = mode.samples.filter((sample) => !sample.startsWith('to='))

  it.each(unheaded)('gives out whole what it may not hold of %j', (sample) => {
    for (const text of [`Hi. ${sample}\nBye. `, sample.replace('Paris', 'New  York') + sample]) {
      for (let toolCallBytes = 1; toolCallBytes < sample.length; toolCallBytes += 1) {
        const limits = { toolCallBytes, overflow: 'flush' } as const
        const events = eventsOf({ ...mode.options, delivery: 'complete', limits }, inContent(text))
        const isCalled = callsOf(events).length > 0
        if (!isCalled) expect(joined(events, 'text'), `at most ${toolCallBytes}`).toBe(text)
      }
    }
  })

  it('brackets every call and numbers them from zero', () => {
    fc.assert(
      fc.property(modelOutput(mode), setting, reason, (output, chosen, end) => {
        expect(bracketFault(rawEventsOf(optionsOf(mode, chosen), unitByUnit(output), end))).toBeNull()
      }),
      { numRuns },
    )
  })

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

  it.each(hostileInputs(mode))('takes linear time for %s', (_title, before, repeated) => {
    const textOf = (length: number) => before + repeated.repeat(Math.ceil(length / repeated.length))
    const [short, long] = [textOf(6000), textOf(60_000)]
    for (const chunk of [16, long.length]) {
      const time = Math.min(...[1, 2, 3].map(() => parseTime(mode, short, chunk)))
      // Linear is ten times; a quadratic parser takes a hundred. Between them lie a busy machine and a cold
      // compiler, which can only make a run slower: one quick run of five proves the point.
      const limit = 30 * time + 10
      const isQuick = [1, 2, 3, 4, 5].some(() => parseTime(mode, long, chunk) < limit)
      expect(isQuick, `6 KB took ${time} ms, 60 KB never less than ${limit}, in chunks of ${chunk}`).toBe(
        true,
      )
    }
  })
})

interface Setting {
  readonly tools: Options['tools']
  readonly promptOpensReasoning: boolean | undefined
  readonly delivery: 'incremental' | 'complete'
  readonly toolCallBytes: number | undefined
  readonly overflow: 'error' | 'flush'
}

function optionsOf(mode: Mode, chosen: Setting): Options {
  const { tools, promptOpensReasoning, delivery, toolCallBytes, overflow } = chosen
  return {
    ...mode.options,
    delivery,
    limits: { overflow, ...(toolCallBytes === undefined ? {} : { toolCallBytes }) },
    ...(tools === undefined ? {} : { tools }),
    ...(promptOpensReasoning === undefined ? {} : { promptOpensReasoning }),
  }
}

function parserBehind(pieces: readonly string[], options: Options): PassingParser {
  const parser = createPassingParser(options)
  for (const piece of pieces) parser.push(piece)
  return parser
}

function inContent(text: string): Piece[] {
  return [{ text, channel: 'content' }]
}

/** Everything a client can see of an answer. */
function accountOf(events: readonly ModelEvent[]): string {
  const calls = callsOf(events).flatMap((call) => [call.id ?? '', call.name, call.json])
  const sources = events.map((event) => (event.type === 'problem' ? event.source : ''))
  // A limit may cut a word in two: the first half is in the report, the second goes on as text.
  const joints = events.flatMap((event, at) =>
    event.type === 'problem' ? [event.source + joined(events.slice(at), 'text')] : [],
  )
  return [joined(events, 'text'), joined(events, 'reasoning'), ...calls, ...sources, ...joints].join('\n')
}

/** Whitespace does not count: next to a marker it may be held longer. */
function blackLength(text: string): number {
  return text.replaceAll(/\s/g, '').length
}
