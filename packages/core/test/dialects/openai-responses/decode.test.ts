import { describe, expect, it } from 'vitest'
import { assembleAnthropic } from '../anthropic-messages/assemble.ts'
import { assembleChat } from '../openai-chat/assemble.ts'
import { kimiCall } from '../openai-chat/upstream.ts'
import {
  callEvents,
  callItem,
  completed,
  created,
  messageEvents,
  messageItem,
  resp,
  response,
  through,
  translation,
  type WayOptions,
} from './upstream.ts'

const toAnthropic: WayOptions = { from: 'openai-responses', to: 'anthropic-messages' }

/** The blocks that a client of messages gets. */
function blocks(body: string, options: Partial<WayOptions> = {}): unknown {
  return assembleAnthropic(through(body, { ...toAnthropic, ...options })).content
}

function text(said: string): object {
  return { type: 'text', text: said }
}

function thought(said: string, signature: string): object {
  return { type: 'thinking', thinking: said, signature }
}

function call(id: string, name: string, input: object): object {
  return { type: 'tool_use', id, name, input }
}

const end = completed()

describe('a response as OpenAI streams it', () => {
  const body =
    created +
    messageEvents(0, 'msg_1', 'I ', 'look.') +
    callEvents(1, 'fc_1', { call_id: 'call_a', name: 'f' }, '{"x":', '1}') +
    completed([messageItem('msg_1', 'I look.'), callItem('fc_1', 'call_a', 'f', '{"x":1}')])

  it('is text and calls to a client of messages', () => {
    expect(blocks(body)).toEqual([text('I look.'), call('call_a', 'f', { x: 1 })])
  })

  it('is text and calls to a chat client, with the usage', () => {
    const chat = assembleChat(through(body, { from: 'openai-responses', to: 'openai-chat' }))
    expect(chat.choices[0]).toMatchObject({ content: 'I look.', finishReasons: ['tool_calls'] })
    expect(chat.choices[0]?.calls).toMatchObject([{ id: 'call_a', name: 'f', arguments: '{"x":1}' }])
  })

  it('says the same in one piece', () => {
    const whole = JSON.stringify({
      ...response,
      status: 'completed',
      output: [messageItem('msg_1', 'I look.'), callItem('fc_1', 'call_a', 'f', '{"x":1}')],
    })
    expect(blocks(whole, { delivered: 'whole' })).toEqual([text('I look.'), call('call_a', 'f', { x: 1 })])
  })

  it('gives encrypted reasoning to the client to send back, with its place, even without a text', () => {
    const item = { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'gAAAA' }
    const reasoning =
      resp('response.output_item.added', { output_index: 0, item: { ...item, encrypted_content: '' } }) +
      resp('response.output_item.done', { output_index: 0, item })
    expect(blocks(created + reasoning + messageEvents(1, 'msg_1', 'Hi') + end)).toEqual([
      thought('', 'ours(encrypted_content,gAAAA)'),
      text('Hi'),
    ])
  })

  it('has the calls that the model wrote into its text', () => {
    const said = created + messageEvents(0, 'msg_1', 'So.', kimiCall.slice(0, 40), kimiCall.slice(40)) + end
    expect(blocks(said, { parser: { format: 'kimi' } })).toEqual([
      text('So.'),
      call('toolu_kimi_n0', 'get_time', { zone: 'UTC' }),
    ])
  })

  it('has calls of custom tools as calls with an input', () => {
    const item = { id: 'ctc_1', type: 'custom_tool_call', call_id: 'call_a', name: 'patch', input: 'a\n"b"' }
    const custom =
      resp('response.output_item.added', { output_index: 0, item: { ...item, input: '' } }) +
      resp('response.custom_tool_call_input.delta', { output_index: 0, item_id: 'ctc_1', delta: 'a\n' }) +
      resp('response.output_item.done', { output_index: 0, item })
    expect(blocks(created + custom + end)).toEqual([call('call_a', 'patch', { input: 'a\n"b"' })])
  })

  it('has a refusal as text', () => {
    const place = { output_index: 0, item_id: 'msg_1', content_index: 0 }
    const refusal =
      resp('response.output_item.added', {
        output_index: 0,
        item: { ...messageItem('msg_1', ''), content: [] },
      }) +
      resp('response.refusal.delta', { ...place, delta: 'No.' }) +
      resp('response.refusal.done', { ...place, refusal: 'No.' })
    expect(blocks(created + refusal + end)).toEqual([text('No.')])
  })
})

