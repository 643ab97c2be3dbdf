import type { ServerResponse } from 'node:http'
import { dialects } from '@dragoman/core'
import { afterAll, describe, expect, it } from 'vitest'
import { ask, type Answer, at } from './ask.ts'
import { startGateway, stopGateways } from './running-gateway.ts'
import { chunk, json, type Script, sse, startUpstream, stopUpstreams } from './scripted-upstream.ts'

afterAll(async () => {
  await stopGateways()
  stopUpstreams()
})

type Vendor = 'openai' | 'anthropic'

const dialectOf = {
  openai: 'openai-chat',
  anthropic: 'anthropic-messages',
} as const satisfies Readonly<Record<Vendor, string>>

/** The answer of an upstream that speaks the client's own dialect. */
async function answerOf(vendor: Vendor, script: Script, request: object): Promise<Answer> {
  const { answer } = await exchange(vendor, script, request)
  return answer
}

async function exchange(vendor: Vendor, script: Script, request: object) {
  const upstream = await startUpstream(script)
  const gateway = await startGateway({ upstream: upstream.url, dialect: dialectOf[vendor] })
  return { gateway, answer: await ask(gateway.address, vendor, request) }
}

function stream(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.end(text)
}

const usage = {
  prompt_tokens: 3,
  completion_tokens: 2,
  total_tokens: 5,
  cost: 0.25,
  completion_tokens_details: { reasoning_tokens: 1 },
}
const completion = {
  id: 'gen-1',
  object: 'chat.completion',
  created: 7,
  model: 'lab/kimi',
  provider: 'Lab',
  system_fingerprint: 'fp_1',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: 'Paris',
        reasoning: 'hm',
        reasoning_details: [{ type: 'reasoning.text', text: 'hm', signature: 'sig' }],
        annotations: [{ type: 'url_citation', url_citation: { url: 'https://a.example' } }],
        x_vendor: { a: 1 },
      },
      logprobs: { content: [{ token: 'Paris', logprob: -0.5, bytes: null, top_logprobs: [] }] },
      finish_reason: 'stop',
      native_finish_reason: 'eos',
    },
    { index: 1, message: { role: 'assistant', content: 'Rome' }, finish_reason: 'length' },
  ],
  usage,
}
const kimiCall =
  '<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city":"Paris"}<|tool_call_end|><|tool_calls_section_end|>'

const message = {
  id: 'msg_up',
  type: 'message',
  role: 'assistant',
  model: 'lab-sonnet',
  content: [
    { type: 'thinking', thinking: 'hm', signature: 'EqQB/real+signature==' },
    { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'Paris' } },
    {
      type: 'web_search_tool_result',
      tool_use_id: 'srvtoolu_1',
      content: [{ type: 'web_search_result', url: 'https://a.example', encrypted_content: 'x' }],
    },
    {
      type: 'text',
      text: 'Sunny.',
      citations: [{ type: 'web_search_result_location', url: 'https://a.example', cited_text: 'sun' }],
    },
  ],
  container: { id: 'container_1', expires_at: 'later' },
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: {
    input_tokens: 3,
    output_tokens: 2,
    service_tier: 'standard',
    server_tool_use: { web_search_requests: 1 },
  },
}

/** The whole answer that a stream adds up to. */
function wholeIn(vendor: Vendor, sseText: string): unknown {
  const collector = dialects[dialectOf[vendor]].answer.whole.collect()
  collector.push(sseText)
  return collector.end()?.value
}

/** A whole answer as the stream of an upstream. */
function streamOf(vendor: Vendor, body: object): string {
  const whole = dialects[dialectOf[vendor]].answer.whole.toEvents(JSON.stringify(body))
  if ('failure' in whole) throw new Error(whole.failure.message)
  return whole.events
}

