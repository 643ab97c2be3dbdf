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
})

describe('what other servers do', () => {
  const place = { output_index: 0, item_id: 'msg_1', content_index: 0 }
  const added = resp('response.output_item.added', {
    output_index: 0,
    item: { ...messageItem('msg_1', ''), content: [] },
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
