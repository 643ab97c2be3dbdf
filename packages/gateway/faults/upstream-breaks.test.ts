import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FailureKind, View } from '../../core/test/clients-agree/view.ts'
import { until } from '../test/server/scripted-upstream.ts'
import { call, said, type Speech, text, unended, written } from './dialects.ts'
import { FaultWorld, slack, waits } from './fault-world.ts'
import type { Script } from './raw-upstream.ts'
import { inEveryVariant, nameOf, variants } from './variants.ts'

// Behind the first byte a fault is told in the stream: what came before it arrives, one error ends the stream, nothing
// says that the answer is whole, and HTTP ends in an orderly way, so that the error is not lost.

let world: FaultWorld

let socketsAtRest: number

beforeAll(async () => {
  world = await FaultWorld.start()
  socketsAtRest = world.sockets()
})

afterAll(async () => {
  await world.stop()
})

const streaming = variants.filter(({ wants }) => wants === 'stream')
const whole = variants.filter(({ wants }) => wants === 'whole')

interface Break {
  readonly upstream: string
  readonly script: (speech: Speech) => Script
  readonly kind?: FailureKind
  /** What the client has got before the error. */
  readonly text?: string
  readonly within?: number
}

const half = unended([text('Paris is ', 'sunny. ')])

/** The beginning of an answer, and then this. */
function begun(then: (wire: Parameters<Script>[0], speech: Speech) => unknown): (speech: Speech) => Script {
  return (speech) => (wire) => then(wire.stream().send(...speech.events(half)), speech)
}

/** The beginning of an answer, and an error in the place of its end. */
function begunWithError(type: string, code: string): (speech: Speech) => Script {
  const error = {
    shape: 'object',
    message: code,
    type,
    code,
    isFollowedByDone: type === 'overloaded_error',
  } as const
  return (speech) => (wire) =>
    wire
      .stream()
      .send(...speech.events({ ...half, error }))
      .end()
}

const breaks: readonly Break[] = [
  { upstream: 'ends the body without having ended the answer', script: begun((wire) => wire.end()) },
  {
    upstream: 'closes the connection in a chunk',
    script: begun((wire) => wire.raw('ff\r\ndata: {"ch').close()),
  },
  { upstream: 'resets the connection', script: begun((wire) => setTimeout(() => wire.reset(), 50)) },
  { upstream: 'ends in the middle of a line', script: begun((wire) => wire.send('data: {"choi').end()) },
  {
    upstream: 'ends in the middle of what may be a marker',
    script: (speech) => (wire) =>
      wire
        .stream()
        .send(...speech.events(unended([text('Paris is ', '<|tool_calls_sec')])))
        .end(),
    text: 'Paris is <|tool_calls_sec',
  },
  {
    upstream: 'ends in the middle of a character',
    script: (speech) => (wire) => {
      const bytes = Buffer.from(speech.events(unended([text('Paris is sunny. ', 'é')])).join(''))
      wire
        .stream()
        .send(bytes.subarray(0, bytes.indexOf(0xc3) + 1))
        .end()
    },
  },
  {
    upstream: 'goes silent',
    script: begun(() => {}),
    kind: 'timeout',
    within: waits.idle,
  },
  { upstream: 'sends data that are no JSON', script: begun((wire) => wire.send('data: {"candidates":\n\n')) },
  {
    upstream: 'sends a line without end',
    script: begun((wire) => wire.send(`data: {"x":"${'y'.repeat(300_000)}`)),
  },
  {
    upstream: 'says in the stream that it is overloaded',
    script: begunWithError('overloaded_error', 'busy'),
    kind: 'overloaded',
  },
  {
    upstream: 'says in the stream that it was asked too often',
    script: begunWithError('rate_limit_error', 'rate_limit_exceeded'),
    kind: 'rate limit',
  },
]

