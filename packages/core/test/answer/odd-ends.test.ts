import { describe, expect, it } from 'vitest'
import {
  blockDelta,
  blockStart,
  blockStop,
  messageStart,
  ant,
  textBlock,
} from '../dialects/anthropic-messages/upstream.ts'
import { chunk, done, event } from '../dialects/openai-chat/upstream.ts'
import { translated, type Way, ways } from './translated.ts'

const tools = [{ name: 'look', parameters: { type: 'object', properties: { at: { type: 'string' } } } }]

interface Upstream {
  readonly text?: string
  /** The arguments of one structured call; null for no call. */
  readonly json: string | null
  readonly finish: 'length' | 'tool-calls' | 'stop'
  readonly tokens: number
}

const words = {
  length: ['length', 'max_tokens'],
  'tool-calls': ['tool_calls', 'tool_use'],
  stop: ['stop', 'end_turn'],
} as const

function said({ from }: Way, { text = '', json, finish, tokens }: Upstream): string {
  if (from === 'openai-chat') {
    const fn = { name: 'look', arguments: json ?? '' }
    const call = { index: 0, id: 'a1', type: 'function', function: fn }
    return [
      chunk({ role: 'assistant', content: text }),
      ...(json === null ? [] : [chunk({ tool_calls: [call] })]),
      chunk({}, words[finish][0]),
      event({ id: 'c', choices: [], usage: { prompt_tokens: 7, completion_tokens: tokens } }),
      done,
    ].join('')
  }
  const call = [
    blockStart(1, { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} }),
    ...(json === null || json === ''
      ? []
      : [blockDelta(1, { type: 'input_json_delta', partial_json: json })]),
    blockStop(1),
  ]
  const delta = { stop_reason: words[finish][1], stop_sequence: null }
  return [
    messageStart,
    ...(text === '' ? [] : [textBlock(0, text)]),
    ...(json === null ? [] : call),
    ant('message_delta', { delta, usage: { output_tokens: tokens } }),
    ant('message_stop'),
  ].join('')
}

function word({ to }: Way, finish: Upstream['finish']): string {
  return words[finish][to === 'openai-chat' ? 0 : 1]
}

describe.each(ways)('from $from to $to, $wants', (way) => {
  const read = (upstream: Upstream, maxTokens?: number): ReturnType<typeof translated> =>
    translated(said(way, upstream), way, { parser: { tools }, ...(maxTokens !== undefined && { maxTokens }) })

  it.each(['{}', '{"at":"Par', '{"at"', ''])(
    'the arguments %j of a call that was cut are no call',
    (json) => {
      const { calls, finish, failure } = read({ text: 'Hm.', json, finish: 'length', tokens: 20 })
      expect({ calls, finish, failure }).toEqual({ calls: [], finish: word(way, 'length'), failure: null })
    },
  )

  it('a whole call beside that end is one', () => {
    const { body, finish } = read({ json: '{"at":"Paris"}', finish: 'length', tokens: 20 })
    expect(body).toContain('Paris')
    expect(finish).toBe(word(way, 'length'))
  })

  it('a call without arguments is one where the upstream says that it called', () => {
    const { calls, finish } = read({ json: '{}', finish: 'tool-calls', tokens: 20 }, 20)
    expect({ calls, finish }).toEqual({ calls: ['look {}'], finish: word(way, 'tool-calls') })
  })

  it('half a call at the limit that was asked for was cut, whatever the upstream says', () => {
    for (const finish of ['tool-calls', 'stop'] as const) {
      const cut = read({ json: '{"at":"Par', finish, tokens: 20 }, 20)
      expect([cut.calls, cut.finish, cut.failure]).toEqual([[], word(way, 'length'), null])
    }
  })

  it('half a call before the limit is a failure', () => {
    expect(read({ json: '{"at":"Par', finish: 'tool-calls', tokens: 19 }, 20).failure).toBe(
      'incomplete_tool_call',
    )
    expect(read({ json: '{"at":"Par', finish: 'tool-calls', tokens: 20 }).failure).toBe(
      'incomplete_tool_call',
    )
  })

  it('an end with calls, and no call, is an ordinary end', () => {
    const { text, finish, failure } = read({ text: 'Hm.', json: null, finish: 'tool-calls', tokens: 20 })
    expect({ text, finish, failure }).toEqual({ text: 'Hm.', finish: word(way, 'stop'), failure: null })
  })

  it('a structured call that the client has forbidden is left out, and that is told', () => {
    const sse = said(way, { text: 'Hm.', json: '{"at":"Paris"}', finish: 'tool-calls', tokens: 20 })
    const { body, text, finish, told, failure } = translated(sse, way, { parser: { calls: 'remove' } })
    expect({ text, finish, failure, told }).toEqual({
      text: 'Hm.',
      finish: word(way, 'stop'),
      failure: null,
      told: ['forbidden-call'],
    })
    expect(body).not.toMatch(/look|Paris|tool_calls|tool_use/)
  })

  it('text before a call keeps its place and its last line break', () => {
    const sse = said(way, {
      text: 'Look at her.\n',
      json: '{"at":"Paris"}',
      finish: 'tool-calls',
      tokens: 20,
    })
    const { text, calls, body } = translated(sse, way, { parser: { tools } })
    expect({ text, calls }).toEqual({ text: 'Look at her.\n', calls: ['look {"at":"Paris"}'] })
    expect(body.lastIndexOf('her.')).toBeLessThan(body.indexOf('Paris'))
    expect(body.lastIndexOf('\\n')).toBeLessThan(body.indexOf('Paris'))
  })
})

describe.each(ways.filter(({ from }) => from === 'openai-chat'))('from chat to $to, $wants', (way) => {
  it('a call that was cut before its first argument is not even begun', () => {
    const sse = said(way, { text: 'Hm.', json: '{}', finish: 'length', tokens: 20 })
    const { text, body } = translated(sse, way, { parser: { tools } })
    expect(text).toBe('Hm.')
    expect(body).not.toMatch(/look|tool_calls|tool_use/)
  })

  it('an error counts more than the end of the stream behind it', () => {
    const error = event({ error: { message: 'out of memory', type: 'InternalServerError', code: 500 } })
    const sse = chunk({ role: 'assistant', content: 'Hm.' }) + error + done
    const { failure, body } = translated(sse, way)
    expect(failure).not.toBeNull()
    expect(body).not.toMatch(/\[DONE\]|message_stop|"finish_reason":"|"stop_reason":"/)
  })
})
