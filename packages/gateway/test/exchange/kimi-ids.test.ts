import { afterAll, describe, expect, it } from 'vitest'
import { at } from '../server/ask.ts'
import { stopAll } from './between.ts'
import {
  anthropicStream,
  begin,
  chatStream,
  delta,
  listAt,
  stop,
  twoTurns,
  type TwoTurns,
} from './two-turns.ts'

afterAll(stopAll)

const paris = '{"city":"Paris"}'

function chatCall(id: string): string {
  const fn = { name: 'get_weather', arguments: paris }
  return chatStream(
    [{ role: 'assistant', tool_calls: [{ index: 0, id, type: 'function', function: fn }] }],
    'tool_calls',
  )
}

function anthropicCall(id: string): string {
  const events = [
    begin(0, { type: 'tool_use', id, name: 'get_weather', input: {} }),
    delta(0, { type: 'input_json_delta', partial_json: paris }),
    stop(0),
  ]
  return anthropicStream(events, 'tool_use')
}

const chatText = chatStream([{ role: 'assistant', content: 'Sunny.' }], 'stop')
const anthropicText = anthropicStream(
  [begin(0, { type: 'text', text: '' }), delta(0, { type: 'text_delta', text: 'Sunny.' }), stop(0)],
  'end_turn',
)

const form = 'functions.get_weather:0'

/** The ids of the second request: that of each call, and that of its result. */
function idsSent({ asked }: TwoTurns): unknown[] {
  const ids: unknown[] = []
  for (const message of listAt(asked[1], 'messages')) {
    for (const call of listAt(message, 'tool_calls')) ids.push(at(call, 'id'))
    ids.push(at(message, 'tool_call_id'))
    for (const block of listAt(message, 'content')) ids.push(at(block, 'id') ?? at(block, 'tool_use_id'))
  }
  return ids.filter((id) => id !== undefined)
}

function idGot({ answer }: TwoTurns): unknown {
  return at(answer, 'tool_calls', 0, 'id') ?? at(answer, 'content', 0, 'id')
}

const upstreams = [
  ['openai-chat', chatCall, chatText],
  ['anthropic-messages', anthropicCall, anthropicText],
] as const

describe("ids in Kimi's form, of a model whose name says nothing", () => {
  it('stay as they are where both speak the chat dialect', async () => {
    const turns = await twoTurns({
      client: 'openai',
      upstream: 'openai-chat',
      model: 'some-alias',
      answers: [chatCall(form), chatText],
    })
    expect(idGot(turns)).toBe(form)
    expect(idsSent(turns)).toEqual([form, form])
    expect(turns.requests.map((line) => [line['format'], line['formatFrom']])).toEqual([
      ['standard', 'nothing'],
      ['kimi', 'history'],
    ])
  })

  it.each(upstreams)(
    'are remembered for a client that cannot take them, at %s',
    async (upstream, call, text) => {
      const turns = await twoTurns({
        client: 'anthropic',
        upstream,
        model: 'some-alias',
        answers: [call(form), text],
      })
      expect(idGot(turns)).toMatch(/^toolu_kimi_/)
      expect(idsSent(turns)).toEqual([form, form])
      expect(turns.requests.map((line) => [line['format'], line['formatFrom']])).toEqual([
        ['kimi', 'answer'],
        ['kimi', 'history'],
      ])
    },
  )

  it('are remembered under a name that clients ask every server for', async () => {
    const turns = await twoTurns({
      client: 'anthropic',
      upstream: 'openai-chat',
      model: 'claude-local',
      answers: [chatCall(form), chatText],
    })
    expect(idsSent(turns)).toEqual([form, form])
  })

  it('that the conversation has already are replaced, and remembered all the same', async () => {
    const fn = { name: 'get_weather', arguments: paris }
    const messages = [
      { role: 'user', content: 'And in Rome?' },
      { role: 'assistant', content: null, tool_calls: [{ id: form, type: 'function', function: fn }] },
      { role: 'tool', tool_call_id: form, content: 'Rain.' },
    ]
    const turns = await twoTurns({
      client: 'openai',
      upstream: 'openai-chat',
      model: 'some-alias',
      answers: [chatCall(form), chatText],
      fields: { messages },
    })
    expect(idGot(turns)).toMatch(/^call_kimi_/)
    const next = 'functions.get_weather:1'
    expect(idsSent(turns)).toEqual([form, form, next, next])
  })
})

describe("ids in Kimi's form, where something else is known", () => {
  it.each([
    ['the format is set', { route: { format: 'standard' }, model: 'some-alias' }],
    ['the name tells another family', { route: {}, model: 'qwen3-32b' }],
    ['the name says that it is nobody\u2019s', { route: {}, model: 'gpt-4o' }],
  ])('prove nothing: %s', async (_, setup) => {
    const turns = await twoTurns({
      ...setup,
      client: 'anthropic',
      upstream: 'openai-chat',
      answers: [chatCall(form), chatText],
    })
    expect(idGot(turns)).toMatch(/^toolu_std_/)
    expect(idsSent(turns)).toEqual([idGot(turns), idGot(turns)])
  })
})
