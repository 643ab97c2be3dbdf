import { describe, expect, it } from 'vitest'
import { at, post } from '../server/ask.ts'
import { playing } from './playing.ts'
import { user } from './requests.ts'

const window = 1000

/** Messages of exactly this many tokens, by the rule of the simulator: four characters of JSON to a token. */
function messagesOf(tokens: number): object[] {
  const empty = JSON.stringify([user('')]).length
  return [user('x'.repeat(tokens * 4 - empty))]
}

async function said(response: Response): Promise<{ status: number; body: unknown }> {
  const text = await response.text()
  return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text }
}

interface TooLong {
  readonly server: string
  readonly prompt: number
  readonly output?: number
  readonly status: number
  readonly body: unknown
}

function vllm(message: string, param: string | null = null): unknown {
  return { error: { message, type: 'BadRequestError', param, code: 400 } }
}

const tooLong: readonly TooLong[] = [
  {
    server: 'vllm-0.9',
    prompt: 800,
    output: 300,
    status: 400,
    body: {
      object: 'error',
      message:
        "This model's maximum context length is 1000 tokens. However, you requested 1100 tokens (800 in the messages, 300 in the completion). Please reduce the length of the messages or completion.",
      type: 'BadRequestError',
      param: null,
      code: 400,
    },
  },
  {
    server: 'vllm-0.12',
    prompt: 800,
    output: 300,
    status: 400,
    body: vllm(
      "'max_tokens' or 'max_completion_tokens' is too large: 300. This model's maximum context length is 1000 tokens and your request has 800 input tokens (300 > 1000 - 800).",
    ),
  },
  {
    server: 'vllm-0.12',
    prompt: 1000,
    status: 400,
    body: vllm(
      "This model's maximum context length is 1000 tokens. However, your request has 1000 input tokens. Please reduce the length of the input messages.",
    ),
  },
  {
    server: 'vllm-0.17',
    prompt: 800,
    output: 300,
    status: 400,
    body: vllm(
      "You passed 800 input tokens and requested 300 output tokens. However, the model's context length is only 1000 tokens, resulting in a maximum input length of 700 tokens. Please reduce the length of the input prompt. (parameter=input_tokens, value=800)",
      'input_tokens',
    ),
  },
  {
    server: 'vllm-0.21',
    prompt: 800,
    output: 300,
    status: 400,
    body: vllm(
      "This model's maximum context length is 1000 tokens. However, you requested 300 output tokens and your prompt contains at least 701 input tokens, for a total of at least 1001 tokens. Please reduce the length of the input prompt or the number of requested output tokens. (parameter=input_tokens, value=701)",
      'input_tokens',
    ),
  },
  {
    server: 'vllm-0.27',
    prompt: 40_000,
    status: 400,
    body: vllm(
      "This model's maximum context length is 1000 tokens. However, you requested 0 output tokens and your prompt contains 160000 characters (more than 64000 characters, which is the upper bound for 1000 input tokens). Please reduce the length of the input prompt or the number of requested output tokens. (parameter=input_tokens, value=160000)",
      'input_tokens',
    ),
  },
  {
    server: 'vllm-0.27',
    prompt: 10,
    output: 2000,
    status: 400,
    body: vllm(
      'max_tokens=2000 cannot be greater than max_model_len=max_total_tokens=1000. Please request fewer output tokens. (parameter=max_tokens, value=2000)',
      'max_tokens',
    ),
  },
  {
    server: 'sglang',
    prompt: 1000,
    status: 400,
    body: {
      object: 'error',
      message: "The input (1000 tokens) is longer than the model's context length (1000 tokens).",
      type: 'BadRequestError',
      param: null,
      code: 400,
    },
  },
  {
    server: 'sglang',
    prompt: 800,
    output: 300,
    status: 400,
    body: {
      object: 'error',
      message:
        "Requested token count exceeds the model's maximum context length of 1000 tokens. You requested a total of 1100 tokens: 800 tokens from the input messages and 300 tokens for the completion. Please reduce the number of tokens in the input messages or the completion to fit within the limit.",
      type: 'BadRequestError',
      param: null,
      code: 400,
    },
  },
  {
    server: 'llama.cpp',
    prompt: 1200,
    status: 400,
    body: {
      error: {
        code: 400,
        message: 'request (1200 tokens) exceeds the available context size (1000 tokens), try increasing it',
        type: 'exceed_context_size_error',
        n_prompt_tokens: 1200,
        n_ctx: 1000,
      },
    },
  },
  {
    server: 'ollama-no-shift',
    prompt: 1200,
    status: 400,
    body: {
      error: {
        message: 'the prompt is longer than the context length currently available to the model',
        type: 'api_error',
        param: null,
        code: null,
      },
    },
  },
  {
    server: 'tgi',
    prompt: 800,
    output: 300,
    status: 422,
    body: {
      error:
        'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 1000. Given: 800 `inputs` tokens and 300 `max_new_tokens`',
      error_type: 'validation',
    },
  },
  {
    server: 'tgi',
    prompt: 1000,
    status: 422,
    body: {
      error: 'Input validation error: `inputs` must have less than 999 tokens. Given: 1000',
      error_type: 'validation',
    },
  },
  {
    server: 'mlx-lm',
    prompt: 1000,
    status: 404,
    body: { error: 'Prompt exceeds max prompt token limit: prompt_tokens=1000, max_prompt_tokens=1000' },
  },
  {
    server: 'tensorrt-llm',
    prompt: 800,
    output: 300,
    status: 400,
    body: {
      object: 'error',
      message:
        'The sum of prompt length (800) and query length (0) max_tokens (300) should not exceed max_seq_len (1000)',
      type: 'BadRequestError',
      param: null,
      code: 400,
    },
  },
  {
    server: 'openrouter',
    prompt: 800,
    output: 300,
    status: 400,
    body: {
      error: {
        message:
          "This endpoint's maximum context length is 1000 tokens. However, you requested about 1100 tokens (800 of text input, 300 in the output). Please reduce the length of either one, or use the context-compression plugin to compress your prompt automatically.",
        code: 400,
        metadata: { provider_name: null },
      },
    },
  },
  {
    server: 'openrouter-provider',
    prompt: 800,
    output: 300,
    status: 400,
    body: {
      error: {
        message: 'Provider returned error',
        code: 400,
        metadata: {
          raw: JSON.stringify({
            error: {
              message:
                "This model's maximum context length is 1000 tokens. However, you requested 1100 tokens (800 in the messages, 300 in the completion). Please reduce the length of the messages or completion.",
              type: 'invalid_request_error',
              param: null,
              code: null,
            },
          }),
          provider_name: 'Simulated',
        },
      },
    },
  },
  {
    server: 'groq',
    prompt: 800,
    output: 300,
    status: 400,
    body: {
      error: {
        message: 'Please reduce the length of the messages or completion.',
        type: 'invalid_request_error',
        param: 'messages',
        code: 'context_length_exceeded',
      },
    },
  },
  {
    server: 'cerebras',
    prompt: 800,
    output: 300,
    status: 400,
    body: {
      message:
        'Please reduce the length of the messages or completion. Current length is 1100 while limit is 1000',
      type: 'invalid_request_error',
      param: 'messages',
      code: 'context_length_exceeded',
    },
  },
  {
    server: 'deepseek',
    prompt: 800,
    output: 300,
    status: 400,
    body: {
      error: {
        message:
          "This model's maximum context length is 1000 tokens. However, you requested 1100 tokens (800 in the messages, 300 in the completion). Please reduce the length of the messages or completion.",
        type: 'invalid_request_error',
        param: null,
        code: 'invalid_request_error',
      },
    },
  },
  {
    server: 'moonshot',
    prompt: 800,
    output: 300,
    status: 400,
    body: {
      error: {
        message: 'Invalid request: Your request exceeded model token limit: 1000 (requested: 1100)',
        type: 'invalid_request_error',
      },
    },
  },
  {
    server: 'dashscope',
    prompt: 1200,
    status: 400,
    body: {
      error: {
        message: '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 1000]',
        type: 'invalid_request_error',
        param: null,
        code: 'invalid_parameter_error',
      },
    },
  },
  {
    server: 'zai',
    prompt: 800,
    output: 300,
    status: 400,
    body: { error: { code: '1261', message: 'Prompt exceeds max length' } },
  },
  {
    server: 'minimax',
    prompt: 1200,
    status: 400,
    body: {
      error: {
        message: 'invalid params, context window exceeds limit (2013)',
        type: 'bad_request_error',
        param: null,
        code: '2013',
      },
    },
  },
  {
    server: 'siliconflow',
    prompt: 800,
    output: 300,
    status: 400,
    body: {
      code: 20015,
      message: 'max_total_tokens (1100) must be less than or equal to max_seq_len (1000)',
      data: null,
    },
  },
  {
    server: 'fireworks',
    prompt: 1200,
    status: 400,
    body: {
      error: {
        message: 'The prompt is too long: 1200, model maximum context length: 1000',
        type: 'invalid_request_error',
        param: null,
        code: null,
      },
    },
  },
  {
    server: 'mistral',
    prompt: 1200,
    status: 400,
    body: {
      object: 'error',
      message:
        'Prompt contains 1200 tokens and 0 draft tokens, too large for model with 1000 maximum context length',
      type: 'invalid_request_error',
      param: null,
      code: '3051',
    },
  },
]

