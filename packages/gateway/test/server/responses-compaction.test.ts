import type { ServerResponse } from 'node:http'
import { type DialectId, dialectIds } from '@dragoman/core'
import OpenAI from 'openai'
import { afterEach, describe, expect, it } from 'vitest'
import { at, post } from './ask.ts'
import { startGateway, stopGateways } from './running-gateway.ts'
import {
  chunk,
  completion,
  json,
  type Script,
  type ScriptedUpstream,
  sse,
  startUpstream,
  stopUpstreams,
  until,
} from './scripted-upstream.ts'

afterEach(async () => {
  await stopGateways()
  stopUpstreams()
})

const summary = 'The user wants a bridge – 橋. Two pillars stand.'

const wholeAnswers: Readonly<Record<DialectId, (text: string) => object>> = {
  'openai-chat': completion,
  'anthropic-messages': (text) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 3, output_tokens: 2 },
  }),
  'openai-responses': (text) => ({
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    model: 'm',
    output: [
      {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text, annotations: [] }],
      },
    ],
    usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
  }),
  gemini: (text) => ({
    candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
  }),
}

interface Setup {
  readonly upstream: ScriptedUpstream
  readonly address: string
}

async function summarizing(dialect: DialectId = 'openai-chat'): Promise<Setup> {
  return setup((response) => json(response, 200, wholeAnswers[dialect](summary)), dialect)
}

async function setup(script: Script, dialect: DialectId = 'openai-chat'): Promise<Setup> {
  const upstream = await startUpstream(script)
  const { address } = await startGateway({ upstream: upstream.url, dialect })
  return { upstream, address }
}

const tools = [
  { type: 'function', name: 'run', parameters: { type: 'object', properties: {} }, strict: false },
]
const conversation = [
  { type: 'message', role: 'developer', content: 'Be brief.' },
  { type: 'message', role: 'user', content: 'Build a bridge.' },
  { type: 'function_call', call_id: 'call_1', name: 'run', arguments: '{}' },
  { type: 'function_call_output', call_id: 'call_1', output: 'two pillars' },
  { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Two pillars stand.' }] },
  { type: 'message', id: 'msg_u2', role: 'user', content: [{ type: 'input_text', text: 'Go on.' }] },
]
const asked = { model: 'kimi-k2', instructions: 'Help.', tools, tool_choice: 'auto' }

function eventsIn(stream: string): unknown[] {
  return [...stream.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) => JSON.parse(data))
}

function outputOf(answer: unknown): unknown[] {
  const output = at(answer, 'output')
  return Array.isArray(output) ? output : []
}

function lastBody({ upstream }: Setup): string {
  return upstream.requests.at(-1)?.body ?? ''
}

describe('42. POST /v1/responses/compact', () => {
  it.each(dialectIds)(
    'asks an upstream of %s for a summary, and gives it back with the messages',
    async (id) => {
      const running = await summarizing(id)
      const body = { ...asked, input: conversation }
      const answer = await post(running.address, '/v1/responses/compact', body)
      expect(answer.status).toBe(200)
      const compacted: unknown = await answer.json()
      expect(compacted).toEqual({
        id: expect.stringMatching(/^resp_/),
        object: 'response.compaction',
        created_at: expect.any(Number),
        output: [
          expect.objectContaining({
            role: 'user',
            content: [{ type: 'input_text', text: 'Build a bridge.' }],
          }),
          expect.objectContaining({ role: 'user', id: 'msg_u2' }),
          {
            type: 'compaction',
            id: expect.stringMatching(/^cmp_/),
            encrypted_content: expect.stringMatching(/^dragoman_summary_/),
          },
        ],
        usage: expect.objectContaining({ input_tokens: 3, output_tokens: 2, total_tokens: 5 }),
      })
      const sent: unknown = JSON.parse(lastBody(running))
      for (const field of ['tools', 'tool_choice', 'toolConfig']) expect(at(sent, field)).toBeUndefined()
      expect(lastBody(running)).toContain('Write a summary of the conversation')
      expect(lastBody(running)).toContain('two pillars')
    },
  )

  it('is usable as the next input, and the summary reaches the model', async () => {
    const running = await summarizing()
    const client = new OpenAI({ apiKey: 'k', baseURL: `${running.address}/v1`, maxRetries: 0 })
    const answer = await post(running.address, '/v1/responses/compact', { ...asked, input: conversation })
    const output = outputOf(await answer.json())
    const next = await post(running.address, '/v1/responses', {
      ...asked,
      input: [...output, { role: 'user', content: 'And now?' }],
    })
    expect(next.status).toBe(200)
    const messages = at(JSON.parse(lastBody(running)), 'messages')
    expect(JSON.stringify(messages)).toContain(summary)
    expect(messages).not.toContainEqual(expect.objectContaining({ role: 'tool' }))
    expect(await client.responses.create({ model: 'kimi-k2', input: 'Hi' })).toMatchObject({
      output_text: summary,
    })
  })

  it('may be asked again: the summary before is a part of the next', async () => {
    const running = await summarizing()
    const first = await post(running.address, '/v1/responses/compact', { ...asked, input: conversation })
    const again = await post(running.address, '/v1/responses/compact', {
      ...asked,
      input: outputOf(await first.json()),
    })
    const output = outputOf(await again.json())
    expect(output.filter((item) => at(item, 'type') === 'compaction')).toHaveLength(1)
    expect(lastBody(running)).toContain(summary)
  })

  it('tells a failure by its status, and nothing in place of an empty summary', async () => {
    const refusing = await setup((response) => json(response, 503, { error: { message: 'Busy.' } }))
    const silent = await setup((response) => json(response, 200, completion('')))
    const body = { ...asked, input: conversation }
    expect((await post(refusing.address, '/v1/responses/compact', body)).status).toBe(503)
    expect((await post(silent.address, '/v1/responses/compact', body)).status).toBe(502)
  })
})

