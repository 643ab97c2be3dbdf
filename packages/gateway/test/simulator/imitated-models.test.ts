import { describe, expect, it } from 'vitest'
import type { SimulatorSettings } from '../../src/simulator/settings.ts'
import { at, post } from '../server/ask.ts'
import { readStream, type Received } from './chat-stream.ts'
import { playing } from './playing.ts'
import { calling, request, result, user, weatherQuestion } from './requests.ts'

function asked(settings: SimulatorSettings, more: object = {}): Promise<{ status: number; body: unknown }> {
  return playing(settings, async (address) => {
    const response = await post(address, '/chat/completions', { ...request(weatherQuestion), ...more })
    const body: unknown = await response.json()
    return { status: response.status, body }
  })
}

function streamed(settings: SimulatorSettings, more: object = {}): Promise<Received> {
  return playing(settings, async (address) => {
    const body = { ...request(weatherQuestion), stream: true, ...more }
    return readStream(await post(address, '/chat/completions', body))
  })
}

const marked =
  '<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city": "Paris"}<|tool_call_end|><|tool_calls_section_end|>'
const lead = '[simulated] I will call get_weather.'

/** A history of one call, with its thought in this field. */
function history(field: string): object[] {
  return [
    user('x'),
    calling([['functions.get_weather:0', 'get_weather']], { [field]: 'A thought.' }),
    result('functions.get_weather:0'),
  ]
}