describe('behind the first byte an upstream', () => {
  it.each(breaks)('$upstream', async (row) => {
    const { script, kind = 'upstream', text: before = 'Paris is sunny. ', within = 0 } = row
    for (const variant of await inEveryVariant(world, script, streaming)) {
      const { got } = variant
      const name = `${nameOf(variant)}\n${got.body}`
      expect(got.status, name).toBe(200)
      expect(got.end, name).toBe('whole')
      expect(got.view.failure, name).toMatchObject({ kind })
      expect(got.view.finish, name).toBeNull()
      expect(got.view.text.trimEnd(), name).toBe(before.trimEnd())
      expect(got.milliseconds, name).toBeLessThan(within + slack)
    }
    await world.expectCalm()
  })

  it.each<{ upstream: string; script: (speech: Speech) => Script; kind?: FailureKind; within?: number }>([
    {
      upstream: 'ends a whole answer half-way',
      script: (speech) => cutShort(speech, (wire) => wire.close()),
    },
    { upstream: 'resets the connection in it', script: (speech) => cutShort(speech, (wire) => wire.reset()) },
    {
      upstream: 'goes silent in it',
      script: (speech) => cutShort(speech, () => {}),
      kind: 'timeout',
      within: waits.idle,
    },
    {
      upstream: 'writes half of its JSON',
      script: (speech) => (wire) => wire.answer(200, 'application/json', speech.whole(sunny).slice(0, -20)),
    },
    {
      upstream: 'writes JSON that is no answer',
      script: () => (wire) => wire.answer(200, 'application/json', '[1,2,3]'),
    },
  ])('$upstream', async ({ script, kind = 'upstream', within = 0 }) => {
    for (const variant of await inEveryVariant(world, script, whole)) {
      expect(variant.got.status, nameOf(variant)).toBe(kind === 'timeout' ? 504 : 502)
      expect(variant.got.view.failure, nameOf(variant)).toMatchObject({ kind })
      expect(variant.got.milliseconds, nameOf(variant)).toBeLessThan(within + slack)
    }
    await world.expectCalm()
  })
})

const sunny = said([text('Paris is ', 'sunny.')])