describe('a response as vLLM streams it', () => {
  it('was cut where the response says so, whatever the event is called', () => {
    const body =
      created +
      messageEvents(0, 'msg_1', 'Once') +
      completed([], { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } })
    expect(assembleAnthropic(through(body, toAnthropic)).stop_reason).toBe('max_tokens')
  })

  it('has reasoning in parts with a name of their own', () => {
    const place = { output_index: 0, item_id: 'rs_1', content_index: 0 }
    const item = { id: 'rs_1', type: 'reasoning', summary: [] }
    const part = { type: 'reasoning_text', text: 'hm' }
    const body =
      created +
      resp('response.output_item.added', { output_index: 0, item }) +
      resp('response.reasoning_part.added', { ...place, part: { ...part, text: '' } }) +
      resp('response.reasoning_text.delta', { ...place, delta: 'hm' }) +
      resp('response.reasoning_text.done', { ...place, text: 'hm' }) +
      resp('response.reasoning_part.done', { ...place, part }) +
      resp('response.output_item.done', { output_index: 0, item: { ...item, content: [part] } }) +
      messageEvents(1, 'msg_1', 'Hi') +
      end
    expect(blocks(body)).toEqual([thought('hm', 'ours(content,)'), text('Hi')])
  })
})

describe('a response as llama.cpp streams it', () => {
  it('has neither places nor numbers, and ends its items at the end', () => {
    const body = [
      created,
      resp('response.output_item.added', { item: { ...messageItem('msg_1', ''), content: [] } }),
      resp('response.output_text.delta', { item_id: 'msg_1', delta: 'I look.' }),
      resp('response.output_item.added', { item: callItem('fc_1', 'call_a', 'f', '') }),
      resp('response.function_call_arguments.delta', { item_id: 'fc_1', delta: '{"x":1}' }),
      resp('response.output_item.added', { item: callItem('fc_2', 'call_b', 'g', '') }),
      resp('response.function_call_arguments.delta', { item_id: 'fc_2', delta: '{"y":2}' }),
      resp('response.output_item.done', { item: messageItem('msg_1', 'I look.') }),
      resp('response.output_item.done', { item: callItem('fc_1', 'call_a', 'f', '{"x":1}') }),
      resp('response.output_item.done', { item: callItem('fc_2', 'call_b', 'g', '{"y":2}') }),
      completed([
        messageItem('msg_1', 'I look.'),
        callItem('fc_1', 'call_a', 'f', '{"x":1}'),
        callItem('fc_2', 'call_b', 'g', '{"y":2}'),
      ]),
    ].join('')
    expect(blocks(body)).toEqual([
      text('I look.'),
      call('call_a', 'f', { x: 1 }),
      call('call_b', 'g', { y: 2 }),
    ])
  })
})

describe('a response as Ollama streams it', () => {
  it('has the reasoning in clear where others encrypt it, once more', () => {
    const item = { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: 'so I think' }] }
    const body =
      created +
      resp('response.output_item.added', { output_index: 0, item: { ...item, summary: [] } }) +
      resp('response.reasoning_summary_text.delta', {
        output_index: 0,
        item_id: 'rs_1',
        delta: 'so I think',
      }) +
      resp('response.output_item.done', {
        output_index: 0,
        item: { ...item, encrypted_content: 'so I think' },
      }) +
      messageEvents(1, 'msg_1', 'Hi') +
      end
    expect(blocks(body)).toEqual([thought('so I think', 'ours(summary,)'), text('Hi')])
  })

  it('has it there alone where it sends no summary', () => {
    const item = { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'so I think' }
    const body = created + resp('response.output_item.done', { output_index: 0, item }) + end
    expect(blocks(body)).toEqual([thought('so I think', 'ours(content,)')])
  })
})

