import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FailureKind } from '../../core/test/clients-agree/view.ts'
import { call, said, type Speech, text, thought, unended } from './dialects.ts'
import { FaultWorld, slack, waits } from './fault-world.ts'
import type { Script } from './raw-upstream.ts'
import { inEveryVariant, nameOf, thoughtsFor, variants } from './variants.ts'

// Behind the first byte a fault is told in the stream: what came before it arrives, one error ends the stream, nothing
// says that the answer is whole, and HTTP ends in an orderly way, so that the error is not lost.

let world: FaultWorld

beforeAll(async () => {
  world = await FaultWorld.start()
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
  readonly reasoning?: string
  /** Words that the error has, whatever the dialect. */
  readonly says?: string
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
  {
    upstream: 'ends the body without having ended the answer',
    script: begun((wire) => wire.end()),
    says: 'before its answer was complete',
  },
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
    upstream: 'ends in the middle of a call',
    script: (speech) => (wire) => {
      const items = [text('Paris is ', 'sunny. '), call('get_weather', '{"city":', '"Par')]
      wire
        .stream()
        .send(...untilCall(speech.events(unended(items)), '"Par'))
        .end()
    },
  },
  {
    upstream: 'ends in the middle of its thoughts',
    script: (speech) => (wire) => {
      const items = [text('Paris is ', 'sunny. '), thought('Let me ', 'see')]
      wire
        .stream()
        .send(...untilText(speech.events(unended(items)), 'see'))
        .end()
    },
    reasoning: 'Let me see',
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
    says: 'stopped in the middle of its answer',
    within: waits.idle,
  },
  {
    upstream: 'sends data that are no JSON',
    script: begun((wire) => wire.send('data: {"candidates":\n\n')),
    says: 'is not JSON',
  },
  {
    upstream: 'sends a line without end',
    script: begun((wire) => wire.send(`data: {"x":"${'y'.repeat(300_000)}`)),
    says: 'is longer than 262144 bytes',
  },
  {
    upstream: 'sends an event of many lines without end',
    script: begun((wire) => wire.send('data: "y"\n'.repeat(30_000))),
    says: 'is longer than 262144 bytes',
  },
  {
    upstream: 'says in the stream, as vLLM does, that something is wrong',
    script: begun((wire) =>
      wire
        .send(
          'data: {"object":"error","message":"The engine died.","type":"InternalServerError","code":500}\n\n',
        )
        .end(),
    ),
    says: 'The engine died.',
  },
  {
    upstream: 'says in an event of its own that something is wrong',
    script: begun((wire) => wire.send('event: error\ndata: {"message":"The engine died."}\n\n').end()),
    says: 'The engine died.',
  },
  {
    upstream: 'says in the stream that it is overloaded',
    script: begunWithError('overloaded_error', 'busy'),
    kind: 'overloaded',
    says: 'busy',
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
    const { reasoning = '', says = '' } = row
    for (const variant of await inEveryVariant(world, script, streaming)) {
      const { got } = variant
      const name = `${nameOf(variant)}\n${got.body}`
      expect(got.status, name).toBe(200)
      expect(got.end, name).toBe('whole')
      expect(got.view.failure, name).toMatchObject({ kind })
      expect(got.view.finish, name).toBeNull()
      expect(got.view.text.trimEnd(), name).toBe(before.trimEnd())
      expect(got.view.reasoning, name).toBe(thoughtsFor(variant, reasoning))
      expect(got.body, name).toContain(says)
      // What was begun never looks like a call that is whole.
      for (const each of got.view.calls) expect(each.arguments, name).toBeNull()
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

/** The events up to the one in which these words stand for the first time. */
function untilText(events: readonly string[], words: string): readonly string[] {
  return events.slice(0, events.findIndex((event) => event.includes(words)) + 1)
}

/** The events up to the last piece of a call. In a dialect without pieces there is only the beginning of its event. */
function untilCall(events: readonly string[], piece: string): readonly string[] {
  const written = JSON.stringify(piece).slice(1, -1)
  const at = events.findIndex((event) => event.includes(written))
  if (at !== -1) return events.slice(0, at + 1)
  const named = events.findIndex((event) => event.includes('get_weather'))
  return [...events.slice(0, named), events[named]?.slice(0, -12) ?? '']
}

function cutShort(speech: Speech, then: (wire: Parameters<Script>[0]) => unknown): Script {
  return (wire) => {
    const body = speech.whole(sunny)
    wire.raw(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`)
    then(wire.raw(body.slice(0, -10)))
  }
}
