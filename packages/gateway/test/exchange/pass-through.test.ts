import OpenAI from 'openai'
import { afterEach, describe, expect, it } from 'vitest'
import { createSimulator } from '../../src/simulator/server.ts'
import { startGateway } from '../server/running-gateway.ts'
import { post } from '../server/ask.ts'
import { between, stopAll, type Between } from './between.ts'

afterEach(stopAll)

const anthropic = { dialect: 'anthropic-messages' } as const

const tool = { name: 'get_time', schema: { type: 'object', properties: { zone: { type: 'string' } } } }
const chatRequest = {
  model: 'some-model',
  messages: [{ role: 'user', content: 'What time is it?' }],
  tools: [{ type: 'function', function: { name: tool.name, parameters: tool.schema } }],
}
const messageRequest = {
  model: 'some-model',
  max_tokens: 100,
  messages: [{ role: 'user', content: 'What time is it?' }],
  tools: [{ name: tool.name, input_schema: tool.schema }],
}
const kimiCall =
  '<|tool_calls_section_begin|><|tool_call_begin|>functions.get_time:0<|tool_call_argument_begin|>' +
  '{"zone": "UTC"}<|tool_call_end|><|tool_calls_section_end|>'

const chunk = (delta: object, more: object = {}): string =>
  `data: ${JSON.stringify({ id: 'gen-7', object: 'chat.completion.chunk', provider: 'Lab', choices: [{ index: 0, delta, ...more }] })}\n\n`
const hi = chunk({ role: 'assistant', content: 'Hi' })
const stop = chunk({}, { finish_reason: 'stop', native_finish_reason: 'eos' })
const usage =
  'data: {"id":"gen-7","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2,"cost":0.10}}\n\n'
const done = 'data: [DONE]\n\n'

const ask = (gateway: Between, more: object = {}) =>
  gateway.post('/v1/chat/completions', { ...chatRequest, stream: true, ...more })

const askMessage = (gateway: Between, more: object = {}) =>
  gateway.post('/v1/messages', { ...messageRequest, ...more })