describe('42. a request that ends in compaction_trigger', () => {
  const triggered = { ...asked, input: [...conversation, { type: 'compaction_trigger' }], stream: true }

  it.each(dialectIds)('gets one item from an upstream of %s, and the end', async (id) => {
    const running = await summarizing(id)
    const stream = await (await post(running.address, '/v1/responses', triggered)).text()
    const events = eventsIn(stream)
    expect(events.map((event) => at(event, 'type'))).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.output_item.done',
      'response.completed',
    ])
    expect(events.map((event) => at(event, 'sequence_number'))).toEqual([0, 1, 2, 3, 4])
    const response = at(events.at(-1), 'response')
    expect(outputOf(response)).toEqual([at(events.at(-2), 'item')])
    expect(at(events.at(-2), 'item', 'type')).toBe('compaction')
    expect(at(response, 'usage', 'total_tokens')).toBe(5)
    expect(at(JSON.parse(lastBody(running)), 'tools')).toBeUndefined()
  })

  it('leaves out what the model thought, and says where a summary was cut', async () => {
    const running = await setup((response) => {
      sse(response, chunk({ reasoning_content: 'Hm.' }), chunk({ content: 'A bridge' }), chunk({}, 'length'))
      sse(response, '[DONE]')
      response.end()
    })
    const stream = await (await post(running.address, '/v1/responses', triggered)).text()
    const item = at(eventsIn(stream).at(-2), 'item')
    await post(running.address, '/v1/responses', {
      ...asked,
      input: [item, { role: 'user', content: 'On.' }],
    })
    expect(lastBody(running)).toContain('A bridge\\n[The summary breaks off here.]')
    expect(lastBody(running)).not.toContain('Hm.')
  })

  it('is told that we live while the model writes', async () => {
    let heard = ''
    const upstream = await startUpstream(async (response: ServerResponse) => {
      sse(response, chunk({ content: 'A bri' }))
      await until(() => heard.includes('event: keepalive')).catch(() => {})
      sse(response, chunk({ content: 'dge.' }, 'stop'), '[DONE]')
      response.end()
    })
    const { address } = await startGateway({
      upstream: upstream.url,
      settings: { timeouts: { ping: '40ms' } },
    })
    const answer = await post(address, '/v1/responses', triggered)
    const decoder = new TextDecoder()
    for await (const piece of answer.body ?? []) heard += decoder.decode(piece, { stream: true })
    expect(heard).toContain('event: keepalive')
    expect(at(eventsIn(heard).at(-1), 'type')).toBe('response.completed')
  })

  it('fails where the upstream breaks off', async () => {
    const running = await setup((response) => {
      sse(response, chunk({ content: 'A bri' }))
      response.end()
    })
    const stream = await (await post(running.address, '/v1/responses', triggered)).text()
    expect(
      eventsIn(stream)
        .map((event) => at(event, 'type'))
        .slice(-2),
    ).toEqual(['error', 'response.failed'])
  })

  it('somebody else made is dropped with a note', async () => {
    const upstream = await startUpstream((response) => json(response, 200, completion('Hi.')))
    const { address, requestLine } = await startGateway({ upstream: upstream.url })
    const item = { type: 'compaction', encrypted_content: 'gAAAAAx' }
    const input = [item, { role: 'user', content: 'On.' }]
    expect((await post(address, '/v1/responses', { ...asked, input })).status).toBe(200)
    expect(upstream.requests.at(-1)?.body).not.toContain('gAAAA')
    await until(() => requestLine() !== undefined)
    expect(JSON.stringify(requestLine()?.['changed'])).toContain('compaction')
  })
})
