import { describe, expect, it } from 'vitest'
import { createSseDecoder } from '../../src/sse/decoder.ts'
import { encodeSse, encodeSseComment } from '../../src/sse/encoder.ts'
import type { SseEvent, SseItem } from '../../src/sse/items.ts'
import { DragomanError } from '../../src/errors.ts'
import { decode, eventsOf, everyChunking, limited } from './reading.ts'

describe('lines', () => {
  it.each([
    ['LF', 'data: a\n\ndata: b\n\n', ['data: a\n\n', 'data: b\n\n']],
    ['CRLF', 'data: a\r\n\r\ndata: b\r\n\r\n', ['data: a\r\n\r\n', 'data: b\r\n\r\n']],
    ['CR', 'data: a\r\rdata: b\r\r', ['data: a\r\r', 'data: b\r\r']],
    ['mixed ends', 'data: a\n\r\ndata: b\r\n\n', ['data: a\n\r\n', 'data: b\r\n\n']],
  ])('may end in %s, and the source keeps that', (_name, stream, sources) => {
    for (const chunks of everyChunking(stream)) {
      const events = eventsOf(decode(chunks))
      expect(events.map((event) => event.data)).toEqual(['a', 'b'])
      expect(events.map((event) => event.source)).toEqual(sources)
    }
  })

  it('an event is given with the character that closes it', () => {
    const decoder = createSseDecoder()
    expect(decoder.push('data: a\n')).toEqual([])
    expect(decoder.push('\n')).toEqual([anEvent({ data: 'a', source: 'data: a\n\n' })])
  })

  it('an event on a stream of lone CRs does not wait for the next one', () => {
    const decoder = createSseDecoder()
    expect(decoder.push('data: a\r')).toEqual([])
    expect(decoder.push('\r')).toEqual([anEvent({ data: 'a', source: 'data: a\r\r' })])
    expect(decoder.push('\ndata: b\r\r')).toEqual([anEvent({ data: 'b', source: 'data: b\r\r' })])
  })

  it('a CRLF cut in two is one line end', () => {
    expect(decode(['data: a\r', '\ndata: b\r', '\n\r', '\n'])).toEqual([
      anEvent({ data: 'a\nb', source: 'data: a\r\ndata: b\r\n\r\n' }),
    ])
  })

  it('a line in thousands of pieces keeps their order', () => {
    const pieces = Array.from({ length: 5000 }, (_, index) => `${index},`)
    expect(decode(['data: ', ...pieces, '\n\n'])).toMatchObject([{ data: pieces.join('') }])
  })

  it('blank lines between events mean nothing', () => {
    expect(decode(['\n\n\r\ndata: a\n\n\n\ndata: b\n\n\n'])).toEqual([
      anEvent({ data: 'a', source: 'data: a\n\n' }),
      anEvent({ data: 'b', source: 'data: b\n\n' }),
    ])
  })
})

