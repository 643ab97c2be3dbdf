import { describe, expect, it } from 'vitest'
import { createSimulator, type Simulator } from '../../src/simulator/server.ts'
import type { SimulatorSettings } from '../../src/simulator/settings.ts'
import { at, post } from '../server/ask.ts'
import { user, weather, weatherQuestion } from './requests.ts'

const window = 1000

/** Starts an imitation for one test, and ends it afterwards. */
async function playing(
  settings: SimulatorSettings,
  test: (address: string, simulator: Simulator) => Promise<void>,
): Promise<void> {
  const simulator = createSimulator(settings)
  const address = await simulator.listen()
  try {
    await test(address, simulator)
  } finally {
    await simulator.close()
  }
}

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
