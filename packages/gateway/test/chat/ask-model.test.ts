import type { Content, DialectId } from '@dragoman/core'
import { afterAll, describe, expect, it } from 'vitest'
import type { ChatEvent } from '../../src/chat/chat-event.ts'
import { type AskedAnswer, askModel } from '../../src/chat/model/ask-model.ts'
import { chatRequest } from '../../src/chat/model/chat-request.ts'
import type { GatewayConfig } from '../../src/config/config.ts'
import { matchModel } from '../../src/config/match-model.ts'
import { createRedactor } from '../../src/security/redact.ts'
import type { Upstreams } from '../../src/upstream/upstreams.ts'
import { configFor } from '../server/running-gateway.ts'
import {
  chunk,
  completion,
  json,
  type Script,
  sse,
  startUpstream,
  stopUpstreams,
  until,
} from '../server/scripted-upstream.ts'
import { startForgetful, stopForgetful } from '../upstream/forgetful-upstream.ts'
import { openUpstreams } from './open-upstreams.ts'

const running: Upstreams[] = []

afterAll(async () => {
  await Promise.all(running.map((upstreams) => upstreams.close()))
  stopUpstreams()
  stopForgetful()
})

const key = 'canary-key-0123456789'
const question: Content = { speaker: 'human', blocks: [{ type: 'text', text: 'Hi' }] }

interface Asking {
  readonly dialect?: DialectId
  readonly contents?: readonly Content[]
  readonly signal?: AbortSignal
  readonly onEvent?: (event: ChatEvent) => void
  readonly model?: string
  readonly limits?: object
}

async function ask(
  script: Script,
  asking: Asking = {},
): Promise<AskedAnswer & { events: ChatEvent[]; bodies: string[] }> {
  const upstream = await startUpstream(script)
  const answer = await askOf(await worldOf(upstream.url, asking), asking)
  return { ...answer, bodies: upstream.requests.map(({ body }) => body) }
}

interface World {
  readonly config: GatewayConfig
  readonly upstreams: Upstreams
}

async function worldOf(url: string, { dialect = 'openai-chat', limits = {} }: Asking = {}): Promise<World> {
  const config = await configFor({
    upstream: url,
    dialect,
    apiKey: key,
    settings: { timeouts: { finishGrace: '100ms', idle: '600ms' }, limits },
  })
  const upstreams = openUpstreams(config)
  running.push(upstreams)
  return { config, upstreams }
}

async function askOf(
  { config, upstreams }: World,
  asking: Asking = {},
): Promise<AskedAnswer & { events: ChatEvent[] }> {
  const { contents = [question], model = 'm' } = asking
  const route = matchModel(config, model)
  if (route === undefined) throw new Error('no route')
  const events: ChatEvent[] = []
  let ids = 0
  const answer = await askModel(
    chatRequest({ model, contents, usesTools: true, folder: '/project' }),
    route,
    { config, upstreams, redact: createRedactor([key]), newId: () => String(++ids) },
    (event) => {
      events.push(event)
      asking.onEvent?.(event)
    },
    asking.signal ?? new AbortController().signal,
  )
  return { ...answer, events }
}

