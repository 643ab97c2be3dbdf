import { afterEach, describe, expect, it } from 'vitest'
import { ask, at } from '../server/ask.ts'
import { startGateway, stopGateways } from '../server/running-gateway.ts'
import { completion, json, type Script, startUpstream, stopUpstreams } from '../server/scripted-upstream.ts'

afterEach(async () => {
  await stopGateways()
  stopUpstreams()
})

type Setup = Partial<Parameters<typeof startGateway>[0]>

async function between(script: Script, setup: Setup = {}) {
  const upstream = await startUpstream(script)
  const gateway = await startGateway({ ...setup, upstream: upstream.url })
  return { ...gateway, sent: () => upstream.requests.map(({ body }) => JSON.parse(body)) }
}

const refused = (message: string, status = 400) => ({
  status,
  body: { error: { message, type: 'invalid_request_error' } },
})

/** Refuses the first request so, and answers every other. */
const once =
  ({ status, body }: { status: number; body: object }): Script =>
  (response, nth) =>
    nth === 1 ? json(response, status, body) : json(response, 200, completion('hello'))

describe('a refusal because of thinking', () => {
  it('of the field itself is remembered for the model', async () => {
    const { address, sent } = await between(once(refused('Unsupported parameter: reasoning_effort')))
    const effort = { stream: false, reasoning_effort: 'high' }
    await ask(address, 'openai', effort)
    await ask(address, 'openai', effort)
    expect(sent().map((body) => 'reasoning_effort' in body)).toEqual([true, false, false])
  })

  it('of a value is mended for this request, and no other loses its wish', async () => {
    const { address, sent } = await between(once(refused("reasoning_effort must be one of 'low', 'high'")))
    await ask(address, 'openai', { stream: false, reasoning_effort: 'extreme' })
    await ask(address, 'openai', { stream: false, reasoning_effort: 'high' })
    expect(sent().map((body) => body.reasoning_effort)).toEqual(['extreme', undefined, 'high'])
  })

  it.each([
    'messages.1.content.0: `thinking` blocks in the latest assistant message cannot be modified',
    'messages.3: Invalid `signature` in `thinking` block',
  ])('that is about the conversation is passed on: %s', async (message) => {
    const { address, sent } = await between(once(refused(message)), { dialect: 'anthropic-messages' })
    const answer = await ask(address, 'anthropic', { thinking: { type: 'enabled', budget_tokens: 2000 } })
    expect(answer.status).toBe(400)
    expect(sent()).toHaveLength(1)
  })

  it('of a field inside another leaves the others there', async () => {
    const refusal = {
      error: { code: 400, message: 'thinking_config is not supported.', status: 'INVALID_ARGUMENT' },
    }
    const candidates = [
      { content: { parts: [{ text: 'hello' }], role: 'model' }, finishReason: 'STOP', index: 0 },
    ]
    const script: Script = (response, nth) =>
      nth === 1 ? json(response, 400, refusal) : json(response, 200, { candidates })
    const { address, sent } = await between(script, { dialect: 'gemini' })
    const effort = { stream: false, reasoning_effort: 'high', max_tokens: 9 }
    expect((await ask(address, 'openai', effort)).text).toBe('hello')
    await ask(address, 'openai', effort)
    expect(sent().map(({ generationConfig }) => generationConfig)).toEqual([
      { maxOutputTokens: 9, thinkingConfig: expect.any(Object) },
      { maxOutputTokens: 9 },
      { maxOutputTokens: 9 },
    ])
  })

  it('is not mended where the request has no such field at its top', async () => {
    const { address, sent } = await between(once(refused('Unsupported parameter: thinking.type')))
    const messages = [{ role: 'user', content: 'What does "thinking" mean?' }]
    expect((await ask(address, 'openai', { stream: false, messages })).status).toBe(400)
    expect(sent()).toHaveLength(1)
  })
})

describe('a call in an error', () => {
  const tools = [
    '{"name": "bash", "arguments": {"command": "ls"}}',
    `{"name": "bash", "arguments": {"command": "echo \\"x`,
  ]
  const offered = {
    stream: false,
    tools: [
      {
        type: 'function',
        function: {
          name: 'bash',
          parameters: { type: 'object', properties: { command: { type: 'string' } } },
        },
      },
    ],
  }

  it('is not read beside one that was cut: the upstream is asked again', async () => {
    const written = tools.map((call) => `<tool_call>\n${call}`).join('\n</tool_call>\n')
    const { address, sent } = await between(once(refused(`Failed to parse input at pos 0: ${written}`, 500)))
    expect((await ask(address, 'openai', { model: 'qwen3-32b', ...offered })).text).toBe('hello')
    expect(sent()).toHaveLength(2)
  })

  it('is not read where the error itself was cut: its quotes are still escaped', async () => {
    const call = JSON.stringify({ name: 'bash', arguments: { command: `echo "${'x'.repeat(100_000)}"` } })
    const written = `<tool_call>\n${tools[0]}\n</tool_call>\n<tool_call>\n${call}\n</tool_call>`
    const { address } = await between(once(refused(`Failed to parse input at pos 0: ${written}`, 500)))
    const answer = await ask(address, 'openai', { model: 'qwen3-32b', ...offered })
    expect(answer.hasCall).toBe(false)
  })
})

