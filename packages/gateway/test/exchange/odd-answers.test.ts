import Anthropic from '@anthropic-ai/sdk'
import { afterAll, describe, expect, it } from 'vitest'
import { ask, at, clientDialects } from '../server/ask.ts'
import { startGateway } from '../server/running-gateway.ts'
import { startUpstream } from '../server/scripted-upstream.ts'
import { between, stopAll } from './between.ts'
import { anthropicStream, begin, chatStream, delta, listAt, stop, twoTurns } from './two-turns.ts'

afterAll(stopAll)

const paris = '{"city":"Paris"}'

function chatCall(json: string): object {
  const fn = { name: 'get_weather', arguments: json }
  return { role: 'assistant', tool_calls: [{ index: 0, id: 'a1', type: 'function', function: fn }] }
}

function anthropicCall(json: string, stopReason: string, tokens?: number): string {
  const events = [
    begin(0, { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: {} }),
    delta(0, { type: 'input_json_delta', partial_json: json }),
    stop(0),
  ]
  return anthropicStream(events, stopReason, tokens)
}

const upstreams = ['openai-chat', 'anthropic-messages'] as const
const pairings = clientDialects.flatMap((client) => upstreams.map((upstream) => ({ client, upstream })))

describe('an upstream that opens blocks before it has closed others', () => {
  const sse = anthropicStream(
    [
      begin(0, { type: 'thinking', thinking: '' }),
      delta(0, { type: 'thinking_delta', thinking: 'Hm.' }),
      begin(1, { type: 'text', text: '' }),
      delta(1, { type: 'text_delta', text: 'Let me look.\n' }),
      begin(2, { type: 'tool_use', id: 'toolu_1', name: 'get_weather' }),
      delta(2, { type: 'input_json_delta', partial_json: paris }),
      begin(3, { type: 'tool_use', id: 'toolu_2', name: 'get_weather' }),
      delta(3, { type: 'input_json_delta', partial_json: '{"city":"Rome"}' }),
      delta(0, { type: 'signature_delta', signature: '' }),
      ...[0, 1, 2, 3].map(stop),
    ],
    'tool_use',
  )

  it('gives the official SDK each block once', async () => {
    const upstream = await startUpstream((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(sse)
    })
    const { address } = await startGateway({ upstream: upstream.url, dialect: 'anthropic-messages' })
    const client = new Anthropic({ baseURL: address, apiKey: 'any', maxRetries: 0 })
    const seen: Anthropic.ContentBlock[] = []
    const stream = client.messages
      .stream({
        model: 'some-alias',
        max_tokens: 100,
        messages: [{ role: 'user', content: 'Hi' }],
        tools: [{ name: 'get_weather', input_schema: { type: 'object' } }],
      })
      .on('contentBlock', (block) => seen.push(block))
    const { content, stop_reason: stopReason } = await stream.finalMessage()
    expect(seen).toEqual(content)
    expect(content).toMatchObject([
      { type: 'thinking', thinking: 'Hm.' },
      { type: 'text', text: 'Let me look.\n' },
      { type: 'tool_use', id: 'toolu_1', input: { city: 'Paris' } },
      { type: 'tool_use', id: 'toolu_2', input: { city: 'Rome' } },
    ])
    expect(stopReason).toBe('tool_use')
  })
})

describe('a call that the client has forbidden', () => {
  it.each(pairings)('does not reach a client of $client from $upstream', async ({ client, upstream }) => {
    const sse = {
      'openai-chat': chatStream([{ role: 'assistant', content: 'Hm.' }, chatCall(paris)], 'tool_calls'),
      'anthropic-messages': anthropicCall(paris, 'tool_use'),
    }
    const server = await startUpstream((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(sse[upstream])
    })
    const { address, requestLine } = await startGateway({ upstream: server.url, dialect: upstream })
    const choice = client === 'anthropic' ? { type: 'none' } : 'none'
    const answer = await ask(address, client, { model: 'some-alias', tool_choice: choice })
    expect(answer).toMatchObject({
      status: 200,
      hasCall: false,
      finish: client === 'anthropic' ? 'end_turn' : 'stop',
      isMarkedDone: true,
    })
    expect(requestLine()).toMatchObject({ repairs: ['forbidden-call'], calls: null, finish: 'stop' })
  })
})

describe('half a call at the limit of tokens that the upstream was sent', () => {
  it.each(pairings)('is length for a client of $client at $upstream', async ({ client, upstream }) => {
    const usage = { prompt_tokens: 9, completion_tokens: 64 }
    const sse = {
      'openai-chat': chatStream([chatCall('{"city":"Par')], 'tool_calls', { usage }),
      'anthropic-messages': anthropicCall('{"city":"Par', 'tool_use', 64),
    }
    const server = await startUpstream((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(sse[upstream])
    })
    const { address, requestLine } = await startGateway({ upstream: server.url, dialect: upstream })
    const { finish, error } = await ask(address, client, { model: 'some-alias', max_tokens: 64 })
    expect({ finish, error }).toEqual({
      finish: client === 'anthropic' ? 'max_tokens' : 'length',
      error: undefined,
    })
    expect(requestLine()).toMatchObject({ finish: 'length', failure: null })
  })
})

describe('what a server tells in the chunk of its usage', () => {
  it('reaches a client that did not ask for the usage, without the usage', async () => {
    const timings = { predicted_ms: 12 }
    const gateway = await between({
      pieces: [chatStream([{ role: 'assistant', content: 'Hi.' }], 'stop', { timings })],
    })
    const { text } = await gateway.post('/v1/chat/completions', {
      model: 'm',
      messages: [{ role: 'user', content: 'Hi' }],
      stream: true,
    })
    expect(text).toContain('"timings":{"predicted_ms":12}')
    expect(text).not.toContain('"usage"')
  })
})

describe('the signature of a thought that Gemini sends with a call', () => {
  const extra = { google: { thought_signature: 'CuwCAb4+9v==' } }
  const [entry] = listAt(chatCall(paris), 'tool_calls')
  const signed = { role: 'assistant', tool_calls: [{ ...Object(entry), extra_content: extra }] }

  it.each(clientDialects)('comes back with that call from a client of %s', async (client) => {
    const { asked } = await twoTurns({
      client,
      upstream: 'openai-chat',
      model: 'gemini-3-pro',
      answers: [
        chatStream([signed], 'tool_calls'),
        chatStream([{ role: 'assistant', content: 'Sunny.' }], 'stop'),
      ],
    })
    const message = listAt(asked[1], 'messages').find((each) => at(each, 'role') === 'assistant')
    expect(at(message, 'tool_calls', 0, 'extra_content')).toEqual(extra)
    expect(JSON.stringify(asked[1])).not.toContain('dragoman_')
  })
})
