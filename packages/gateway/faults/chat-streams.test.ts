import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { View } from '../../core/test/clients-agree/view.ts'
import { chunk } from '../test/server/scripted-upstream.ts'
import { dialectNames, said, Speech, text } from './dialects.ts'
import { FaultWorld } from './fault-world.ts'
import { inEveryVariant, nameOf, variants } from './variants.ts'

// What only the streams of chat completions get wrong: servers differ in them more than in any other.

let world: FaultWorld

beforeAll(async () => {
  world = await FaultWorld.start()
})

afterAll(async () => {
  await world.stop()
})

/** Who wants a whole answer gets one, although the upstream streams. */
const fromChat = variants.filter(({ speech }) => speech.dialect === 'openai-chat')

const paris = { name: 'get_weather', arguments: '{"city":"Paris"}' }
const rome = { name: 'get_weather', arguments: '{"city":"Rome"}' }
const usage = { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 }
const envelope = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm' }

function calls(...deltas: readonly object[]): object {
  return chunk({ tool_calls: deltas })
}

function named(index: number | undefined, name: string, more: object = {}): object {
  return { index, id: `call_${index ?? 0}`, type: 'function', function: { name, arguments: '', ...more } }
}

/** What an upstream counted, in the words of each dialect. */
const counted = /"(?:completion_tokens|output_tokens|candidatesTokenCount)":7\b/

interface Row {
  readonly server: string
  readonly events: readonly (object | string)[]
  readonly view: Partial<View>
  /** Clients of the same dialect get as it came what their grammar has no place for. */
  readonly for?: 'other dialects'
}

const rows: readonly Row[] = [
  {
    server: 'marks the end and does not say why',
    events: [chunk({ content: 'Sunny.' }), '[DONE]'],
    view: { text: 'Sunny.', finish: 'stop' },
  },
  {
    server: 'marks the end behind a call and does not say why',
    events: [calls(named(0, 'get_weather', { arguments: '{"city":"Paris"}' })), '[DONE]'],
    view: { calls: [paris], finish: 'tool-calls' },
  },
  {
    server: 'says twice why it ended, and counts behind it',
    events: [
      chunk({ content: 'Sunny.' }),
      chunk({}, 'stop'),
      chunk({}, 'stop'),
      { ...envelope, choices: [], usage },
      '[DONE]',
      '[DONE]',
    ],
    view: { text: 'Sunny.', finish: 'stop' },
  },
  {
    server: 'goes on behind the reason for the end',
    events: [chunk({ content: 'Sun' }), chunk({}, 'stop'), chunk({ content: 'ny.' }), '[DONE]'],
    view: { text: 'Sunny.', finish: 'stop' },
  },
  {
    server: 'leaves numbers out between calls',
    events: [
      calls(named(3, 'get_weather', { arguments: '{"city":"Paris"}' })),
      calls(named(7, 'get_weather', { arguments: '{"city":"Rome"}' })),
      chunk({}, 'tool_calls'),
      '[DONE]',
    ],
    view: { calls: [paris, rome], finish: 'tool-calls' },
  },
  {
    server: 'gives no ids',
    events: [
      calls({ index: 0, function: { name: 'get_weather', arguments: '{"city":"Paris"}' } }),
      chunk({}, 'tool_calls'),
      '[DONE]',
    ],
    view: { calls: [paris], finish: 'tool-calls' },
  },
  {
    server: 'names a call in its second delta',
    events: [
      calls({ index: 0, id: 'call_0', type: 'function', function: { arguments: '' } }),
      calls({ index: 0, function: { name: 'get_weather', arguments: '{"city":' } }),
      calls({ index: 0, function: { arguments: '"Paris"}' } }),
      chunk({}, 'tool_calls'),
      '[DONE]',
    ],
    view: { calls: [paris], finish: 'tool-calls' },
  },
  {
    server: 'mixes the deltas of two calls',
    events: [
      calls(named(0, 'get_weather'), named(1, 'get_weather')),
      calls(
        { index: 1, function: { arguments: '{"city":' } },
        { index: 0, function: { arguments: '{"city"' } },
      ),
      calls(
        { index: 0, function: { arguments: ':"Paris"}' } },
        { index: 1, function: { arguments: '"Rome"}' } },
      ),
      chunk({}, 'tool_calls'),
      '[DONE]',
    ],
    view: { calls: [paris, rome], finish: 'tool-calls' },
  },
  {
    server: 'sends chunks that say nothing',
    events: [
      { ...envelope, choices: [] },
      chunk({ content: null }),
      chunk({}),
      chunk({ content: 'Sunny.' }),
      chunk({}, 'stop'),
      '[DONE]',
    ],
    view: { text: 'Sunny.', finish: 'stop' },
  },
  {
    server: 'sends chunks without choices, and choices without a delta',
    events: [
      { ...envelope, choices: [{ index: 0, delta: null, finish_reason: null }] },
      { ...envelope, choices: null },
      { ...envelope, choices: [{ index: 0, finish_reason: null }, null, 7] },
      chunk({ content: 'Sunny.' }),
      chunk({}, 'stop'),
      '[DONE]',
    ],
    view: { text: 'Sunny.', finish: 'stop' },
    for: 'other dialects',
  },
  {
    server: 'answers several times',
    events: [
      { ...envelope, choices: [{ index: 1, delta: { content: 'Rainy.' }, finish_reason: null }] },
      chunk({ content: 'Sunny.' }),
      { ...envelope, choices: [{ index: 1, delta: {}, finish_reason: 'stop' }] },
      chunk({}, 'stop'),
      '[DONE]',
    ],
    view: { text: 'Sunny.', finish: 'stop' },
    for: 'other dialects',
  },
]

