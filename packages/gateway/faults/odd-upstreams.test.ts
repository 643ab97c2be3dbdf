import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DialectName } from '../../core/test/clients-agree/answer.ts'
import type { View } from '../../core/test/clients-agree/view.ts'
import { until } from '../test/server/scripted-upstream.ts'
import { answeredWith, call, said, type Speech, text, thought, written } from './dialects.ts'
import { FaultWorld, slack, waits } from './fault-world.ts'
import type { Script } from './raw-upstream.ts'
import { inEveryVariant, nameOf, thoughtsFor, variants } from './variants.ts'

// What servers do that is odd and no fault: every client gets the same answer, once, streamed or whole.

let world: FaultWorld

let socketsAtRest: number

beforeAll(async () => {
  // Nothing here is late, however busy the machine is.
  const timeouts = { finishGrace: `${waits.finishGrace}ms`, drain: '500ms' }
  world = await FaultWorld.start({}, { timeouts })
  socketsAtRest = world.sockets()
})

afterAll(async () => {
  await world.stop()
})

const sunny = said([text('Paris is ', 'sunny.')])

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
  readonly reasoning?: string
  /** The upstreams whose dialects have words for it. */
  readonly for?: readonly DialectName[]
}

/** What is odd and no fault: the answer arrives, once. */
const oddities: readonly Odd[] = [
  {
    upstream: 'writes its lines as it likes',
    script: (speech) => answered(speech, (events) => ['\uFEFF: hello\r\n\r\n', ...events.map(inAnotherHand)]),
    view: { text: 'Paris is sunny.', finish: 'stop' },
  },
  {
    upstream: 'ends its lines as nobody does any more',
    script: (speech) => answered(speech, (events) => events.map((event) => event.replaceAll('\n', '\r'))),
    view: { text: 'Paris is sunny.', finish: 'stop' },
  },
  {
    upstream: 'writes the data of an event in several lines',
    script: (speech) =>
      answered(speech, (events) => events.map((event) => event.replaceAll(/^data: \{/gm, 'data: {\ndata: '))),
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
      const answer = said([text('Ünter ', '日本', '😀.')])
      for (const byte of Buffer.from(speech.events(answer).join(''))) wire.send(Buffer.of(byte))
      wire.end()
    },
    view: { text: 'Ünter 日本😀.', finish: 'stop' },
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
    upstream: 'stops at the limit inside of a call that it structures',
    script: (speech) =>
      answeredWith(
        speech,
        said([text('Hm. '), call('get_weather', '{"city":', '"Par')], { says: 'length', end: 'marked' }),
      ),
    view: { text: 'Hm. ', finish: 'length', failure: null },
    for: ['openai-chat', 'anthropic-messages', 'openai-responses'],
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
    upstream: 'puts another answer behind its answer',
    script: (speech) => (wire, asked) => {
      answeredWith(speech, sunny)(wire, asked)
      wire.raw('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}')
    },
    view: { text: 'Paris is sunny.', finish: 'stop' },
  },
  {
    upstream: 'thinks, speaks and calls',
    script: (speech) =>
      answeredWith(
        speech,
        said([thought('Let me ', 'see. '), text('Sure. '), call('get_weather', '{"city":', '"Paris"}')], {
          says: 'tool-calls',
          end: 'marked',
        }),
      ),
    view: { text: 'Sure. ', calls: [parisCall], finish: 'tool-calls', failure: null },
    reasoning: 'Let me see. ',
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
  it.each(oddities)('because it $upstream', async (row) => {
    const { script, view, within = 0, for: spoken, reasoning = '' } = row
    const seen = new Set<string>()
    const among = variants.filter(({ speech }) => spoken?.includes(speech.dialect) !== false)
    for (const variant of await inEveryVariant(world, script, among)) {
      const { got } = variant
      const name = `${nameOf(variant)}\n${got.body}`
      expect(got.view, name).toMatchObject(view)
      expect(got.end, name).toBe('whole')
      expect(got.milliseconds, name).toBeLessThan(within + slack)
      const { failure, text: words, calls, finish } = got.view
      const whole = calls.filter((each) => each.arguments !== null)
      seen.add(JSON.stringify(failure === null ? [words.trim(), whole, finish] : 'failed'))
      expect(got.view.reasoning, name).toBe(thoughtsFor(variant, reasoning))
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

/** No space behind the colon, and the ends of lines of another system. */
function inAnotherHand(event: string): string {
  return event.replaceAll(/^(data|event): /gm, '$1:').replaceAll('\n', '\r\n')
}

function withoutMark(events: readonly string[]): readonly string[] {
  return events.filter((event) => !event.includes('[DONE]') && !event.includes('message_stop'))
}