describe('a request that does not fit into the window', () => {
  it.each(tooLong)(
    'gets the words of $server: $prompt tokens and $output',
    async ({ server, prompt, output, ...expected }) => {
      await playing({ server, window }, async (address) => {
        const body = { model: 'qwen3', messages: messagesOf(prompt), max_tokens: output }
        expect(await said(await post(address, '/chat/completions', body))).toEqual(expected)
        const streamed = await said(await post(address, '/chat/completions', { ...body, stream: true }))
        expect(streamed).toEqual(expected)
        const fitting = { ...body, messages: messagesOf(600), max_tokens: 300 }
        const { status, body: answer } = await said(await post(address, '/chat/completions', fitting))
        expect([status, at(answer, 'usage', 'prompt_tokens')]).toEqual([200, 600])
      })
    },
  )
})

describe('a window that is full', () => {
  const nKeep =
    'The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 1200>= n_ctx: 1000). Try to load the model with a larger context length, or provide a shorter input.'
  const keepFirst =
    'Trying to keep the first 1200 tokens when context the overflows. However, the model is loaded with context length of only 1000 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input'

  it.each([
    ['lm-studio', nKeep],
    ['lm-studio-0.3', keepFirst],
  ])('%s says so with a status, or as an event of a stream that began well', async (server, message) => {
    await playing({ server, window }, async (address) => {
      const body = { model: 'qwen3', messages: messagesOf(1200) }
      expect(await said(await post(address, '/chat/completions', body))).toEqual({
        status: 400,
        body: { error: message },
      })
      const streamed = await post(address, '/chat/completions', { ...body, stream: true })
      expect([streamed.status, await streamed.text()]).toEqual([
        200,
        `event: error\ndata: ${JSON.stringify({ error: { message } })}\n\n`,
      ])
    })
  })

  it.each(['ollama', 'lm-studio-rolling'])(
    '%s cuts the prompt in silence: its usage stays within the window',
    async (server) => {
      await playing({ server, window }, async (address) => {
        const body = { model: 'qwen3', messages: messagesOf(1200), max_tokens: 400 }
        const { status, body: answer } = await said(await post(address, '/chat/completions', body))
        expect([status, at(answer, 'usage', 'prompt_tokens')]).toEqual([200, 1000])
        expect(at(answer, 'choices', 0, 'message', 'content')).toMatch(/^\[simulated\] You said: xxx/)
      })
    },
  )

  it('without a limit the answer has the rest of the window', async () => {
    await playing({ server: 'llama.cpp', window }, async (address) => {
      const body = { model: 'qwen3', messages: messagesOf(995) }
      const { body: answer } = await said(await post(address, '/chat/completions', body))
      expect(at(answer, 'choices', 0, 'finish_reason')).toBe('length')
      expect(at(answer, 'usage', 'completion_tokens')).toBe(5)
    })
  })

  it('MLX-LM ends an answer without a limit after 512 tokens', async () => {
    await playing({ server: 'mlx-lm' }, async (address) => {
      const path = '<'.repeat(600)
      const tool = { type: 'function', function: { name: 'f', parameters: schemaWithDefault(path) } }
      const body = { model: 'qwen3', messages: [user('call f')], tools: [tool] }
      const { body: answer } = await said(await post(address, '/chat/completions', body))
      expect(at(answer, 'usage', 'completion_tokens')).toBe(512)
      expect(at(answer, 'choices', 0, 'finish_reason')).toBe('length')
    })
  })

  it('the words of vLLM come in the envelope of the other dialect, whose system text counts too', async () => {
    await playing({ server: 'vllm-0.21', window }, async (address) => {
      const body = { model: 'qwen3', max_tokens: 300, system: 'x'.repeat(2800), messages: messagesOf(100) }
      expect(await said(await post(address, '/messages', body))).toEqual({
        status: 400,
        body: {
          type: 'error',
          error: {
            type: 'BadRequestError',
            message: expect.stringContaining('your prompt contains at least 701 input tokens'),
          },
        },
      })
      const fitting = await said(await post(address, '/messages', { ...body, system: 'short' }))
      expect(at(fitting.body, 'usage', 'input_tokens')).toBe(102)
    })
  })
})