const event = (type: string, fields: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
const second = (delta: object, more: object = {}): string =>
  `data: ${JSON.stringify({ id: 'gen-7', choices: [{ index: 1, delta, ...more }] })}\n\n`

describe('an OpenAI client on an OpenAI upstream, streaming', () => {
  it('gets every byte as it came where no call is written, vendor fields and odd spacing included', async () => {
    const odd = 'data:  {"id": "gen-7", "x_vendor": {"big": 12345678901234567890}, "choices": []}\r\n\r\n'
    const pieces = [': warming up\n\n', odd, chunk({ role: 'assistant', content: 'Hi' }), stop, usage, done]
    const gateway = await between({ pieces })
    const { status, text } = await ask(gateway, { stream_options: { include_usage: true } })
    expect(status).toBe(200)
    expect(text).toBe(pieces.join(''))
    expect(gateway.requests).toMatchObject([{ finish: 'stop', failure: null, tokens: 9 }])
  })

  it('can put together with the SDK of OpenAI what an upstream sent without a role, and the log has the repair', async () => {
    const gateway = await between({
      pieces: [chunk({ content: 'Hi' }), chunk({ content: ' you' }), stop, done],
    })
    const { text } = await ask(gateway)
    const headers = { 'content-type': 'text/event-stream' }
    const client = new OpenAI({ apiKey: 'any', fetch: async () => new Response(text, { headers }) })
    const stream = client.chat.completions.stream({ model: 'some-model', messages: [] })
    expect((await stream.finalMessage()).content).toBe('Hi you')
    expect(gateway.requests).toMatchObject([{ repairs: ['filled-field'] }])
  })

  it('has what was put right in structured calls in the log', async () => {
    const call = { function: { name: 'get_time', arguments: { zone: 'UTC' } } }
    const gateway = await between({ pieces: [hi, chunk({ tool_calls: [call] }), stop, done] })
    await ask(gateway)
    expect(gateway.requests).toMatchObject([{ repairs: ['filled-field', 'encoded-arguments'] }])
  })

  it('gets a call that the model wrote as text, in chunks that keep the fields of the upstream', async () => {
    const gateway = await between({
      pieces: [chunk({ content: `Hm. ${kimiCall}` }), stop, done],
    })
    const { text } = await ask(gateway)
    expect(text).not.toContain('<|')
    expect(text).toMatch(/"id":"gen-7".*"provider":"Lab".*"name":"get_time"/)
    expect(text).toContain('"finish_reason":"tool_calls","native_finish_reason":"eos"')
    expect(text.endsWith(done)).toBe(true)
    expect(gateway.requests).toMatchObject([{ calls: ['get_time'], finish: 'tool-calls' }])
  })

  it('gets no usage chunk that only the gateway asked for, but the log has it', async () => {
    const gateway = await between({
      pieces: [hi, stop, usage, done],
    })
    const { text } = await ask(gateway)
    expect(gateway.asked[0]).toContain('"include_usage":true')
    expect(text).toBe(hi + stop + done)
    expect(gateway.requests).toMatchObject([{ tokens: 9 }])
  })

  it('gets the [DONE] that the upstream forgot', async () => {
    const gateway = await between({ pieces: [hi, stop] })
    expect((await ask(gateway)).text).toBe(hi + stop + done)
  })

  it('gets a finish reason where [DONE] came without one', async () => {
    const gateway = await between({ pieces: [chunk({ content: 'Hi' }), done] })
    expect((await ask(gateway)).text).toMatch(/"finish_reason":"stop"\}\]\}\n\ndata: \[DONE\]\n\n$/)
    const call = { index: 0, id: 'c1', type: 'function', function: { name: 'get_time', arguments: '{}' } }
    const other = await between({ pieces: [chunk({ tool_calls: [call] }), done] })
    expect((await ask(other)).text).toContain('"finish_reason":"tool_calls"')
  })

  it.each([true, false])(
    'learns by the last event that the stream was cut off (%s), and gets no [DONE]',
    async (isCut) => {
      const gateway = await between({ pieces: [chunk({ content: 'Hi' })], isCut })
      const { status, text } = await ask(gateway)
      expect(status).toBe(200)
      expect(text).toMatch(/^data: .*"Hi".*\n\ndata: \{"error":.*"upstream_truncated"\}\}\n\n$/)
      expect(gateway.requests[0]?.['failure']).toContain('upstream_truncated')
    },
  )

  it('learns that an event is not JSON', async () => {
    const gateway = await between({
      pieces: [chunk({ content: 'Hi' }), 'data: oops\n\n', done],
    })
    const { text } = await ask(gateway)
    expect(text).toContain('"code":"upstream_protocol_error"')
    expect(text).not.toContain('oops')
    expect(text).not.toContain('[DONE]')
  })

  it.each([
    ['nothing at all', [''], 'upstream_empty'],
    ['[DONE] alone', [done], 'upstream_empty'],
    ['comments alone', [': hello\n\n', ': still here\n\n'], 'upstream_empty'],
    ['no JSON', ['data: oops\n\n'], 'upstream_protocol_error'],
    ['an error', ['data: {"error":{"message":"no room","code":"lab_full"}}\n\n'], 'lab_full'],
  ])('gets an HTTP error where the upstream sent %s', async (_what, pieces, code) => {
    const gateway = await between({ pieces })
    const { status, text } = await ask(gateway)
    expect(status).toBe(502)
    expect(JSON.parse(text)).toMatchObject({ error: { code } })
  })

  it('gets the error of an upstream in the middle of a stream as it came', async () => {
    const error = 'data: {"error":{"message":"worn out","type":"sleep","code":"tired","trace":17}}\n\n'
    const gateway = await between({ pieces: [hi, error] })
    const { text } = await ask(gateway)
    expect(text).toBe(hi + error)
  })

  it.each([
    ['message', { message: 'key hush-hush-1 is worn out', type: 'sleep', code: 'tired' }],
    ['code', { message: 'worn out', type: 'sleep', code: 'hush-hush-1' }],
    ['type', { message: 'worn out', type: 'of hush-hush-1', code: 'tired' }],
    ['further field', { message: 'worn out', type: 'sleep', code: 'tired', trace: 'hush-hush-1' }],
  ])('gets no secret that such an error has in its %s', async (_where, error) => {
    const pieces = [hi, `data: ${JSON.stringify({ error })}\n\n`]
    const gateway = await between({ pieces }, { apiKey: 'hush-hush-1' })
    const { text } = await ask(gateway)
    expect(text).not.toContain('hush-hush-1')
    expect(text).toMatch(/worn out/)
  })

  it('gets the type and the code that such an error lacks', async () => {
    const gateway = await between({ pieces: [hi, 'data: {"error":{"message":"worn out"}}\n\n'] })
    const { text } = await ask(gateway)
    expect(text).toContain(
      '"error":{"message":"worn out","type":"upstream_error","param":null,"code":"upstream_error"}',
    )
  })

  it('gets long tool names back, and a tool that was shortened is called by its own name', async () => {
    const long = `mcp__${'very_'.repeat(14)}long`
    const gateway = await between({
      pieces: [chunk({ content: 'Hi' }), stop, done],
    })
    const tools = [{ type: 'function', function: { name: long, parameters: {} } }]
    await ask(gateway, { tools })
    const short = /"name":"(mcp__[^"]+)"/.exec(gateway.asked[0] ?? '')?.[1] ?? ''
    expect(short.length).toBeLessThanOrEqual(64)
    const call = { index: 0, id: 'c1', type: 'function', function: { name: short, arguments: '{}' } }
    const pieces = [chunk({ tool_calls: [call] }), chunk({}, { finish_reason: 'tool_calls' }), done]
    const other = await between({ pieces })
    const { text } = await ask(other, { tools })
    expect(text).toContain(`"name":"${long}"`)
    expect(other.requests).toMatchObject([{ calls: [long] }])
  })

  it('keeps several choices apart', async () => {
    const pieces = [
      chunk({ content: 'A' }),
      second({ content: kimiCall }),
      stop,
      second({}, { finish_reason: 'stop' }),
      done,
    ]
    const gateway = await between({ pieces })
    const { text } = await ask(gateway, { n: 2 })
    expect(text).toMatch(/"index":0,"delta":\{\},"finish_reason":"stop"/)
    expect(text).toMatch(/"index":1,"delta":\{\},"finish_reason":"tool_calls"/)
  })

  it('runs on the simulator', async () => {
    const simulator = createSimulator({ pace: 0 })
    const { address } = await startGateway({ upstream: await simulator.listen() })
    const request = { ...chatRequest, model: 'kimi-k2', stream: true }
    const text = await (await post(address, '/v1/chat/completions', request)).text()
    await simulator.close()
    expect(text).not.toContain('<|')
    expect(text).toContain('"name":"get_time"')
    expect(text).toContain('"finish_reason":"tool_calls"')
  })
})

