import type { ServerResponse } from 'node:http'
import { afterAll, describe, expect, it } from 'vitest'
import { ask, clientDialects } from './ask.ts'
import { startGateway, stopGateways } from './running-gateway.ts'
import { json, type Script, startUpstream, stopUpstreams, until } from './scripted-upstream.ts'

afterAll(async () => {
  await stopGateways()
  stopUpstreams()
})

const timeouts = { idle: '150ms', finishGrace: '100ms' }
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