describe('a client that streams, of an upstream in its dialect that answers with plain JSON', () => {
  it('gets all of a completion: every choice, token probabilities, fields of the vendor, the usage', async () => {
    const request = { n: 2, stream_options: { include_usage: true } }
    const answer = await answerOf('openai', (response) => json(response, 200, completion), request)
    expect(answer.headers.get('content-type')).toContain('text/event-stream')
    expect(answer.isMarkedDone).toBe(true)
    expect(wholeIn('openai', answer.body)).toEqual(completion)
  })

  it('gets no chunk with the usage where it did not ask for one', async () => {
    const { gateway, answer } = await exchange('openai', (response) => json(response, 200, completion), {})
    const { usage: _, ...rest } = completion
    expect(wholeIn('openai', answer.body)).toEqual(rest)
    expect(gateway.requestLine()).toMatchObject({ status: 200, tokens: 5 })
  })

  it('gets a call in the text as a structured one, in the choice that has it', async () => {
    const [first, second] = completion.choices
    const calls = { ...second, message: { role: 'assistant', content: kimiCall }, finish_reason: 'stop' }
    const body = { ...completion, choices: [first, calls] }
    const answer = await answerOf('openai', (response) => json(response, 200, body), {})
    expect(wholeIn('openai', answer.body)).toMatchObject({
      choices: [
        first,
        {
          index: 1,
          message: {
            content: null,
            tool_calls: [
              { type: 'function', function: { name: 'get_weather', arguments: '{"city":"Paris"}' } },
            ],
          },
          finish_reason: 'tool_calls',
        },
      ],
    })
    expect(answer.body).not.toContain('<|tool_call')
  })

  it('gets all of a message: the signature as it came, the tools of the server, citations, the container', async () => {
    const answer = await answerOf('anthropic', (response) => json(response, 200, message), {})
    expect(answer.headers.get('content-type')).toContain('text/event-stream')
    expect(answer.isMarkedDone).toBe(true)
    expect(wholeIn('anthropic', answer.body)).toEqual(message)
  })

  it.each(['openai', 'anthropic'] as const)(
    'gets an HTTP error for a body that is none (%s)',
    async (vendor) => {
      const answer = await answerOf(vendor, (response) => json(response, 200, { odd: true }), {})
      expect(answer).toMatchObject({ status: 502, isMarkedDone: false })
      expect(answer.error?.message).toContain('malformed')
    },
  )
})

const callInManyChunks: Script = (response) => {
  sse(response, chunk({ role: 'assistant', content: 'Let me see. ' }))
  sse(response, ...(kimiCall.match(/.{1,7}/g) ?? []).map((content) => chunk({ content })))
  sse(response, chunk({}, 'stop'), '[DONE]')
  response.end()
}

const errorInStream: Script = (response) => {
  sse(response, chunk({ role: 'assistant', content: 'Par' }))
  sse(response, { error: { message: 'slow down', code: 429 } })
  response.end()
}

const noChoice: Script = (response) => {
  sse(response, { id: 'x', object: 'chat.completion.chunk', choices: [] }, '[DONE]')
  response.end()
}

describe('a client that wants one answer, of an upstream in its dialect that streams', () => {
  it('gets all of a completion, the usage included', async () => {
    const text = streamOf('openai', completion)
    const { gateway, answer } = await exchange('openai', (response) => stream(response, text), {
      stream: false,
      n: 2,
    })
    expect(answer.headers.get('content-type')).toContain('application/json')
    expect(answer.last).toEqual(completion)
    expect(gateway.requestLine()).toMatchObject({ status: 200, tokens: 5 })
  })

  it('gets a call that came as text in many chunks as a structured one', async () => {
    const answer = await answerOf('openai', callInManyChunks, { stream: false })
    expect(at(answer.last, 'choices', 0)).toMatchObject({
      message: {
        role: 'assistant',
        content: 'Let me see. ',
        tool_calls: [{ function: { name: 'get_weather', arguments: '{"city":"Paris"}' } }],
      },
      finish_reason: 'tool_calls',
    })
    expect(at(answer.last, 'id')).toBe('chatcmpl-1')
  })

  it('gets all of a message, the signature as it came', async () => {
    const script: Script = (response) => stream(response, streamOf('anthropic', message))
    const answer = await answerOf('anthropic', script, { stream: false })
    expect(answer.headers.get('content-type')).toContain('application/json')
    expect(answer.last).toEqual(message)
  })

  it.each(['openai', 'anthropic'] as const)(
    'gets an HTTP error where the stream is cut (%s)',
    async (vendor) => {
      const text = streamOf(vendor, vendor === 'openai' ? completion : message)
      const half = text.slice(0, text.length / 2)
      const answer = await answerOf(vendor, (response) => stream(response, half), { stream: false })
      expect(answer).toMatchObject({ status: 502, text: '' })
      expect(answer.error).toBeDefined()
    },
  )

  it('gets an error that the stream holds with its status', async () => {
    const answer = await answerOf('openai', errorInStream, { stream: false })
    expect(answer).toMatchObject({ status: 429, text: '', error: { message: 'slow down' } })
  })

  it('gets an HTTP error where the stream has no choice at all', async () => {
    const answer = await answerOf('openai', noChoice, { stream: false })
    expect(answer).toMatchObject({ status: 502, error: { code: 'upstream_empty' } })
  })
})