describe('an OpenAI client on an OpenAI upstream, whole', () => {
  const type = 'application/json'

  it('gets the very bytes where nothing has to change', async () => {
    const body =
      '{ "id": "gen-7", "x_vendor": 12345678901234567890, "choices": [ { "index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop" } ], "usage": {"prompt_tokens": 7, "completion_tokens": 2, "cost": 0.10} }'
    const gateway = await between({ type, pieces: [body] })
    const { status, text } = await ask(gateway, { stream: false })
    expect({ status, text }).toEqual({ status: 200, text: body })
    expect(gateway.requests).toMatchObject([{ finish: 'stop', tokens: 9 }])
  })

  it('gets calls that were written as text, beside the fields of the upstream', async () => {
    const message = { role: 'assistant', content: kimiCall, annotations: [1] }
    const body = JSON.stringify({
      id: 'gen-7',
      provider: 'Lab',
      choices: [{ index: 0, message, finish_reason: 'stop' }],
    })
    const gateway = await between({ type, pieces: [body] })
    expect(JSON.parse((await ask(gateway, { stream: false })).text)).toMatchObject({
      id: 'gen-7',
      provider: 'Lab',
      choices: [
        {
          message: {
            content: null,
            annotations: [1],
            tool_calls: [{ type: 'function', function: { name: 'get_time', arguments: '{"zone": "UTC"}' } }],
          },
          finish_reason: 'tool_calls',
        },
      ],
    })
    expect(gateway.requests).toMatchObject([{ calls: ['get_time'] }])
  })

  it.each([
    ['no JSON', 'oops', 'upstream_protocol_error'],
    ['no choices', '{"choices":[]}', 'upstream_protocol_error'],
    ['an error', '{"error":{"message":"no","code":"lab_full"}}', 'lab_full'],
    ['an end by error', '{"choices":[{"message":{"content":"Hi"},"finish_reason":"error"}]}', 'error'],
  ])('gets an HTTP error where the upstream sent %s', async (_what, body, code) => {
    const gateway = await between({ type, pieces: [body] })
    const { status, text } = await ask(gateway, { stream: false })
    expect(status).toBe(502)
    expect(JSON.parse(text)).toMatchObject({ error: { code } })
  })
})

