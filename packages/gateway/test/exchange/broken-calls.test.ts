import { afterAll, describe, expect, it } from 'vitest'
import { type Answer, ask, type ClientDialect, clientDialects } from '../server/ask.ts'
import { startGateway, stopGateways } from '../server/running-gateway.ts'
import { chunk, json, type Script, sse, startUpstream, stopUpstreams } from '../server/scripted-upstream.ts'

afterAll(async () => {
  await stopGateways()
  stopUpstreams()
})

interface Call {
  readonly name?: string
  readonly arguments: string
}

/** How the upstream of a dialect says some text and then a call. */
const upstreams = {
  'openai-chat': (text: string, call: Call, reason: string): Script[] => {
    const called = { id: 'call_1', type: 'function', function: call }
    const tool_calls = [{ index: 0, ...called }]
    const message = { role: 'assistant', content: text, tool_calls: [called] }
    return [
      (response) => {
        sse(response, chunk({ role: 'assistant', content: text }), chunk({ tool_calls }), chunk({}, reason))
        sse(response, '[DONE]')
        response.end()
      },
      (response) => json(response, 200, { id: 'c', choices: [{ index: 0, message, finish_reason: reason }] }),
    ]
  },
  'anthropic-messages': (text: string, { name, arguments: input }: Call, reason: string): Script[] => {
    const stop_reason = reason === 'length' ? 'max_tokens' : 'tool_use'
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], usage: {} }
    const block = { type: 'tool_use', id: 'toolu_1', name, input: {} }
    const events = [
      { type: 'message_start', message },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: block },
      { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: input } },
      { type: 'content_block_stop', index: 1 },
      { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 5 } },
      { type: 'message_stop' },
    ]
    return [
      (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.end(
          events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''),
        )
      },
    ]
  },
} as const

const sides = clientDialects.flatMap((client) =>
  (['openai-chat', 'anthropic-messages'] as const).map((dialect) => [client, dialect] as const),
)

async function answers(
  client: ClientDialect,
  dialect: keyof typeof upstreams,
  call: Call,
  { stream, reason = 'tool_calls' }: { readonly stream: boolean; readonly reason?: string },
): Promise<Answer[]> {
  const scripts = upstreams[dialect]('Let me see.', call, reason)
  return Promise.all(
    scripts.map(async (script) => {
      const { url } = await startUpstream(script)
      const { address } = await startGateway({ upstream: url, dialect })
      return ask(address, client, { stream, model: 'some-model' })
    }),
  )
}

describe.each(sides)('for a client of %s on an upstream of %s, a structured call', (client, dialect) => {
  it.each([
    ['without a name', { arguments: '{"city":"Paris"}' }, 'nameless_tool_call', 'without a name'],
    [
      'whose arguments are no JSON',
      { name: 'get_weather', arguments: '{"city" 7' },
      'invalid_tool_arguments',
      '',
    ],
  ])('%s is a failure, and nothing marks the answer as whole', async (_what, call, code, told) => {
    for (const answer of await answers(client, dialect, call, { stream: false })) {
      expect(answer.status).toBe(502)
      expect(answer.body).toContain(code)
    }
    for (const answer of await answers(client, dialect, call, { stream: true })) {
      expect(answer.error?.message).toContain(told)
      expect(answer.body).toContain(code)
      expect(answer.isMarkedDone).toBe(false)
    }
  })

  it('that the token limit cut ends the answer as it was cut, in a stream that is legal', async () => {
    const half = { name: 'get_weather', arguments: '{"city":"Par' }
    for (const answer of await answers(client, dialect, half, { stream: true, reason: 'length' })) {
      expect(answer.error).toBeUndefined()
      expect(answer.finish).toBe(client === 'anthropic' ? 'max_tokens' : 'length')
      expect(answer.isMarkedDone).toBe(true)
      const starts = answer.body.split('event: content_block_start\n').length
      expect(answer.body.split('event: content_block_stop\n')).toHaveLength(starts)
    }
  })
})