describe('what a server refuses', () => {
  const refused: readonly [settings: SimulatorSettings, more: object, status: number, error: object][] = [
    [
      { server: 'ollama', abilities: ['tools'] },
      { reasoning_effort: 'low' },
      400,
      { message: '"kimi-k2" does not support thinking', type: 'api_error', param: null, code: null },
    ],
    [
      { server: 'ollama' },
      { reasoning_effort: 'ultra' },
      400,
      {
        message: `invalid reasoning value: 'ultra' (must be "high", "medium", "low", "max", or "none")`,
        type: 'invalid_request_error',
      },
    ],
    [
      { server: 'ollama', abilities: [] },
      {},
      400,
      { message: 'registry.ollama.ai/library/kimi-k2:latest does not support tools' },
    ],
    [
      { server: 'ollama' },
      { model: 'kimi-k2+no-tools' },
      400,
      { message: 'registry.ollama.ai/library/kimi-k2:latest does not support tools' },
    ],
    [
      { server: 'vllm-0.12' },
      { reasoning_effort: 'none' },
      400,
      { message: expect.stringContaining("Input should be 'low', 'medium' or 'high'"), type: 'Bad Request' },
    ],
    [
      { server: 'vllm-0.21' },
      { tools: [] },
      400,
      { message: expect.stringContaining('tools must not be an empty array.') },
    ],
    [
      { server: 'vllm-0.12' },
      { stream_options: { include_usage: true } },
      400,
      { message: expect.stringContaining('Stream options can only be defined when `stream=True`.') },
    ],
    [
      { server: 'vllm-0.21', parser: 'none' },
      {},
      400,
      { message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set' },
    ],
    [
      { server: 'vllm-0.21', parser: 'none' },
      { tool_choice: 'required' },
      400,
      { message: 'tool_choice="required" requires --tool-call-parser to be set' },
    ],
    [
      { server: 'llama.cpp', parser: 'none' },
      {},
      500,
      { message: 'tools param requires --jinja flag', code: 500 },
    ],
    [
      { server: 'vllm-0.21', abilities: ['tools'] },
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:,' } }] }] },
      400,
      { message: 'kimi-k2 is not a multimodal model' },
    ],
    [
      { server: 'deepseek' },
      { thinking: { type: 'enabled' }, tool_choice: 'required' },
      400,
      { message: 'Thinking mode does not support this tool_choice' },
    ],
    [
      { server: 'deepseek' },
      {
        thinking: { type: 'enabled' },
        messages: [user('x'), calling([['call_0', 'get_weather']]), result('call_0')],
      },
      400,
      { message: 'The reasoning_content in the thinking mode must be passed back to the API.' },
    ],
  ]
  it.each(refused)('%j and %j', async (settings, more, status, error) => {
    const answer = await asked(settings, more)
    expect(answer).toEqual({ status, body: { error: expect.objectContaining(error) } })
  })

  const taken: readonly [settings: SimulatorSettings, more: object][] = [
    [{ server: 'ollama', abilities: ['tools'] }, { reasoning_effort: 'none' }],
    [{ server: 'ollama' }, { reasoning_effort: 'xhigh' }],
    [{ server: 'vllm-0.21' }, { reasoning_effort: 'none' }],
    [{ server: 'vllm-0.12' }, { tools: [] }],
    [{ server: 'vllm-0.21', parser: 'none' }, { tool_choice: 'none' }],
    [{ server: 'llama.cpp' }, { reasoning_effort: 'anything', tools: [] }],
  ]
  it.each(taken)('but not %j and %j', async (settings, more) => {
    expect((await asked(settings, more)).status).toBe(200)
  })

  it('Mistral takes no reasoning back in a field', async () => {
    const messages = [user('x'), { role: 'assistant', content: 'y', reasoning_content: 'z' }, user('w')]
    const { status, body } = await asked({ server: 'mistral' }, { messages })
    expect(status).toBe(422)
    expect(at(body, 'message', 'detail', 0)).toEqual({
      type: 'extra_forbidden',
      loc: ['body', 'messages', 1, 'assistant', 'reasoning_content'],
      msg: 'Extra inputs are not permitted',
      input: 'z',
    })
  })
})

describe('the calls of an imitated server', () => {
  const names = ['vllm-0.9', 'vllm-0.27', 'sglang', 'llama.cpp', 'ollama', 'lm-studio', 'mlx-lm', 'groq']
  it.each(names)('%s makes them structured, in a stream and not', async (server) => {
    const { body } = await asked({ server })
    expect(at(body, 'choices', 0)).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: lead,
        tool_calls: [{ id: 'functions.get_weather:0', function: { arguments: '{"city":"Paris"}' } }],
      },
    })
    expect(await streamed({ server })).toMatchObject({
      finishReason: 'tool_calls',
      isDone: true,
      comments: ['llama.cpp', 'mlx-lm'].includes(server) ? 2 : 0,
    })
  })

  const choice = { tool_choice: 'none' }
  const written: readonly [server: string, more: object, content: string, reason: string][] = [
    ['vllm-0.21', { ...choice, skip_special_tokens: false }, lead + marked, 'stop'],
    ['vllm-0.21', choice, `${lead}functions.get_weather:0{"city": "Paris"}`, 'stop'],
    ['vllm-0.27', { ...choice, skip_special_tokens: false }, lead, 'stop'],
    ['llama.cpp', choice, lead + marked, 'stop'],
    ['sglang', choice, `[simulated] You said: ${weatherQuestion}`, 'stop'],
    ['ollama', choice, lead, 'tool_calls'],
  ]
  it.each(written)('%s and %j', async (server, more, content, reason) => {
    const { body } = await asked({ server }, more)
    expect(at(body, 'choices', 0, 'message', 'content')).toBe(content)
    expect(at(body, 'choices', 0, 'finish_reason')).toBe(reason)
    const { pieces, finishReason } = await streamed({ server }, more)
    expect([pieces.map(({ text }) => text).join(''), finishReason]).toEqual([content, reason])
  })

  it.each(['sglang', 'lm-studio', 'mlx-lm'])(
    '%s without a parser leaves them in the text',
    async (server) => {
      const { body } = await asked({ server, parser: 'none' })
      expect(at(body, 'choices', 0, 'message', 'content')).toBe(lead + marked)
    },
  )

  it('of a vLLM with newer parsers, but started without one, come as text', async () => {
    const more = { ...choice, skip_special_tokens: false }
    const { body } = await asked({ server: 'vllm-0.27', parser: 'none' }, more)
    expect(at(body, 'choices', 0, 'message', 'content')).toBe(lead + marked)
  })

  it('llama.cpp takes the choice of one tool for no choice', async () => {
    const forced = { type: 'function', function: { name: 'get_time' } }
    const { body } = await asked({ server: 'llama.cpp' }, { tool_choice: forced })
    expect(at(body, 'choices', 0, 'message', 'tool_calls', 0, 'function', 'name')).toBe('get_weather')
  })

  it('a model without a format of its own writes them as most models do', async () => {
    const { body } = await asked({ server: 'llama.cpp' }, { model: 'standard', ...choice })
    expect(at(body, 'choices', 0, 'message', 'content')).toContain('<tool_call>\n{"name": "get_weather"')
  })

  it('the words of a model’s name work on as before', async () => {
    const inReasoning = await streamed({ server: 'vllm-0.21' }, { model: 'kimi-k2+reasoning+whole' })
    expect(inReasoning.pieces).toEqual([
      { field: 'reasoning', text: expect.stringContaining('<|tool_calls_section_begin|>') },
    ])
    const { body, status } = await asked({ server: 'vllm-0.21' }, { model: 'kimi-k2+429' })
    expect([status, at(body, 'error', 'code')]).toEqual([429, 429])
  })

  it('come over the other dialect too', async () => {
    await playing({ server: 'sglang', parser: 'none' }, async (address) => {
      const tools = [{ name: 'get_weather', input_schema: { type: 'object' } }]
      const body = { model: 'kimi-k2', max_tokens: 100, messages: [user(weatherQuestion)], tools }
      const answer: unknown = await (await post(address, '/messages', body)).json()
      expect(at(answer, 'content')).toEqual([
        { type: 'text', text: lead + marked.replace('{"city": "Paris"}', '{}') },
      ])
    })
  })
})