describe('an Anthropic client on an Anthropic upstream', () => {
  const head = event('message_start', {
    message: {
      id: 'msg_up',
      model: 'up',
      content: [],
      x_vendor: 1,
      usage: { input_tokens: 5, output_tokens: 1 },
    },
  })
  const text = (said: string): string =>
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }) +
    event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: said } }) +
    event('content_block_stop', { index: 0 })
  const tail =
    event('message_delta', {
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: 3 },
    }) + event('message_stop', {})

  it('gets every byte as it came where no call is written', async () => {
    const pieces = [head, event('ping', {}), event('vendor_event', { x: 1 }), text('Hi'), tail]
    const gateway = await between({ pieces }, anthropic)
    const answer = await askMessage(gateway, { stream: true })
    expect(answer).toEqual({ status: 200, text: pieces.join('') })
    expect(gateway.requests).toMatchObject([{ finish: 'stop', tokens: 8 }])
  })

  it('gets a call that was written as text as a block', async () => {
    const gateway = await between({ pieces: [head, text(kimiCall), tail] }, anthropic)
    const answer = await askMessage(gateway, { stream: true })
    expect(answer.text).not.toContain('<|')
    expect(answer.text).toContain('"type":"tool_use"')
    expect(answer.text).toContain('"stop_reason":"tool_use"')
    expect(gateway.requests).toMatchObject([{ calls: ['get_time'], finish: 'tool-calls' }])
  })

  it('learns of a cut by an error event, or by an HTTP error before the first', async () => {
    const gateway = await between({ pieces: [head, text('Hi')], isCut: true }, anthropic)
    const cut = await askMessage(gateway, { stream: true })
    expect(cut.text).toMatch(/event: error\ndata: .*upstream_truncated.*\n\n$/)
    const empty = await between({ pieces: [''] }, anthropic)
    expect(await askMessage(empty, { stream: true })).toMatchObject({ status: 502 })
  })

  it('gets the very bytes of a whole message, and calls as blocks', async () => {
    const type = 'application/json'
    const body =
      '{ "id": "msg_up", "type": "message", "x": 1.0, "content": [{"type": "text", "text": "Hi"}], "stop_reason": "end_turn", "usage": {"input_tokens": 5, "output_tokens": 3} }'
    const same = await between({ type, pieces: [body] }, anthropic)
    expect(await askMessage(same)).toEqual({ status: 200, text: body })
    expect(same.requests).toMatchObject([{ finish: 'stop', tokens: 8 }])
    const written = await between(
      {
        type,
        pieces: [body.replace('Hi', kimiCall.replaceAll('"', '\\"'))],
      },
      anthropic,
    )
    expect(JSON.parse((await askMessage(written)).text)).toMatchObject({
      id: 'msg_up',
      content: [{ type: 'tool_use', name: 'get_time', input: { zone: 'UTC' } }],
      stop_reason: 'tool_use',
    })
    const broken = await between({ type, pieces: ['{"x":1}'] }, anthropic)
    expect(await askMessage(broken)).toMatchObject({ status: 502 })
  })
})