function prompt(words: number): object {
  return { messages: [{ role: 'user', content: 'weather '.repeat(words) }] }
}

/** Answers, and says that it has read 4,000 tokens. */
const counted: Script = (response) => {
  const usage = { prompt_tokens: 4000, completion_tokens: 5, total_tokens: 4005 }
  json(response, 200, { ...completion('hello'), usage })
}

describe('a limit for the answer', () => {
  const vllm = { settings: { models: [{ match: '*', upstream: 'lab', window: 20_000 }] } }

  it('is lowered with the budget for thinking, which has to be smaller', async () => {
    const { address, sent } = await between(once(refused('never')), {
      dialect: 'anthropic-messages',
      ...vllm,
    })
    const thinking = { type: 'enabled', budget_tokens: 31_999 }
    await ask(address, 'anthropic', { ...prompt(2000), max_tokens: 32_000, thinking })
    const [{ max_tokens: limit, thinking: told }] = sent()
    expect(limit).toBeLessThan(20_000)
    expect(told.budget_tokens).toBeLessThan(limit)
  })

  it('is not cut to nothing by an estimate that may be too high', async () => {
    const { address, sent } = await between(once(refused('never')), vllm)
    // Some 17,000 tokens by the estimate. English prose of this length has 13,000.
    await ask(address, 'openai', { ...prompt(7400), max_tokens: 8000, stream: false })
    expect(sent()[0].max_tokens).toBeGreaterThan(2000)
  })

  it('follows what the upstream has counted before', async () => {
    const { address, sent } = await between(counted, vllm)
    const asked = { ...prompt(3500), max_tokens: 18_000, stream: false }
    await ask(address, 'openai', asked)
    await ask(address, 'openai', asked)
    const [first, second] = sent().map(({ max_tokens: limit }) => limit)
    expect(first).toBeLessThan(13_000)
    expect(second).toBeGreaterThan(15_000)
    expect(second).toBeLessThan(16_000)
  })

  it('that the gateway set itself is lowered too, where the upstream refuses it', async () => {
    const message =
      "This model's maximum context length is 4096 tokens. However, you requested 8192 output tokens and your prompt contains 100 input tokens, for a total of 8292 tokens"
    const { address, sent } = await between(
      (response, nth) =>
        nth === 1
          ? json(response, 400, refused(message).body)
          : json(response, 200, {
              id: 'msg_1',
              type: 'message',
              role: 'assistant',
              model: 'm',
              content: [{ type: 'text', text: 'hello' }],
              stop_reason: 'end_turn',
              stop_sequence: null,
              usage: { input_tokens: 1, output_tokens: 1 },
            }),
      { dialect: 'anthropic-messages' },
    )
    const answer = await ask(address, 'openai', { stream: false })
    expect(answer).toMatchObject({ status: 200, text: 'hello' })
    expect(sent().map((body) => body.max_tokens)).toEqual([8192, 3996])
  })

  it('is not learned from an error that only quotes somebody', async () => {
    const message = "Invalid value for tool_choice: 'maximum context length is 10 tokens'"
    const { address, sent } = await between(once(refused(message)))
    await ask(address, 'openai', { stream: false, max_tokens: 3000 })
    await ask(address, 'openai', { stream: false, max_tokens: 3000 })
    expect(at(sent().at(-1), 'max_tokens')).toBe(3000)
  })
})

describe('a choice that forces a call', () => {
  it('is asked for in words where the upstream refuses it, and it is remembered', async () => {
    const { address, sent } = await between(
      once(refused('tool_choice required is not supported with thinking')),
    )
    await ask(address, 'openai', { stream: false, tool_choice: 'required' })
    await ask(address, 'openai', { stream: false, tool_choice: 'required' })
    expect(sent().map((body) => body.tool_choice)).toEqual(['required', 'auto', 'auto'])
    expect(JSON.stringify(sent()[2].messages)).toContain('Answer the next message with a call')
  })
})

describe('an upstream that is asked again', () => {
  it('is one stream to the client', async () => {
    const { address, metric } = await between((response, nth) => {
      if (nth > 1) return json(response, 200, completion('hello'))
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      return response.end(
        `data: ${JSON.stringify({ error: { message: 'Unsupported parameter: reasoning_effort' } })}\n\n`,
      )
    })
    await ask(address, 'openai', { stream: false, reasoning_effort: 'high' })
    expect(await metric('dragoman_streams_active')).toBe(0)
  })

  it('keeps a header that the configuration has for the session', async () => {
    const upstream = await startUpstream((response) => json(response, 200, completion('hello')))
    const lab = { url: upstream.url, kind: 'vllm', headers: { 'X-Session-Id': 'mine' } }
    const { address } = await startGateway({ upstream: upstream.url, settings: { upstreams: { lab } } })
    await ask(address, 'openai', { stream: false })
    expect(upstream.requests.find(({ body }) => body !== '')?.headers['x-session-id']).toBe('mine')
  })
})