describe('reasoning in both forms', () => {
  it('is told once, in the form that came first', () => {
    const place = { output_index: 0, item_id: 'rs_1' }
    const content = [{ type: 'reasoning_text', text: 'raw' }]
    const item = {
      id: 'rs_1',
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: 'short' }],
      content,
    }
    const body =
      created +
      resp('response.output_item.added', { output_index: 0, item: { ...item, summary: [], content: [] } }) +
      resp('response.reasoning_summary_text.delta', { ...place, summary_index: 0, delta: 'short' }) +
      resp('response.reasoning_text.delta', { ...place, content_index: 0, delta: 'raw' }) +
      resp('response.output_item.done', { output_index: 0, item }) +
      messageEvents(1, 'msg_1', 'Hi') +
      end
    expect(blocks(body)).toEqual([thought('short', 'ours(summary,)'), text('Hi')])
  })

  it('has its parts apart', () => {
    const place = { output_index: 0, item_id: 'rs_1' }
    const body =
      created +
      resp('response.output_item.added', {
        output_index: 0,
        item: { id: 'rs_1', type: 'reasoning', summary: [] },
      }) +
      resp('response.reasoning_summary_text.delta', { ...place, summary_index: 0, delta: 'one' }) +
      resp('response.reasoning_summary_text.delta', { ...place, summary_index: 1, delta: 'two' }) +
      end
    expect(blocks(body)).toEqual([thought('one\n\ntwo', 'ours(summary,)')])
  })

  it('is read under the name that the open standard has for it', () => {
    const body =
      created +
      resp('response.output_item.added', {
        output_index: 0,
        item: { id: 'rs_1', type: 'reasoning', summary: [] },
      }) +
      resp('response.reasoning.delta', { output_index: 0, item_id: 'rs_1', delta: 'hm' }) +
      end
    expect(blocks(body)).toEqual([thought('hm', 'ours(content,)')])
  })
})

describe('a response as Copilot streams it', () => {
  it('has other ids in every event: its place tells which item is meant', () => {
    const place = { output_index: 0, content_index: 0 }
    const body =
      created +
      resp('response.output_item.added', {
        output_index: 0,
        item: { ...messageItem('a', ''), content: [] },
      }) +
      resp('response.output_text.delta', { ...place, item_id: 'b', delta: 'Hello' }) +
      resp('response.output_text.done', { ...place, item_id: 'c', text: 'Hello' }) +
      resp('response.output_item.done', { output_index: 0, item: messageItem('d', 'Hello') }) +
      completed([messageItem('e', 'Hello')])
    expect(blocks(body)).toEqual([text('Hello')])
  })
})

