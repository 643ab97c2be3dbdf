import { createParser } from 'eventsource-parser'
import * as fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { encodeSse, encodeSseComment } from '../../src/sse/encoder.ts'
import type { SseItem } from '../../src/sse/items.ts'
import { decode, eventsOf, limited } from './reading.ts'

describe('any stream', () => {
  it('reads as eventsource-parser reads it', () => {
    fc.assert(
      fc.property(streams, cuts, (stream, at) => {
        expect(asParserSees(decode(split(stream, at)))).toEqual(parserLog(stream))
      }),
      { numRuns: 2000 },
    )
  })

  it('reads alike in every chunking, as text and as bytes', () => {
    fc.assert(
      fc.property(streams, cuts, (stream, at) => {
        const whole = decode([stream])
        const bytes = new TextEncoder().encode(stream)
        expect(decode(split(stream, at))).toEqual(whole)
        expect(decode(stream.split(''))).toEqual(whole)
        expect(decode(split(bytes, at))).toEqual(whole)
        expect(decode(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(whole)
      }),
      { numRuns: 500 },
    )
  })

  it('gives each event a source that is a part of the stream, in order, and decodes to the same event', () => {
    fc.assert(
      fc.property(streams, (stream) => {
        let from = 0
        for (const item of decode([stream])) {
          if (item.kind !== 'event' && item.kind !== 'fields') continue
          const at = stream.indexOf(item.source, from)
          expect(at).toBeGreaterThanOrEqual(from)
          from = at + item.source.length
          expect(decode(['\n', item.source]).filter(({ kind }) => kind !== 'comment')).toEqual([item])
        }
      }),
      { numRuns: 500 },
    )
  })

  it('of bytes that are not UTF-8 throws nothing and reads alike in every chunking', () => {
    const byte = fc.oneof(
      fc.integer({ min: 0, max: 255 }),
      fc.constantFrom(...new TextEncoder().encode('data: \r\n')),
    )
    fc.assert(
      fc.property(fc.array(byte), cuts, (bytes, at) => {
        const whole = Uint8Array.from(bytes)
        expect(decode(split(whole, at))).toEqual(decode([whole]))
      }),
    )
  })

  it('meets the limit alike in every chunking', () => {
    fc.assert(
      fc.property(streams, cuts, fc.integer({ min: 1, max: 60 }), (stream, at, limit) => {
        const expected = decode([stream], limited(limit))
        expect(decode(split(stream, at), limited(limit))).toEqual(expected)
        expect(decode(stream.split(''), limited(limit))).toEqual(expected)
      }),
      { numRuns: 500 },
    )
  })

  it('that is cut off reads as if the closing lines of its last event had come', () => {
    fc.assert(
      fc.property(streams, (stream) => {
        const cut = decode([stream]).filter((item) => item.kind === 'event')
        const closed = decode([`${stream}\n\n`]).filter((item) => item.kind === 'event')
        expect(cut.map(meaning)).toEqual(closed.map(meaning))
      }),
    )
  })
})

describe('the work', () => {
  it.each<[string, (size: number) => { stream: string; chunk: number }]>([
    ['one line in chunks of ten', (size) => ({ stream: `data: ${'x'.repeat(size * 10)}\n\n`, chunk: 10 })],
    ['many data lines in chunks of three', (size) => ({ stream: 'data: x\n'.repeat(size / 8), chunk: 3 })],
    ['lines of lone CRs in one chunk', (size) => ({ stream: 'data: x\r'.repeat(size / 8), chunk: size })],
    [
      'lines of LF and one late CR',
      (size) => ({ stream: `${'x: y\n'.repeat(size / 5)}\r`, chunk: size + 1 }),
    ],
    ['lines without a colon', (size) => ({ stream: 'x\n'.repeat(size / 2), chunk: size })],
    ['small events in one chunk', (size) => ({ stream: 'data: x\n\n'.repeat(size / 9), chunk: size })],
    ['lines cut before their end', (size) => ({ stream: 'data: x\n\n'.repeat(size / 9), chunk: 7 })],
    ['nothing but CR', (size) => ({ stream: '\r'.repeat(size), chunk: 1 })],
  ])('grows with the length of the stream and no faster: %s', (_name, build) => {
    for (const size of [9_000, 90_000]) {
      const { stream, chunk } = build(size)
      const chunks: string[] = []
      for (let at = 0; at < stream.length; at += chunk) chunks.push(stream.slice(at, at + chunk))
      expect(charactersTouched(() => decode(chunks)) / stream.length).toBeLessThan(12)
    }
  })
})

describe('what was encoded', () => {
  it('decodes to the same', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(fc.constantFrom('\r', '\n', ' ', ':', 'a')).map((all) => all.join('')),
    )
    const line = text.map((value) => value.replaceAll(/[\r\n\0]/g, ''))
    const message = fc.record(
      { data: text, event: line.filter((name) => name !== ''), id: line, retry: fc.maxSafeNat() },
      { requiredKeys: ['data'] },
    )
    fc.assert(
      fc.property(fc.array(message), (messages) => {
        const decoded = eventsOf(decode([messages.map((each) => encodeSse(each)).join('')]))
        expect(decoded.map(({ event, data, id, retry }) => ({ event, data, id, retry }))).toEqual(
          messages.map(({ event, data, id, retry }) => ({
            event,
            data: data.replaceAll(/\r\n?/g, '\n'),
            id,
            retry,
          })),
        )
      }),
    )
  })

  it('as a comment decodes to its lines', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(decode([encodeSseComment(text)])).toEqual(
          text.split(/\r\n|\r|\n/).map((line) => ({ kind: 'comment', text: line })),
        )
      }),
    )
  })

  it('from a decoded event means the same, and never throws', () => {
    fc.assert(
      fc.property(streams, (stream) => {
        const events = eventsOf(decode([stream]))
        expect(decode(events.map((event) => encodeSse(event))).map(meaning)).toEqual(events.map(meaning))
      }),
      { numRuns: 500 },
    )
  })
})