function cutShort(speech: Speech, then: (wire: Parameters<Script>[0]) => unknown): Script {
  return (wire) => {
    const body = speech.whole(sunny)
    wire.raw(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`)
    then(wire.raw(body.slice(0, -10)))
  }
}

const kimiCall = [
  '<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>',
  '{"city":',
  '"Paris"}',
]

const parisCall = { name: 'get_weather', arguments: '{"city":"Paris"}' }

interface Odd {
  readonly upstream: string
  readonly script: (speech: Speech) => Script
  readonly view: Partial<View>
  readonly within?: number
}

/** What is odd and no fault: the answer arrives, once. */
const oddities: readonly Odd[] = [
  {
    upstream: 'writes its lines as it likes',
    script: (speech) => answered(speech, (events) => ['\uFEFF: hello\r\n\r\n', ...events.map(inAnotherHand)]),
    view: { text: 'Paris is sunny.', finish: 'stop' },
  },
  {
    upstream: 'writes lines that are no fields',
    script: (speech) =>
      answered(speech, (events) => events.map((event) => `hello\nfoo: bar\nretry: 1\n${event}`)),
    view: { text: 'Paris is sunny.', finish: 'stop' },
  },
  {
    upstream: 'writes byte after byte',
    script: (speech) => (wire) => {
      wire.stream()
      for (const byte of Buffer.from(speech.events(sunny).join(''))) wire.send(Buffer.of(byte))
      wire.end()
    },
    view: { text: 'Paris is sunny.', finish: 'stop' },
  },
  {
    upstream: 'does not mark the end, and has told why it ended',
    script: (speech) => (wire) =>
      wire
        .stream()
        .send(...withoutMark(speech.events(sunny)))
        .end(),
    view: { text: 'Paris is sunny.', finish: 'stop' },
  },
  {
    upstream: 'has told the end, and keeps the connection open',
    script: (speech) => (wire) => wire.stream().send(...withoutMark(speech.events(sunny))),
    view: { text: 'Paris is sunny.', finish: 'stop' },
    within: waits.finishGrace,
  },
  {
    upstream: 'announces its answer, and puts something behind it',
    script: (speech) => (wire) => {
      wire.raw('HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n')
      const body = speech
        .events(sunny)
        .map((event) => `${Buffer.byteLength(event).toString(16)}\r\n${event}\r\n`)
      wire.raw(
        'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\ntrailer: x\r\n\r\n',
      )
      wire.raw(`${body.join('')}0\r\nx: y\r\n\r\n`).end()
    },
    view: { text: 'Paris is sunny.', finish: 'stop' },
  },
  {
    upstream: 'stops at the limit inside of a call',
    script: (speech) =>
      answeredWith(speech, said([written(...kimiCall.slice(0, 2))], { says: 'length', end: 'marked' })),
    view: { finish: 'length', failure: null },
  },
  {
    upstream: 'stops behind a call that is whole, and that it did not close',
    script: (speech) => answeredWith(speech, said([written(...kimiCall)])),
    view: { calls: [parisCall], finish: 'tool-calls', failure: null },
  },
  {
    upstream: 'stops inside of a call',
    script: (speech) => answeredWith(speech, said([written(...kimiCall.slice(0, 2))])),
    view: { finish: null },
  },
  {
    upstream: 'stops behind the beginning of a marker',
    script: (speech) => answeredWith(speech, said([text('Hm <|tool_calls_sec')])),
    view: { text: 'Hm <|tool_calls_sec', calls: [], finish: 'stop', failure: null },
  },
  {
    upstream: 'writes a call into its text',
    script: (speech) =>
      answeredWith(
        speech,
        said([text('Sure. '), written(...kimiCall, '<|tool_call_end|><|tool_calls_section_end|>')]),
      ),
    view: { calls: [parisCall], finish: 'tool-calls', failure: null },
  },
  {
    upstream: 'structures a call',
    script: (speech) =>
      answeredWith(
        speech,
        said([call('get_weather', '{"city":', '"Paris"}')], { says: 'tool-calls', end: 'marked' }),
      ),
    view: { calls: [parisCall], finish: 'tool-calls', failure: null },
  },
]

describe('an upstream that is odd', () => {
  it.each(oddities)('because it $upstream', async ({ script, view, within = 0 }) => {
    const seen = new Set<string>()
    for (const variant of await inEveryVariant(world, script, variants)) {
      const { got } = variant
      const name = `${nameOf(variant)}\n${got.body}`
      expect(got.view, name).toMatchObject(view)
      expect(got.end, name).toBe('whole')
      expect(got.milliseconds, name).toBeLessThan(within + slack)
      const { failure, text: words, finish } = got.view
      seen.add(JSON.stringify(failure === null ? [words.trim(), finish] : 'failed'))
    }
    // Streamed or whole, in whatever dialect: the same message.
    expect([...seen]).toHaveLength(1)
    await world.expectCalm()
  })
})

describe('behind all of this', () => {
  it('no socket is open that was not open before', async () => {
    // Connections to upstreams are kept for some seconds.
    await until(() => world.sockets() <= socketsAtRest, 15_000)
    await world.expectCalm()
  })
})

/** The answer in the events of a stream that are changed so; whole where the client wants that. */
function answered(speech: Speech, change: (events: readonly string[]) => readonly string[]): Script {
  return (wire, asked) => {
    if (asked === 'stream')
      wire
        .stream()
        .send(...change(speech.events(sunny)))
        .end()
    else wire.answer(200, 'application/json', speech.whole(sunny))
  }
}

function answeredWith(speech: Speech, answer: Parameters<Speech['events']>[0]): Script {
  return (wire, asked) => {
    if (asked === 'stream')
      wire
        .stream()
        .send(...speech.events(answer))
        .end()
    else wire.answer(200, 'application/json', speech.whole(answer))
  }
}

/** No space behind the colon, and the ends of lines of another system. */
function inAnotherHand(event: string): string {
  return event.replaceAll(/^(data|event): /gm, '$1:').replaceAll('\n', '\r\n')
}

function withoutMark(events: readonly string[]): readonly string[] {
  return events.filter((event) => !event.includes('[DONE]') && !event.includes('message_stop'))
}