describe('a stream of chat completions in which the server', () => {
  it.each(rows)('$server', async ({ events, view, for: clients }) => {
    const lines = events.map(
      (event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`,
    )
    for (const variant of await inEveryVariant(
      world,
      () => (wire) =>
        wire
          .stream()
          .send(...lines)
          .end(),
      fromChat.filter(({ client }) => clients === undefined || client !== 'openai-chat'),
    )) {
      const name = `${nameOf(variant)}\n${variant.got.body}`
      expect(variant.got.view, name).toMatchObject({ failure: null, ...view })
      if (lines.some((line) => line.includes('"usage"'))) expect(variant.got.body, name).toMatch(counted)
    }
    await world.expectCalm()
  })

  it('never ends the arguments of a call that has to be held', async () => {
    const opening = '<tool_call>\n<function=get_weather>\n<parameter=city>\n'
    const script = (): Parameters<typeof world.upstream.play>[1] => (wire) => {
      wire.stream()
      for (let sent = 0; sent < 40; sent++) {
        wire.send(`data: ${JSON.stringify(chunk({ content: sent === 0 ? opening : 'x'.repeat(8000) }))}\n\n`)
      }
    }
    for (const variant of await inEveryVariant(world, script, fromChat)) {
      expect(variant.got.view.finish, nameOf(variant)).toBeNull()
      // It is too large for who has to hold it; others get what comes, until nothing comes any more.
      expect(variant.got.view.failure?.kind, nameOf(variant)).toBe(
        variant.client === 'gemini' ? 'upstream' : 'timeout',
      )
    }
    await world.expectCalm()
  })

  it('has closed a connection that was kept for the next request, and it is asked once more', async () => {
    const answer = new Speech('openai-chat').events(said([text('Sunny.')]))
    let resets = 0
    for (const client of dialectNames) {
      const model = `openai-chat.reused-${client}`
      world.upstream.play(model, (wire) => {
        const isFirst = world.upstream.countOf(model) === 2
        if (isFirst && wire.before > 0) {
          resets++
          wire.reset()
        } else {
          wire
            .stream()
            .send(...answer)
            .end()
        }
      })
      for (const wants of ['stream', 'whole'] as const) {
        const got = await world.ask({ client, wants, model })
        expect(got.view, `${client}, ${wants}`).toMatchObject({
          text: 'Sunny.',
          finish: 'stop',
          failure: null,
        })
      }
      // Once for the first, and twice for the second: one of these reached nobody.
      expect(world.upstream.countOf(model), client).toBe(3)
    }
    expect(resets).toBe(dialectNames.length)
    await world.expectCalm()
  })
})