describe('what other servers do', () => {
  const place = { output_index: 0, item_id: 'msg_1', content_index: 0 }
  const added = resp('response.output_item.added', {
    output_index: 0,
    item: { ...messageItem('msg_1', ''), content: [] },
  })

  it('goes on with deltas behind an end that says nothing', () => {
    const body =
      created +
      added +
      resp('response.output_text.done', { ...place, text: '' }) +
      resp('response.output_text.delta', { ...place, delta: 'Hello' }) +
      end
    expect(blocks(body)).toEqual([text('Hello')])
  })

  it('says an item only in its end, or only at the end of the response', () => {
    const ended = resp('response.output_item.done', { output_index: 0, item: messageItem('msg_1', 'One.') })
    const call_1 = callItem('fc_1', 'call_a', 'f', '{"x":1}')
    expect(blocks(created + ended + completed([messageItem('msg_1', 'One.'), call_1]))).toEqual([
      text('One.'),
      call('call_a', 'f', { x: 1 }),
    ])
  })

  it('says more at the end of an item than in its deltas', () => {
    const body =
      created +
      added +
      resp('response.output_text.delta', { ...place, delta: 'Hel' }) +
      resp('response.output_item.done', { output_index: 0, item: messageItem('msg_1', 'Hello') }) +
      end
    expect(blocks(body)).toEqual([text('Hello')])
  })

  it('leaves the items out of the end of the response', () => {
    expect(blocks(created + messageEvents(0, 'msg_1', 'Hi') + end)).toEqual([text('Hi')])
  })

  it('sends deltas without an item', () => {
    const body = created + resp('response.output_text.delta', { output_index: 0, delta: 'Hi' }) + end
    expect(blocks(body)).toEqual([text('Hi')])
  })

  it('has arguments that are a value, with all of their digits', () => {
    const item =
      '{"id":"fc_1","type":"function_call","call_id":"call_a","name":"f","arguments":{"n":12345678901234567890}}'
    const data = `{"type":"response.output_item.done","output_index":0,"item":${item}}`
    const told: string[] = []
    const stream = through(`${created}event: response.output_item.done\ndata: ${data}\n\n${end}`, {
      ...toAnthropic,
      told,
    })
    expect(stream).toContain('{\\"n\\":12345678901234567890}')
    expect(told).toContain('encoded-arguments')
  })
})

describe('a response that is no whole one', () => {
  it.each([
    ['without its end', created + messageEvents(0, 'msg_1', 'So')],
    ['with a marker in the place of its end', `${created + messageEvents(0, 'msg_1', 'So')}data: [DONE]\n\n`],
  ])('%s was cut off', (_, body) => {
    const answer = translation(toAnthropic)
    const stream = answer.push(body) + answer.end()
    expect(answer.failure?.code).toBe('upstream_truncated')
    expect(stream).toContain('event: error')
  })

  it.each([
    ['an error', resp('error', { code: 'rate_limit_exceeded', message: 'Slow down.', param: null })],
    [
      'a failed response',
      resp('response.failed', {
        response: {
          ...response,
          status: 'failed',
          error: { code: 'rate_limit_exceeded', message: 'Slow down.' },
        },
      }),
    ],
    [
      'a response that is completed and failed',
      completed([], { status: 'failed', error: { code: 'rate_limit_exceeded', message: 'Slow down.' } }),
    ],
  ])('fails by %s', (_, failed) => {
    const answer = translation(toAnthropic)
    answer.push(created + messageEvents(0, 'msg_1', 'So') + failed)
    expect(answer.state).toBe('ended')
    expect(answer.failure).toMatchObject({ kind: 'rate-limit', message: 'Slow down.' })
  })

  it('fails in one piece by its status', () => {
    const answer = translation({ ...toAnthropic, delivered: 'whole' })
    answer.push(
      JSON.stringify({ ...response, status: 'failed', error: { code: 'server_error', message: 'Oh.' } }),
    )
    expect(answer.end()).toBe('')
    expect(answer.failure?.message).toBe('Oh.')
  })
})

describe('an item that no other dialect has', () => {
  it('is left out, which is told', () => {
    const told: string[] = []
    const item = { id: 'ws_1', type: 'web_search_call', status: 'completed' }
    const body =
      created +
      resp('response.output_item.added', { output_index: 0, item }) +
      resp('response.web_search_call.searching', { output_index: 0, item_id: 'ws_1' }) +
      resp('response.output_item.done', { output_index: 0, item }) +
      messageEvents(1, 'msg_1', 'Found.') +
      end
    expect(blocks(body, { told })).toEqual([text('Found.')])
    expect(told).toEqual(["an item of type web_search_call has no place in the client's dialect; dropped"])
  })
})
