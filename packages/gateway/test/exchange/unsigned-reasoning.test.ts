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

const structured = { index: 0, id: 'a1', type: 'function' }
const paris = '{"city":"Paris"}'
const inBand = `<tool_call>\n{"name": "get_weather", "arguments": ${paris}}\n</tool_call>`
const kimiInBand = `<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>${paris}<|tool_call_end|><|tool_calls_section_end|>`

const chat = {
  structured: chatStream(
    [
      { role: 'assistant', reasoning_content: 'Look ' },
      { reasoning_content: 'outside.' },
      { tool_calls: [{ ...structured, function: { name: 'get_weather', arguments: paris } }] },
    ],
    'tool_calls',
  ),
  'in the text': chatStream(
    [{ role: 'assistant', reasoning_content: 'Look outside.' }, { content: inBand }],
    'stop',
  ),
  'in special tokens': chatStream(
    [{ role: 'assistant', reasoning_content: 'Look outside.' }, { content: kimiInBand }],
    'stop',
  ),
}

const thinking = [
  begin(0, { type: 'thinking', thinking: '' }),
  delta(0, { type: 'thinking_delta', thinking: 'Look outside.' }),
]

function inText(text: string): string {
  return anthropicStream(
    [
      ...thinking,
      delta(0, { type: 'signature_delta', signature: '' }),
      stop(0),
      begin(1, { type: 'text', text: '' }),
      delta(1, { type: 'text_delta', text }),
      stop(1),
    ],
    'end_turn',
  )
}

const messages = {
  // All blocks are closed at the end, as llama.cpp does it.
  structured: anthropicStream(
    [
      ...thinking,
      begin(1, { type: 'tool_use', id: 'toolu_1', name: 'get_weather' }),
      delta(1, { type: 'input_json_delta', partial_json: paris }),
      delta(0, { type: 'signature_delta', signature: '' }),
      stop(0),
      stop(1),
    ],
    'tool_use',
  ),
  'in the text': inText(inBand),
  'in special tokens': inText(kimiInBand),
}

const answers = { 'openai-chat': chat, 'anthropic-messages': messages }
const clients = ['anthropic', 'openai'] as const
const upstreams = ['openai-chat', 'anthropic-messages'] as const
const writings = ['structured', 'in the text', 'in special tokens'] as const
const models = ['some-alias', 'qwen3-32b', 'kimi-k2']

// The special tokens are Kimi's: no Qwen writes them.
const written = models
  .flatMap((model) => writings.map((calls) => ({ model, calls })))
  .filter(({ model, calls }) => calls !== 'in special tokens' || !model.startsWith('qwen'))

const pairings = clients.flatMap((client) =>
  upstreams.flatMap((upstream) => written.map(({ model, calls }) => ({ client, upstream, model, calls }))),
)

/** The reasoning in the last message of the model, as the upstream was sent it. */
function sentBack({ asked }: TwoTurns, upstream: (typeof upstreams)[number]): unknown {
  const message = listAt(asked[1], 'messages').findLast((each) => at(each, 'role') === 'assistant')
  if (upstream === 'openai-chat') return at(message, 'reasoning_content')
  return listAt(message, 'content').find((block) => at(block, 'type') === 'thinking')
}

describe('reasoning that its upstream has not signed', () => {
  it.each(pairings)(
    'goes back to $upstream from a client of $client, for $model, with a call $calls',
    async ({ client, upstream, model, calls }) => {
      const turns = await twoTurns({ client, upstream, model, answers: [answers[upstream][calls]] })
      const expected = { type: 'thinking', thinking: 'Look outside.', signature: '' }
      expect(sentBack(turns, upstream)).toEqual(upstream === 'openai-chat' ? 'Look outside.' : expected)
    },
  )

  it('goes back to a server under the name of Claude that has not signed it', async () => {
    const turns = await twoTurns({
      client: 'anthropic',
      upstream: 'anthropic-messages',
      model: 'claude-local',
      answers: [messages.structured],
    })
    expect(sentBack(turns, 'anthropic-messages')).toEqual({
      type: 'thinking',
      thinking: 'Look outside.',
      signature: '',
    })
  })

  it('does not go to an upstream that is set up as Anthropic', async () => {
    const turns = await twoTurns({
      client: 'anthropic',
      upstream: 'anthropic-messages',
      model: 'claude-local',
      answers: [messages.structured],
      route: { format: 'anthropic' },
    })
    expect(sentBack(turns, 'anthropic-messages')).toBeUndefined()
    expect(turns.requests[1]?.['changed']).toEqual([expect.stringContaining('Reasoning')])
  })

  it.each(['claude-local', 'some-alias'])(
    'leaves what an upstream has signed as it is: %s',
    async (model) => {
      const signature = `E${'rUBCkYIBxgC'.repeat(5)}`
      const turns = await twoTurns({
        client: 'anthropic',
        upstream: 'anthropic-messages',
        model,
        answers: [
          anthropicStream(
            [
              ...thinking,
              delta(0, { type: 'signature_delta', signature }),
              stop(0),
              begin(1, { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: {} }),
              delta(1, { type: 'input_json_delta', partial_json: paris }),
              stop(1),
            ],
            'tool_use',
          ),
        ],
      })
      const block = { type: 'thinking', thinking: 'Look outside.', signature }
      expect(listAt(turns.answer, 'content')[0]).toEqual(block)
      expect(sentBack(turns, 'anthropic-messages')).toEqual(block)
    },
  )
})
