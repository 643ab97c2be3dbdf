import { describe, expect, it } from 'vitest'
import { encodeSse } from '../../src/index.ts'
import { translated, ways } from './translated.ts'

const tools = [
  {
    name: 'get_weather',
    parameters: { properties: { city: { type: 'string' }, days: { type: 'integer' } } },
  },
]
const reading = { parser: { model: 'glm-5', tools } }
const body =
  'get_weather<arg_key>city</arg_key><arg_value>Paris</arg_value><arg_key>days</arg_key><arg_value>3</arg_value>'

/** A structured call, as the upstream gives it out. */
const streams = {
  'openai-chat': (name: string, json: string): string =>
    [
      {
        delta: { tool_calls: [{ index: 0, id: 'x', type: 'function', function: { name, arguments: json } }] },
      },
      { delta: {}, finish_reason: 'tool_calls' },
    ]
      .map((choice) => encodeSse({ data: JSON.stringify({ choices: [{ index: 0, ...choice }] }) }))
      .join(''),
  'anthropic-messages': (name: string, json: string): string =>
    [
      {
        type: 'message_start',
        message: { id: 'm', role: 'assistant', content: [], usage: { input_tokens: 1 } },
      },
      {
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'tool_use', id: 'x', name, input: {} },
      },
      { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: json } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 9 } },
      { type: 'message_stop' },
    ]
      .map((event) => encodeSse({ event: event.type, data: JSON.stringify(event) }))
      .join(''),
}

describe.each(ways)('a structured call from $from for $to, $wants', (way) => {
  const send = way.from === 'openai-chat' ? streams['openai-chat'] : streams['anthropic-messages']

  it.each(['{}', ''])('is read where all of it stands in its name, with the arguments %j', (json) => {
    const { calls, told, failure } = translated(send(`${body}</tool_call>`, json), way, reading)
    expect({ calls, failure }).toEqual({ calls: ['get_weather {"city":"Paris","days":3}'], failure: null })
    expect(told).toContain('rescued-call')
  })

  it('is the call of a tool without arguments where the name says no more', () => {
    const { calls, told } = translated(send('get_weather', '{}'), way, reading)
    expect(calls).toEqual(['get_weather {}'])
    expect(told).not.toContain('rescued-call')
  })

  it('is passed on as it came where the name is no whole call', () => {
    const name = 'get_weather<arg_key>city</arg_key><arg_value>Par'
    const { calls, told } = translated(send(name, '{}'), way, reading)
    expect(calls).toEqual([`${name} {}`])
    expect(told).not.toContain('rescued-call')
  })

  it('has the arguments that came in their own place, if some did', () => {
    const { calls } = translated(send(body, '{"city":"Rome"}'), way, reading)
    expect(calls).toEqual([`${body} {"city":"Rome"}`])
  })
})
