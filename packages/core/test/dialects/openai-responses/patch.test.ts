import { describe, expect, it } from 'vitest'
import { kimiCall } from '../openai-chat/upstream.ts'
import { sdkReads } from './sdk.ts'
import {
  callEvents,
  callItem,
  completed,
  created,
  eventsIn,
  lastResponse,
  messageEvents,
  messageItem,
  numbered,
  outputOf,
  requestOf,
  resp,
  response,
  through,
  translation,
  typesIn,
  type WayOptions,
} from './upstream.ts'

const way: WayOptions = {
  from: 'openai-responses',
  to: 'openai-responses',
  parser: { format: 'kimi' },
}

/** What a client gets. The vendor's SDK has to take it, and numbers have no gaps. */
async function patched(body: string, options: Partial<WayOptions> = {}): Promise<string> {
  const stream = through(body, { ...way, ...options })
  const read = await sdkReads(stream)
  expect(read.output.map(({ type }) => type)).toEqual(outputOf(stream).map(({ type }) => type))
  const numbers = eventsIn(stream).map(({ sequence_number: number }) => number)
  if (numbers[0] !== undefined) expect(numbers).toEqual(numbers.map((_, at) => at))
  return stream
}

const reasoning = {
  id: 'rs_1',
  type: 'reasoning',
  summary: [{ type: 'summary_text', text: 'hm' }],
  encrypted_content: 'gAAAA',
}

function reasoningEvents(index: number): string {
  const place = { item_id: 'rs_1', output_index: index, summary_index: 0 }
  return [
    resp('response.output_item.added', {
      output_index: index,
      item: { id: 'rs_1', type: 'reasoning', summary: [] },
    }),
    resp('response.reasoning_summary_part.added', { ...place, part: { type: 'summary_text', text: '' } }),
    resp('response.reasoning_summary_text.delta', { ...place, delta: 'hm' }),
    resp('response.reasoning_summary_text.done', { ...place, text: 'hm' }),
    resp('response.reasoning_summary_part.done', { ...place, part: { type: 'summary_text', text: 'hm' } }),
    resp('response.output_item.done', { output_index: index, item: reasoning }),
  ].join('')
}

const call_a = { call_id: 'call_a', name: 'f' }

describe('a stream in which nothing has to change', () => {
  const searched = { id: 'ws_1', type: 'web_search_call', status: 'completed', action: { query: 'x' } }
  const search =
    resp('response.output_item.added', { output_index: 1, item: { ...searched, status: 'in_progress' } }) +
    resp('response.web_search_call.in_progress', { output_index: 1, item_id: 'ws_1' }) +
    resp('response.web_search_call.completed', { output_index: 1, item_id: 'ws_1' }) +
    resp('response.output_item.done', { output_index: 1, item: searched })
  const body = numbered(
    created +
      reasoningEvents(0) +
      search +
      messageEvents(2, 'msg_1', 'I ', 'look.') +
      callEvents(3, 'fc_1', call_a, '{"x":', '1}') +
      completed([
        reasoning,
        searched,
        messageItem('msg_1', 'I look.'),
        callItem('fc_1', 'call_a', 'f', '{"x":1}'),
      ]),
  )

  it('passes byte for byte', async () => {
    expect(await patched(body)).toBe(body)
    expect(through(`${body}data: [DONE]\n\n`, way)).toBe(`${body}data: [DONE]\n\n`)
  })

  it('passes byte for byte with line ends and comments of its own', () => {
    const odd = body.replaceAll('\n', '\r\n').replace('\r\n\r\n', '\r\n\r\n: here\r\n\r\n')
    expect(through(odd, way).replaceAll('\r\n', '\n').replace(': here\n\n', '')).toBe(body)
  })

  it('passes a whole response as it came', () => {
    const whole = `{ "id": "resp_1", "object":"response", "status":"completed", "error": null,\n "output": [${JSON.stringify(messageItem('msg_1', 'Hi'))}], "n": 12345678901234567890 }`
    expect(through(whole, { ...way, delivered: 'whole', wants: 'whole' })).toBe(whole)
  })
})

describe('a call in the text', () => {
  it('leaves no message where it was all of it', async () => {
    const only = numbered(
      created + messageEvents(0, 'msg_1', kimiCall) + completed([messageItem('msg_1', kimiCall)]),
    )
    expect(outputOf(await patched(only)).map(({ type }) => type)).toEqual(['function_call'])
  })

  it('moves the items behind it', async () => {
    const later =
      created + messageEvents(0, 'msg_1', `So.${kimiCall}`) + messageEvents(1, 'msg_2', 'Done.') + completed()
    const stream = await patched(numbered(later))
    expect(outputOf(stream).map(({ type }) => type)).toEqual(['message', 'function_call', 'message'])
    const places = eventsIn(stream).flatMap(({ type, output_index: at }) =>
      type === 'response.output_item.added' ? [at] : [],
    )
    expect(places).toEqual([0, 1, 2])
  })

  it('is a call of a custom tool where the client has one', async () => {
    const request = requestOf({ tools: [{ type: 'custom', name: 'get_time' }] })
    const input = kimiCall.replace('{"zone":"UTC"}', '{"input":"now"}')
    const stream = await patched(created + messageEvents(0, 'msg_1', input) + completed(), { request })
    expect(outputOf(stream)).toMatchObject([{ type: 'custom_tool_call', name: 'get_time', input: 'now' }])
  })

  it('is found in a whole response', () => {
    const whole = JSON.stringify({
      ...response,
      status: 'completed',
      output: [messageItem('msg_1', `So.${kimiCall}`)],
    })
    expect(JSON.parse(through(whole, { ...way, delivered: 'whole', wants: 'whole' }))).toMatchObject({
      id: 'resp_up',
      output: [{ type: 'message' }, { type: 'function_call', name: 'get_time' }],
    })
  })

  it('keeps what the vendor encrypted around it', async () => {
    const stream = await patched(
      numbered(created + reasoningEvents(0) + messageEvents(1, 'msg_1', kimiCall) + completed()),
    )
    expect(outputOf(stream)[0]).toEqual(reasoning)
  })
})