function named(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify({ type: name, ...data })}\n\n`
}

describe('an answer of a model', () => {
  it('becomes blocks of the history, with the reasoning signed and the call under an id of ours', async () => {
    const { end, content, events } = await ask(
      (response) => {
        sse(
          response,
          chunk({ reasoning_content: 'Let me see.' }),
          chunk({ content: 'Reading. <|tool_calls_section_begin|><|tool_call_begin|>functions.read_file:0' }),
          chunk({
            content: '<|tool_call_argument_begin|>{"path":"a"}<|tool_call_end|><|tool_calls_section_end|>',
          }),
          chunk({}, 'stop'),
          '[DONE]',
        )
        response.end()
      },
      { model: 'kimi-k2' },
    )
    expect(end).toEqual({ is: 'finished', reason: 'tool-calls' })
    expect(content).toEqual({
      speaker: 'ai',
      blocks: [
        { type: 'thinking', thought: 'Let me see.', signature: expect.stringMatching(/^dragoman_/) },
        { type: 'text', text: 'Reading. ' },
        { type: 'tool_call', id: 'hist_tool_kimi_1', name: 'read_file', parameters: { path: 'a' } },
      ],
    })
    expect(events.map(({ type }) => type)).toContain('call-delta')
  })

  it('that came whole although a stream was asked for is read too', async () => {
    const { content } = await ask((response) => json(response, 200, completion('Hello')))
    expect(content?.blocks).toEqual([{ type: 'text', text: 'Hello' }])
  })

  it('is asked for once more on a new connection where the kept ones are dead', async () => {
    const world = await worldOf(await startForgetful())
    await Promise.all([askOf(world), askOf(world), askOf(world)])
    const { end } = await askOf(world)
    expect(end).toEqual({ is: 'finished', reason: 'stop' })
  })

  it('is kept as it came, beside what it became', async () => {
    const { kept } = await ask((response) => {
      sse(response, chunk({ content: '<think>a</think>b' }), chunk({}, 'stop'), '[DONE]')
      response.end()
    })
    expect(kept?.received).toContain('<think>a</think>b')
    expect(kept?.became?.blocks.map(({ type }) => type)).toEqual(['thinking', 'text'])
  })

  it('of Anthropic keeps the signature that only Anthropic can check', async () => {
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], usage: {} }
    const { content, bodies } = await ask(
      (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.end(
          [
            named('message_start', { message }),
            named('content_block_start', {
              index: 0,
              content_block: { type: 'thinking', thinking: '', signature: '' },
            }),
            named('content_block_delta', { index: 0, delta: { type: 'thinking_delta', thinking: 'Hm' } }),
            named('content_block_delta', {
              index: 0,
              delta: { type: 'signature_delta', signature: 'EqRkYmFz' },
            }),
            named('content_block_stop', { index: 0 }),
            named('content_block_start', { index: 1, content_block: { type: 'text', text: '' } }),
            named('content_block_delta', { index: 1, delta: { type: 'text_delta', text: 'Hello' } }),
            named('content_block_stop', { index: 1 }),
            named('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } }),
            named('message_stop', {}),
          ].join(''),
        )
      },
      { dialect: 'anthropic-messages', model: 'claude-x' },
    )
    expect(content?.blocks).toEqual([
      { type: 'thinking', thought: 'Hm', signature: 'EqRkYmFz' },
      { type: 'text', text: 'Hello' },
    ])
    expect(JSON.parse(bodies[0] ?? '')).toMatchObject({ max_tokens: expect.any(Number), stream: true })
  })

  it('of Gemini goes back with its signatures where they stood', async () => {
    const parts = [
      { text: 'Hm', thought: true },
      { text: 'I look.', thoughtSignature: 'dGV4dA==' },
      { functionCall: { id: 'c1', name: 'list_files', args: {} }, thoughtSignature: 'Y2FsbA==' },
    ]
    const candidates = [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }]
    const upstream = await startUpstream((response) => {
      sse(response, { candidates })
      response.end()
    })
    const asking: Asking = { dialect: 'gemini', model: 'gemini-3-pro' }
    const world = await worldOf(upstream.url, asking)
    const { content } = await askOf(world, asking)
    const blocks = content?.blocks ?? []
    const results = blocks.flatMap((block) =>
      block.type === 'tool_call'
        ? [{ type: 'tool_response' as const, callId: block.id, toolName: block.name, result: 'a.txt' }]
        : [],
    )
    const contents: Content[] = [question, { speaker: 'ai', blocks }, { speaker: 'tool', blocks: results }]
    await askOf(world, { ...asking, contents })
    expect(JSON.parse(upstream.requests[1]?.body ?? '')).toMatchObject({
      contents: [
        { role: 'user' },
        {
          role: 'model',
          parts: [
            { text: 'Hm', thought: true },
            { text: 'I look.', thoughtSignature: 'dGV4dA==' },
            { functionCall: { name: 'list_files' }, thoughtSignature: 'Y2FsbA==' },
          ],
        },
        { role: 'user', parts: [{ functionResponse: { name: 'list_files' } }] },
      ],
    })
  })
})

describe('an answer that fails', () => {
  const failures: [what: string, script: Script, code: string][] = [
    [
      'is refused',
      (response) => json(response, 404, { error: { message: 'no such model', code: 'gone' } }),
      'gone',
    ],
    [
      'is a web page',
      (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
      'upstream_protocol_error',
    ],
    ['is a redirect', (response) => response.writeHead(302, { location: '/' }).end(), 'upstream_redirect'],
    [
      'is not JSON',
      (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{'),
      'upstream_protocol_error',
    ],
    [
      'says nothing for too long',
      (response) => sse(response, chunk({ content: 'Hel' })),
      'upstream_idle_timeout',
    ],
  ]
  it.each(failures)('because it %s has the code of the failure', async (_what, script, code) => {
    const { end } = await ask(script)
    expect(end).toEqual({ is: 'failed', failure: expect.objectContaining({ code }) })
  })

  it('because it is too long is given up, streamed or whole', async () => {
    const limits = { responseBytes: 1024 }
    const long = 'word '.repeat(500)
    const streamed: Script = (response) => sse(response, chunk({ content: 'Hi' }), chunk({ content: long }))
    const whole: Script = (response) => json(response, 200, completion(long))
    const ends = await Promise.all([streamed, whole].map((script) => ask(script, { limits })))
    for (const { end } of ends) {
      expect(end).toEqual({ is: 'failed', failure: expect.objectContaining({ code: 'upstream_limit' }) })
    }
  })

  it('because it calls a tool without a name runs none', async () => {
    const call = { index: 0, id: 'c1', type: 'function', function: { arguments: '{}' } }
    const { end, content } = await ask((response) => {
      sse(
        response,
        chunk({ content: 'Hm' }),
        chunk({ tool_calls: [call] }),
        chunk({}, 'tool_calls'),
        '[DONE]',
      )
      response.end()
    })
    expect(end).toEqual({ is: 'failed', failure: expect.objectContaining({ code: 'nameless_tool_call' }) })
    expect(content?.blocks).toEqual([{ type: 'text', text: 'Hm' }])
  })

  it('in its middle leaves what was said, and no call that was not whole', async () => {
    const { end, content } = await ask((response) => {
      sse(
        response,
        chunk({ content: 'Half of ' }),
        chunk({
          tool_calls: [
            { index: 0, id: 'call_1', type: 'function', function: { name: 'read_file', arguments: '{"a' } },
          ],
        }),
      )
      response.write('\n', () => response.destroy())
    })
    expect(end.is).toBe('failed')
    expect(content?.blocks).toEqual([{ type: 'text', text: 'Half of ' }])
  })

  it('does not repeat the key that the upstream was shown', async () => {
    const { end } = await ask((response) => json(response, 400, { error: { message: `bad key ${key}` } }))
    expect(end).toEqual({ is: 'failed', failure: expect.objectContaining({ message: 'bad key [redacted]' }) })
  })

  it('behind its last word has not failed', async () => {
    const { end, content } = await ask((response) =>
      sse(response, chunk({ content: 'Hello' }), chunk({}, 'stop')),
    )
    expect(end).toEqual({ is: 'finished', reason: 'stop' })
    expect(content?.blocks).toEqual([{ type: 'text', text: 'Hello' }])
  })
})

describe('an answer that is stopped', () => {
  it('keeps what was said, shows nothing more, and ends the request', async () => {
    const stop = new AbortController()
    let isOpen = true
    let goOn: (() => void) | undefined
    const { end, content, events } = await ask(
      (response) => {
        response.on('close', () => (isOpen = false))
        sse(response, chunk({ content: 'Once upon ' }))
        goOn = () => sse(response, chunk({ content: 'a time' }))
      },
      {
        signal: stop.signal,
        onEvent: ({ type }) => {
          if (type !== 'text') return
          stop.abort()
          goOn?.()
        },
      },
    )
    expect(end).toEqual({ is: 'stopped' })
    expect(content?.blocks).toEqual([{ type: 'text', text: 'Once upon ' }])
    await until(() => !isOpen, 5000)
    expect(events.filter(({ type }) => type === 'text')).toHaveLength(1)
  })

  it('before it began is not asked for', async () => {
    const { end, bodies } = await ask((response) => json(response, 200, completion('Hi')), {
      signal: AbortSignal.abort(),
    })
    expect(end).toEqual({ is: 'stopped' })
    expect(bodies).toEqual([])
  })
})
