import type { ServerResponse } from 'node:http'
import { afterAll, describe, expect, it } from 'vitest'
import { ask, clientDialects, post } from './ask.ts'
import { startGateway, stopGateways } from './running-gateway.ts'
import { json, type Script, startUpstream, stopUpstreams, until } from './scripted-upstream.ts'

afterAll(async () => {
  await stopGateways()
  stopUpstreams()
})

const timeouts = { idle: '600ms', finishGrace: '100ms' }
const canary = 'canary/upstream+key-0123456789'

type Event = readonly [name: string, data: object]

function events(response: ServerResponse, ...list: readonly Event[]): void {
  if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const [name, data] of list) {
    response.write(`event: ${name}\ndata: ${JSON.stringify({ type: name, ...data })}\n\n`)
  }
}

const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: { input_tokens: 3, output_tokens: 0 },
}
const beginning: readonly Event[] = [
  ['message_start', { message }],
  ['content_block_start', { index: 0, content_block: { type: 'text', text: '' } }],
  ['content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'Paris is' } }],
]
const ending: readonly Event[] = [
  ['content_block_stop', { index: 0 }],
  ['message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 2 } }],
]

const faults: readonly { upstream: string; script: Script; type: readonly [string, string] }[] = [
  {
    upstream: 'breaks off',
    script: (response) => {
      events(response, ...beginning)
      response.write('\n', () => response.destroy())
    },
    type: ['api_error', 'upstream_error'],
  },
  {
    upstream: 'ends without having finished',
    script: (response) => {
      events(response, ...beginning)
      response.end()
    },
    type: ['api_error', 'upstream_error'],
  },
  {
    upstream: 'goes silent',
    script: (response) => events(response, ...beginning),
    type: ['timeout_error', 'timeout'],
  },
  {
    upstream: 'sends data that is not JSON',
    script: (response) => {
      events(response, ...beginning)
      response.write('event: content_block_delta\ndata: {"type":\n\n')
    },
    type: ['api_error', 'upstream_error'],
  },
  {
    upstream: 'reports that it is overloaded, and repeats the key',
    script: (response) =>
      events(response, ...beginning, ['error', { error: { type: 'overloaded_error', message: canary } }]),
    type: ['overloaded_error', 'overloaded_error'],
  },
]

describe.each(clientDialects)('an upstream of Anthropic that fails, for a client of %s', (dialect) => {
  it.concurrent.each(faults)('$upstream', async ({ script, type }) => {
    const upstream = await startUpstream(script)
    const { address } = await startGateway({
      upstream: upstream.url,
      dialect: 'anthropic-messages',
      apiKey: canary,
      settings: { timeouts },
    })
    const answer = await ask(address, dialect)
    expect(answer).toMatchObject({ status: 200, text: 'Paris is', isMarkedDone: false, finish: undefined })
    expect(answer.error?.type).toBe(type[dialect === 'anthropic' ? 0 : 1])
    expect(answer.body).not.toContain(canary)
    await until(() => upstream.openRequests === 0, 1000)
  })

  it('finishes where message_stop is missing', async () => {
    const upstream = await startUpstream((response) => {
      events(response, ...beginning, ...ending)
      response.end()
    })
    const { address } = await startGateway({ upstream: upstream.url, dialect: 'anthropic-messages' })
    const answer = await ask(address, dialect)
    expect(answer).toMatchObject({ status: 200, text: 'Paris is', isMarkedDone: true, error: undefined })
  })

  it('passes an error on with its status', async () => {
    const upstream = await startUpstream((response) =>
      json(response, 400, { type: 'error', error: { type: 'invalid_request_error', message: 'too hot' } }),
    )
    const { address } = await startGateway({ upstream: upstream.url, dialect: 'anthropic-messages' })
    const answer = await ask(address, dialect)
    expect(answer).toMatchObject({
      status: 400,
      error: { type: 'invalid_request_error', message: 'too hot' },
    })
  })
})

describe('reasoning that goes back to an upstream of Anthropic’s dialect', () => {
  const thinking = { type: 'enabled', budget_tokens: 2048 }
  const signed = `E${'a'.repeat(200)}`

  async function sentBack(model: string, signature: string): Promise<unknown> {
    const upstream = await startUpstream((response) => {
      events(response, ...beginning, ...ending, ['message_stop', {}])
      response.end()
    })
    const { address } = await startGateway({ upstream: upstream.url, dialect: 'anthropic-messages' })
    const call = { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: {} }
    const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'ok' }
    const messages = [
      { role: 'user', content: 'Go.' },
      { role: 'assistant', content: [{ type: 'thinking', thinking: 'Hm.', signature }, call] },
      { role: 'user', content: [result] },
    ]
    const answer = await post(address, '/v1/messages', { model, max_tokens: 4096, thinking, messages })
    await answer.text()
    return JSON.parse(upstream.requests[0]?.body ?? '')
  }

  it.each(['', 'f3a1c0ffee'])('stays for an open model, whose server signs it with %j', async (signature) => {
    const thought = { type: 'thinking', thinking: 'Hm.', signature }
    const sent = await sentBack('kimi-k2', signature)
    expect(sent).toMatchObject({ thinking, messages: [{}, { content: [thought, {}] }, {}] })
  })

  it('of Anthropic’s own is not for an open model', async () => {
    const sent = await sentBack('kimi-k2', signed)
    expect(sent).toMatchObject({ messages: [{}, { content: [{ type: 'tool_use' }] }, {}] })
    expect(sent).not.toHaveProperty('thinking')
  })

  it('needs its signature at Anthropic', async () => {
    const kept = { thinking, messages: [{}, { content: [{ signature: signed }, {}] }, {}] }
    expect(await sentBack('claude-sonnet-4-5', signed)).toMatchObject(kept)
    expect(await sentBack('claude-sonnet-4-5', '')).not.toHaveProperty('thinking')
  })
})