describe('fields', () => {
  it.each<[string, string, Partial<SseEvent>]>([
    ['several data lines are joined with a line feed', 'data: a\ndata: b\ndata:\n\n', { data: 'a\nb\n' }],
    ['one space after the colon is dropped', 'data: a\n\n', { data: 'a' }],
    ['a second space is kept', 'data:  a\n\n', { data: ' a' }],
    ['no space is needed', 'data:a\n\n', { data: 'a' }],
    ['a tab is not a space', 'data:\ta\n\n', { data: '\ta' }],
    ['further colons belong to the value', 'data: a: b:\n\n', { data: 'a: b:' }],
    ['an empty data line is data', 'data:\n\n', { data: '' }],
    ['a field without a colon has an empty value', 'data\ndata\n\n', { data: '\n' }],
    ['event names the event', 'event: ping\ndata: a\n\n', { event: 'ping', data: 'a' }],
    ['the last event name counts', 'event: a\nevent: b\ndata\n\n', { event: 'b', data: '' }],
    ['an empty event name is none', 'event: a\nevent:\ndata\n\n', { data: '' }],
    ['an id is kept', 'id: 7\ndata\n\n', { id: '7', data: '' }],
    ['an empty id is kept', 'id\ndata\n\n', { id: '', data: '' }],
    ['an id with NUL is ignored', 'id: 1\nid: 2\0\ndata\n\n', { id: '1', data: '' }],
    ['retry is a number', 'retry: 0300\ndata\n\n', { retry: 300, data: '' }],
    [
      'retry with anything but digits is ignored',
      'retry: 5\nretry: 1e3\nretry: -1\ndata\n\n',
      { retry: 5, data: '' },
    ],
    ['an empty retry is ignored', 'retry:\ndata\n\n', { data: '' }],
    ['a retry past every exact number is ignored', `retry: ${'9'.repeat(400)}\ndata\n\n`, { data: '' }],
    [
      'field names are case-sensitive',
      'Data: a\ndata\n\n',
      { data: '', otherFields: [{ name: 'Data', value: 'a' }] },
    ],
    [
      'unknown fields are kept in order',
      'trace: a:b\ndata: x\nflag\ntrace:  c\n\n',
      {
        data: 'x',
        otherFields: [
          { name: 'trace', value: 'a:b' },
          { name: 'flag', value: '' },
          { name: 'trace', value: ' c' },
        ],
      },
    ],
    [
      'a field called __proto__ is only a field',
      '__proto__: a\ndata\n\n',
      { data: '', otherFields: [{ name: '__proto__', value: 'a' }] },
    ],
  ])('%s', (_name, source, expected) => {
    for (const chunks of everyChunking(source))
      expect(decode(chunks)).toEqual([anEvent({ source, ...expected })])
  })

  it('nothing is carried over from one event to the next', () => {
    expect(decode(['event: a\nid: 1\nretry: 2\nx: y\ndata: a\ndata: b\n\ndata: c\n\n']).at(-1)).toEqual(
      anEvent({ data: 'c', source: 'data: c\n\n' }),
    )
  })

  it('a block without data is no event, but is not lost', () => {
    expect(decode(['retry: 3000\n\nevent: a\nx: y\n\ndata: b\n\n'])).toEqual([
      { ...blockDefaults, kind: 'fields', retry: 3000, source: 'retry: 3000\n\n' },
      {
        ...blockDefaults,
        kind: 'fields',
        event: 'a',
        otherFields: [{ name: 'x', value: 'y' }],
        source: 'event: a\nx: y\n\n',
      },
      anEvent({ data: 'b', source: 'data: b\n\n' }),
    ])
  })
})

describe('comments', () => {
  it('come out as they arrive, without one leading space', () => {
    const decoder = createSseDecoder()
    expect(decoder.push(': ping\n:\n:  a: b\n')).toEqual([
      { kind: 'comment', text: 'ping' },
      { kind: 'comment', text: '' },
      { kind: 'comment', text: ' a: b' },
    ])
  })

  it('do not become part of the event after them', () => {
    expect(decode([': ping\n\n: pong\ndata: a\n\n'])).toEqual([
      { kind: 'comment', text: 'ping' },
      { kind: 'comment', text: 'pong' },
      anEvent({ data: 'a', source: 'data: a\n\n' }),
    ])
  })

  it('inside an event do not break it and stay in its source', () => {
    const source = 'data: a\n: ping\ndata: b\n\n'
    for (const chunks of everyChunking(source)) {
      expect(decode(chunks)).toEqual([{ kind: 'comment', text: 'ping' }, anEvent({ data: 'a\nb', source })])
    }
  })
})