describe('a parser that fails', () => {
  const llama = { code: 500, type: 'server_error' }
  const failing: readonly [SimulatorSettings, status: number, error: object][] = [
    [
      { server: 'llama.cpp', parser: 'broken' },
      500,
      { ...llama, message: `Failed to parse input at pos ${lead.length}: ${marked}` },
    ],
    [
      { server: 'llama.cpp', parser: 'broken-mute' },
      500,
      {
        ...llama,
        message: 'The model produced output that does not match the expected peg-native format',
      },
    ],
    [
      { server: 'ollama', parser: 'broken' },
      500,
      {
        message: `error parsing tool call: raw='{"name":"get_weather","parameters":{"city":"Paris"}}]', err=invalid character ']' after top-level value`,
        type: 'api_error',
        param: null,
        code: null,
      },
    ],
    [
      { server: 'groq', parser: 'broken' },
      400,
      {
        message:
          "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.",
        type: 'invalid_request_error',
        param: null,
        code: 'tool_use_failed',
        failed_generation: marked,
      },
    ],
  ]
  it.each(failing)('%j answers with an error', async (settings, status, error) => {
    expect(await asked(settings)).toEqual({ status, body: { error } })
  })

  it('llama.cpp and Groq fail in the stream, after the text', async () => {
    const llamaStream = await streamed({ server: 'llama.cpp', parser: 'broken' })
    expect(llamaStream.pieces.map(({ text }) => text).join('')).toBe(lead)
    expect(llamaStream.events.at(-1)).toMatchObject({ error: { code: 500 } })
    expect(llamaStream.isDone).toBe(false)
    const groqStream = await streamed({ server: 'groq', parser: 'broken' })
    expect(groqStream.events.at(-1)).toMatchObject({ error: { code: 'tool_use_failed' } })
  })

  it('vLLM sends a call without its end, and says that all is well', async () => {
    const { events, finishReason } = await streamed({ server: 'vllm-0.21', parser: 'broken' })
    const json = events
      .map((event) => at(event, 'choices', 0, 'delta', 'tool_calls', 0, 'function', 'arguments'))
      .join('')
    expect([json, finishReason]).toEqual(['{"city":', 'tool_calls'])
  })
})

describe('the reasoning of an imitated server', () => {
  const fields: readonly [server: string, fields: object][] = [
    ['vllm-0.9', { reasoning_content: expect.any(String) }],
    ['vllm-0.12', { reasoning_content: expect.any(String), reasoning: expect.any(String) }],
    ['vllm-0.17', { reasoning: expect.any(String) }],
    ['llama.cpp', { reasoning_content: expect.any(String) }],
    ['ollama', { reasoning: expect.any(String) }],
  ]
  it.each(fields)('%s answers in its fields', async (server, expected) => {
    const { body } = await asked({ server }, { model: 'qwen3+think', tools: undefined })
    const { content: _, role, ...rest } = Object(at(body, 'choices', 0, 'message'))
    expect({ role, rest }).toEqual({ role: 'assistant', rest: expected })
    const { events } = await streamed({ server }, { model: 'qwen3+think+whole', tools: undefined })
    expect(events.map((event) => at(event, 'choices', 0, 'delta'))).toContainEqual(expected)
  })

  it('llama.cpp leaves it in the text where it is asked to', async () => {
    const { body } = await asked({ server: 'llama.cpp' }, { model: 'qwen3+think', reasoning_format: 'none' })
    expect(at(body, 'choices', 0, 'message', 'content')).toMatch(/^<think>/)
  })

  const unread: readonly [server: string, field: string, problems: number][] = [
    ['vllm-0.12', 'reasoning_content', 0],
    ['vllm-0.21', 'reasoning_content', 1],
    ['vllm-0.21', 'reasoning', 0],
    ['vllm-0.27', 'reasoning_content', 0],
    ['ollama', 'reasoning_content', 1],
    ['sglang', 'reasoning', 1],
    ['openrouter', 'reasoning', 0],
  ]
  it.each(unread)('%s and a history with %s: %i problems', async (server, field, problems) => {
    await playing({ server }, async (address, simulator) => {
      const body = { ...request('', undefined, { messages: history(field) }) }
      const answer: unknown = await (await post(address, '/chat/completions', body)).json()
      const seen = simulator.historyProblems.map(({ code }) => code)
      expect(seen).toEqual(Array.from({ length: problems }, () => 'unread-reasoning'))
      const content = String(at(answer, 'choices', 0, 'message', 'content'))
      expect(content.includes('history problem')).toBe(problems > 0)
    })
  })
})

describe('settings that are wrong', () => {
  it('are refused at once', () => {
    return Promise.all([
      expect(asked({ server: 'vllm-9' })).rejects.toThrow('cannot imitate "vllm-9". It can: vllm-0.9,'),
      expect(asked({ window: 1000 })).rejects.toThrow('"window" needs the setting "server"'),
    ])
  })
})