describe('a call of a function', () => {
  it('is one of a custom tool where the upstream was offered a function for it', async () => {
    const request = requestOf({ tools: [{ type: 'custom', name: 'f' }] })
    const body = created + callEvents(0, 'fc_1', call_a, '{"inp', 'ut":"a\\nb"}') + completed()
    const stream = await patched(numbered(body), { request })
    expect(outputOf(stream)).toMatchObject([
      { type: 'custom_tool_call', call_id: 'call_a', name: 'f', input: 'a\nb', status: 'completed' },
    ])
    expect(stream).not.toContain('function_call_arguments')
  })

  it('is put right in every event that has its arguments', async () => {
    const body =
      created +
      callEvents(0, 'fc_1', call_a, '{"x":1,', '}') +
      completed([callItem('fc_1', 'call_a', 'f', '{"x":1,}')])
    const stream = await patched(numbered(body))
    expect(outputOf(stream)).toMatchObject([{ id: 'fc_1', call_id: 'call_a', arguments: '{"x":1}' }])
    expect(stream).not.toContain('{\\"x\\":1,}')
  })

  it('has one id and a place in every event, where servers give other ids or none', async () => {
    const item = callItem('fc_1', 'call_a', 'f', '{"x":1}')
    const body =
      created +
      resp('response.output_item.added', { item: { ...item, arguments: '' } }) +
      resp('response.function_call_arguments.delta', { delta: '{"x":1}' }) +
      resp('response.output_item.done', { item: { ...item, id: 'fc_other' } }) +
      completed([{ ...item, id: 'fc_last' }])
    const stream = await patched(body)
    expect(outputOf(stream)).toMatchObject([{ id: 'fc_1', arguments: '{"x":1}' }])
    expect(stream).not.toMatch(/fc_other|fc_last/)
  })
})

describe('what a server leaves out', () => {
  it('is filled in: the items at the end of the response, and the counts of its usage', async () => {
    const body =
      created +
      messageEvents(0, 'msg_1', 'Hi') +
      completed([], { usage: { input_tokens: 3, output_tokens: 1 } })
    const stream = await patched(body)
    expect(lastResponse(stream)).toMatchObject({
      output: [messageItem('msg_1', 'Hi')],
      usage: { input_tokens: 3, output_tokens: 1, total_tokens: 4 },
    })
  })

  it('is made of an item that stands only at the end of the response', async () => {
    const stream = await patched(created + completed([messageItem('msg_1', 'Hi')]))
    expect(typesIn(stream)).toContain('output_text.delta')
    expect(outputOf(stream)).toMatchObject([{ type: 'message', content: [{ text: 'Hi' }] }])
  })

  it('is signed: reasoning that nobody encrypted comes back only with something to send', async () => {
    const { encrypted_content: _, ...plain } = reasoning
    const body = created + reasoningEvents(0).replace(',"encrypted_content":"gAAAA"', '') + completed([plain])
    const [item] = outputOf(await patched(body))
    expect(item).toMatchObject({ ...plain, encrypted_content: expect.stringContaining('ours') })
  })
})

describe('a failure on the way', () => {
  const begun = numbered(created + messageEvents(0, 'msg_1', 'So.'))
  const half =
    begun +
    resp('response.output_item.added', { output_index: 1, item: callItem('fc_1', 'call_a', 'f', '') }) +
    resp('response.function_call_arguments.delta', { output_index: 1, item_id: 'fc_1', delta: '{"x":' })

  it.each([
    ['the upstream closes the stream', ''],
    ['its error', resp('error', { code: 'server_error', message: 'Oh.', param: null })],
    [
      'its failed response',
      resp('response.failed', {
        response: { ...response, status: 'failed', error: { code: 'server_error', message: 'Oh.' } },
      }),
    ],
    ['garbage', 'data: {"x\n\n'],
  ])('is told by two events, and the half call is not done: %s', (_, broken) => {
    const answer = translation(way)
    const stream = answer.push(half + broken) + answer.end()
    expect(answer.failure).not.toBeNull()
    expect(typesIn(stream).slice(-2)).toEqual(['error', 'failed'])
    expect(outputOf(stream)).toMatchObject([{ id: 'msg_1' }])
    expect(typesIn(stream).filter((type) => type === 'output_item.done')).toHaveLength(1)
  })

  it('is a response of nothing', () => {
    const answer = translation(way)
    const stream = answer.push(created + completed()) + answer.end()
    expect(answer.failure?.code).toBe('upstream_empty')
    expect(typesIn(stream)).toEqual(['created', 'error', 'failed'])
  })
})

describe('the sign of life', () => {
  it('takes a number, and those behind it move', async () => {
    const answer = translation(way)
    const [first = '', ...rest] = numbered(
      created + messageEvents(0, 'msg_1', 'Hi') + completed([messageItem('msg_1', 'Hi')]),
    ).split(/(?<=\n\n)/)
    const stream =
      answer.push(first) + (answer.keepAlive?.() ?? '') + answer.push(rest.join('')) + answer.end()
    expect(eventsIn(stream).map(({ sequence_number: number }) => number)).toEqual(
      eventsIn(stream).map((_, at) => at),
    )
    expect((await sdkReads(stream)).output_text).toBe('Hi')
  })
})