describe('bytes', () => {
  const text = '\uFEFFevent: größe\ndata: 値🙂\uFEFF\n\n'

  it('a character may be cut anywhere', () => {
    const bytes = new TextEncoder().encode(text)
    const expected = [anEvent({ event: 'größe', data: '値🙂\uFEFF', source: text.slice(1) })]
    for (let cut = 0; cut <= bytes.length; cut++) {
      expect(decode([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(expected)
    }
    expect(decode(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(expected)
  })

  it('a byte order mark is dropped at the very start only', () => {
    expect(decode(['', '\uFEFF', 'data: a\n\n\uFEFFdata: b\ndata\n\n'])).toEqual([
      anEvent({ data: 'a', source: 'data: a\n\n' }),
      anEvent({
        data: '',
        otherFields: [{ name: '\uFEFFdata', value: 'b' }],
        source: '\uFEFFdata: b\ndata\n\n',
      }),
    ])
    expect(decode(['\uFEFF\uFEFFdata: a\ndata\n\n'])).toMatchObject([{ data: '' }])
  })

  it('a character that never comes to its end is a replacement character', () => {
    const cut = Uint8Array.of(...new TextEncoder().encode('data: a'), 0xf0, 0x9f)
    expect(decode([cut])).toMatchObject([{ data: 'a\uFFFD', terminated: false }])
    expect(decode([cut, '!\n\n'])).toMatchObject([{ data: 'a\uFFFD!', terminated: true }])
  })
})

describe('the end', () => {
  it.each([
    ['blank line', 'data: a\n'],
    ['line end', 'data: a'],
    ['blank line after a CR', 'data: a\r'],
  ])('an event without its closing %s is given and says so', (_name, source) => {
    for (const chunks of everyChunking(source)) {
      expect(decode(chunks)).toEqual([anEvent({ data: 'a', terminated: false, source })])
    }
  })

  it('a CR held for its LF still closes the event', () => {
    expect(decode(['data: a\n\r'])).toEqual([anEvent({ data: 'a', source: 'data: a\n\r' })])
  })

  it('a block cut off before any data is dropped', () => {
    expect(decode(['event: a\nid: 1\nda'])).toEqual([])
  })

  it('a comment cut off is given', () => {
    expect(decode([': pi'])).toEqual([{ kind: 'comment', text: 'pi' }])
  })

  it('an empty stream holds nothing', () => {
    expect(decode([])).toEqual([])
    expect(decode(['', new Uint8Array(0), '\uFEFF'])).toEqual([])
  })

  it('nothing may be called after it', () => {
    const decoder = createSseDecoder()
    decoder.end()
    expect(errorCode(() => decoder.push('data: a\n\n'))).toBe('ended')
    expect(errorCode(() => decoder.end())).toBe('ended')
  })
})

describe('the limit', () => {
  it('an event of just that length passes, one character more does not', () => {
    const source = 'data: abc\n\n'
    for (const chunks of everyChunking(source)) {
      expect(decode(chunks, limited(source.length))).toEqual([anEvent({ data: 'abc', source })])
      expect(decode(chunks, limited(source.length - 1))).toEqual([overflow(source.length - 1)])
    }
  })

  it('counts bytes, however many of them a character takes', () => {
    const source = 'data: aé€😀\n\n'
    const bytes = Buffer.byteLength(source)
    for (const chunks of everyChunking(source)) {
      expect(decode(chunks, limited(bytes))).toEqual([anEvent({ data: 'aé€😀', source })])
      expect(decode(chunks, limited(bytes - 1))).toEqual([overflow(bytes - 1)])
    }
    expect(decode([Buffer.from(source)], limited(bytes))).toHaveLength(1)
    expect(decode([Buffer.from(source)], limited(bytes - 1))).toEqual([overflow(bytes - 1)])
  })

  it('a long comment counts by itself, and is no part of the event behind it', () => {
    const comment = `: ${'c'.repeat(20)}`
    const source = 'data: abc\n\n'
    for (const chunks of everyChunking(`${comment}\n${source}`)) {
      expect(decode(chunks, limited(24))).toEqual([
        { kind: 'comment', text: 'c'.repeat(20) },
        anEvent({ data: 'abc', source }),
      ])
    }
  })

  it('a block of many lines near the limit is counted once', () => {
    const source = `${'data: €\n'.repeat(400_000)}\n`
    const started = performance.now()
    expect(decode([source], limited(Buffer.byteLength(source)))).toHaveLength(1)
    // Counted anew with each line it would take minutes.
    expect(performance.now() - started).toBeLessThan(10_000)
  })

  it('is for each event, not for the stream', () => {
    expect(decode(['data: abc\n\n'.repeat(100)], limited(11))).toHaveLength(100)
  })

  it('what came before is given, then the overflow once, then nothing', () => {
    const decoder = createSseDecoder(limited(20))
    expect(decoder.push(`data: a\n\ndata: ${'b'.repeat(30)}`)).toEqual([
      anEvent({ data: 'a', source: 'data: a\n\n' }),
      overflow(20),
    ])
    expect(decoder.push('\n\ndata: c\n\n')).toEqual([])
    expect(decoder.end()).toEqual([])
    expect(errorCode(() => decoder.push(''))).toBe('ended')
  })

  it('holds for comments and for many short lines', () => {
    expect(decode([`: ${'a'.repeat(30)}`], limited(20))).toEqual([overflow(20)])
    expect(decode(['data\n'.repeat(10)], limited(20))).toEqual([overflow(20)])
    expect(decode([': a\n'.repeat(10)], limited(20))).toHaveLength(10)
  })

  it('is 8 MiB unless told', () => {
    const longest = 'a'.repeat(8_388_608 - 'data: \n\n'.length)
    expect(decode([`data: ${longest}\n\n`])).toMatchObject([{ kind: 'event' }])
    expect(decode([`data: ${longest}a\n\n`])).toEqual([overflow(8_388_608)])
  })

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('of %s is refused', (limit) => {
    expect(errorCode(() => createSseDecoder(limited(limit)))).toBe('invalid-option')
  })
})

describe('encoding', () => {
  it('writes the fields in a fixed order and closes the event', () => {
    expect(encodeSse({ data: '{}' })).toBe('data: {}\n\n')
    expect(
      encodeSse({ data: '{}', retry: 5, id: '1', event: 'ping', otherFields: [{ name: 'x', value: 'y' }] }),
    ).toBe('event: ping\nid: 1\nretry: 5\ndata: {}\nx: y\n\n')
  })

  it('writes each line of data, however it ends, on a line of its own', () => {
    expect(encodeSse({ data: 'a\nb\r\nc\rd\n' })).toBe('data: a\ndata: b\ndata: c\ndata: d\ndata: \n\n')
  })

  it('writes each line of a comment as a comment', () => {
    expect(encodeSseComment('ping')).toBe(': ping\n\n')
    expect(encodeSseComment('a\r\ndata: b')).toBe(': a\n: data: b\n\n')
  })

  it.each([
    { data: '', event: 'a\nb' },
    { data: '', event: 'a\rb' },
    { data: '', id: '1\n2' },
    { data: '', id: '1\r' },
    { data: '', id: '\0' },
    { data: '', retry: -1 },
    { data: '', retry: 1.5 },
    { data: '', otherFields: [{ name: '', value: '' }] },
    { data: '', otherFields: [{ name: 'a:b', value: '' }] },
    { data: '', otherFields: [{ name: 'a', value: '\n' }] },
  ])('refuses %j', (message) => {
    expect(errorCode(() => encodeSse(message))).toBe('invalid-option')
  })
})

const blockDefaults = {
  event: undefined,
  id: undefined,
  retry: undefined,
  otherFields: [],
  terminated: true,
}

function anEvent(parts: Partial<SseEvent>): SseEvent {
  return { ...blockDefaults, kind: 'event', data: '', source: '', ...parts }
}

function overflow(limit: number): SseItem {
  return { kind: 'overflow', limit }
}

function errorCode(run: () => unknown): string | undefined {
  try {
    run()
  } catch (error) {
    if (DragomanError.is(error)) return error.code
    throw error
  }
  return undefined
}