function schemaWithDefault(value: string): object {
  return { type: 'object', properties: { path: { type: 'string', const: value } }, required: ['path'] }
}

describe('what a server tells of itself', () => {
  const settings = { window, abilities: ['tools'] } as const
  const first = { id: 'standard', object: 'model', created: 0 }
  const told: readonly [server: string, asked: string, answer: object][] = [
    ['vllm-0.9', 'GET /version', { version: '0.9.2' }],
    ['vllm-0.27', 'GET /version', { version: '0.27.0' }],
    ['vllm-0.17', 'GET /v1/models', { data: [{ ...first, owned_by: 'vllm', max_model_len: window }] }],
    ['sglang', 'GET /v1/models', { data: [{ ...first, owned_by: 'sglang', max_model_len: window }] }],
    ['sglang', 'GET /model_info', { tool_call_parser: 'qwen', reasoning_parser: null }],
    ['llama.cpp', 'GET /v1/models', { data: [{ owned_by: 'llamacpp', meta: { n_ctx: window } }] }],
    ['llama.cpp', 'GET /models', { data: [{ owned_by: 'llamacpp' }] }],
    [
      'llama.cpp',
      'GET /props',
      { default_generation_settings: { n_ctx: window }, modalities: { vision: false } },
    ],
    ['ollama', 'GET /v1/models', { data: [{ ...first, owned_by: 'library' }] }],
    ['ollama', 'GET /api/version', { version: expect.any(String) }],
    ['ollama', 'GET /api/ps', { models: [{ name: 'standard', context_length: window }] }],
    ['ollama', 'POST /api/show', { capabilities: ['completion', 'tools'] }],
    ['ollama', 'POST /api/show', { model_info: { 'simulated.context_length': 262_144 } }],
    ['lm-studio', 'GET /v1/models', { data: [{ owned_by: 'organization_owner' }] }],
    [
      'lm-studio',
      'GET /api/v0/models',
      { data: [{ loaded_context_length: window, max_context_length: 262_144, capabilities: ['tool_use'] }] },
    ],
    [
      'lm-studio',
      'GET /api/v1/models',
      { models: [{ loaded_instances: [{ config: { context_length: window } }] }] },
    ],
    ['tgi', 'GET /info', { model_id: 'standard', max_input_tokens: 999, max_total_tokens: 1000 }],
    ['mlx-lm', 'GET /v1/models', { data: [first] }],
    ['openrouter', 'GET /v1/models', { data: [{ top_provider: { context_length: window } }] }],
    ['groq', 'GET /v1/models', { data: [{ context_window: window }] }],
    ['deepseek', 'GET /models', { data: [{ ...first, owned_by: 'deepseek' }] }],
  ]

  it.each(told)('%s answers %s', async (server, asked, answer) => {
    await playing({ server, ...settings }, async (address) => {
      const [method = '', path = ''] = asked.split(' ')
      const root = address.slice(0, -'/v1'.length)
      const response = await fetch(root + path, { method, ...(method === 'POST' && { body: '{}' }) })
      expect(response.status).toBe(200)
      const body: unknown = await response.json()
      for (const list of ['data', 'models']) {
        const entries = at(body, list)
        if (Array.isArray(entries)) entries.splice(1)
      }
      expect(body).toMatchObject(answer)
    })
  })

  const missing: readonly [server: string, path: string, status: number, body: unknown][] = [
    ['vllm-0.9', '/v1/messages', 404, { detail: 'Not Found' }],
    ['vllm-0.12', '/v1/messages/count_tokens', 404, { detail: 'Not Found' }],
    ['sglang', '/version', 404, { detail: 'Not Found' }],
    [
      'llama.cpp',
      '/api/version',
      404,
      { error: { code: 404, message: 'File Not Found', type: 'not_found_error' } },
    ],
    ['ollama', '/v1/messages/count_tokens', 404, '404 page not found'],
    ['tgi', '/v1/messages', 404, ''],
    ['mlx-lm', '/props', 404, 'Not Found'],
    ['lm-studio', '/version', 200, { error: 'Unexpected endpoint or method. (POST /version)' }],
  ]

  it.each(missing)('%s has no %s', async (server, path, status, body) => {
    await playing({ server }, async (address) => {
      const root = address.slice(0, -'/v1'.length)
      expect(await said(await post(root, path, {}))).toEqual({ status, body })
    })
  })

  it.each(['vllm-0.27', 'sglang', 'llama.cpp'])(
    '%s counts tokens by the rule of the window',
    async (server) => {
      await playing({ server }, async (address) => {
        const body = { model: 'qwen3', messages: messagesOf(321) }
        expect(await said(await post(address, '/messages/count_tokens', body))).toEqual({
          status: 200,
          body: { input_tokens: 321 },
        })
      })
    },
  )

  it('llama.cpp loads its model first', async () => {
    await playing({ server: 'llama.cpp', loading: 2 }, async (address, simulator) => {
      const loading = { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } }
      const body = { model: 'qwen3', messages: [user('Hi.')] }
      expect(await said(await fetch(`${address}/models`))).toEqual({ status: 503, body: loading })
      expect(await said(await post(address, '/chat/completions', body))).toEqual({
        status: 503,
        body: loading,
      })
      expect((await post(address, '/chat/completions', body)).status).toBe(200)
      expect(simulator.requests).toHaveLength(1)
    })
  })
})