/** Streams of everything that has a rule, and of text that has none. */
const streams = fc
  .tuple(
    fc.constantFrom('', '\uFEFF'),
    fc.array(
      fc.oneof(
        { weight: 6, arbitrary: fc.constantFrom('\n', '\r\n', '\r', '\n\n', '\r\n\r\n', '\r\r') },
        {
          weight: 6,
          arbitrary: fc.constantFrom(
            'data: ',
            'data:',
            'data',
            'event: ',
            'event',
            'id: ',
            'id',
            'retry: ',
            ': ',
            'x-y: ',
          ),
        },
        {
          weight: 4,
          arbitrary: fc.constantFrom(' ', ':', '\0', '7', '42', 'ü', '値', '🙂', '\uFEFF', '{"a":1}'),
        },
        { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }) },
      ),
      { maxLength: 40 },
    ),
  )
  .map(([mark, tokens]) => mark + tokens.join(''))

const cuts = fc.array(fc.nat(400), { maxLength: 12 })

function split(whole: string | Uint8Array, at: readonly number[]): (string | Uint8Array)[] {
  const bounds = [0, ...at.filter((cut) => cut < whole.length).toSorted((a, b) => a - b), whole.length]
  return bounds.slice(1).map((to, index) => whole.slice(bounds[index], to))
}

function meaning(item: SseItem): unknown {
  return { ...item, terminated: undefined, source: undefined }
}

type Seen =
  | { event: string | undefined; data: string; id: string | undefined; lastRetry: number | undefined }
  | { comment: string }

/**
 * The events that were closed, and the comments. That parser gives `retry` line by line, so what compares is
 * the last value before each event.
 */
function asParserSees(items: readonly SseItem[]): Seen[] {
  const seen: Seen[] = []
  let lastRetry: number | undefined
  for (const item of items) {
    if (item.kind === 'comment') seen.push({ comment: item.text })
    if (item.kind !== 'event' && item.kind !== 'fields') continue
    lastRetry = item.retry ?? lastRetry
    if (item.kind === 'event' && item.terminated) {
      seen.push({ event: item.event, data: item.data, id: item.id, lastRetry })
    }
  }
  return seen
}

function parserLog(stream: string): Seen[] {
  const seen: Seen[] = []
  let lastRetry: number | undefined
  const parser = createParser({
    onEvent: ({ event, data, id }) => seen.push({ event, data, id, lastRetry }),
    onComment: (comment) => seen.push({ comment }),
    onRetry: (retry) => {
      if (Number.isSafeInteger(retry)) lastRetry = retry
    },
  })
  // That parser leaves U+FEFF to its caller, and waits for the LF after a last CR.
  parser.feed(stream.replace(/^\uFEFF/, '') + (stream.endsWith('\r') ? '\n' : ''))
  parser.reset({ consume: true })
  return seen
}

/** How many characters searching, cutting and joining went over while `run` ran. */
function charactersTouched(run: () => void): number {
  const searches = vi.spyOn(String.prototype, 'indexOf')
  const cuttings = vi.spyOn(String.prototype, 'slice')
  const joinings = vi.spyOn(Array.prototype, 'join')
  try {
    run()
    let touched = 0
    searches.mock.calls.forEach(([, from = 0], call) => {
      const found: unknown = searches.mock.results[call]?.value
      const searched = String(searches.mock.contexts[call])
      touched += (typeof found === 'number' && found !== -1 ? found + 1 : searched.length) - from
    })
    for (const { value } of cuttings.mock.results) touched += String(value).length
    for (const { value } of joinings.mock.results) touched += String(value).length
    return touched
  } finally {
    searches.mockRestore()
    cuttings.mockRestore()
    joinings.mockRestore()
  }
}
