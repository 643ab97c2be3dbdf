import { describe, expect, it } from 'vitest'
import { readOverflow } from '../../../src/answer/overflow/overflow.ts'
import { failureFromError, failureFromResponse } from '../../../src/answer/upstream-failure.ts'
import { overflowBodies } from './bodies.ts'

describe('an error response that says what is too long', () => {
  it.each(overflowBodies)('is read with its numbers: $server', ({ status, body, overflow }) => {
    const failure = failureFromResponse({ status, body: JSON.stringify(body) })
    expect(failure.overflow).toEqual(overflow)
    expect(failure).toMatchObject({
      kind: 'invalid-request',
      code: overflow.what === 'output' ? 'max_tokens_too_large' : 'context_length_exceeded',
      status: 400,
    })
  })

  it.each(overflowBodies)('means the same in the middle of a stream: $server', ({ status, body }) => {
    const response = failureFromResponse({ status, body: JSON.stringify(body) })
    expect(failureFromError(body)).toEqual(response)
  })
})

describe('an error response about something else', () => {
  it.each([
    [
      'Groq: a request above the tokens of a minute',
      413,
      {
        error: {
          message:
            'Request too large for model `openai/gpt-oss-120b` in organization `org_01` service tier `on_demand` on tokens per minute (TPM): Limit 8000, Requested 12345, please reduce your message size and try again.',
          type: 'tokens',
          code: 'rate_limit_exceeded',
        },
      },
      'rate-limit',
      429,
    ],
    [
      'OpenAI: a rate limit that names the context length',
      429,
      { error: { message: 'Rate limit reached for requests of maximum context length', code: null } },
      'rate-limit',
      429,
    ],
    [
      'a proxy: too many requests',
      429,
      { error: { message: 'Too many requests: the context window of a minute is exceeded' } },
      'rate-limit',
      429,
    ],
    [
      'a host: a deadline',
      504,
      {
        error: {
          message: 'deadline exceeded while the context length was computed: context deadline exceeded',
        },
      },
      'timeout',
      504,
    ],
    [
      'a proxy: timed out',
      504,
      { error: { message: 'timed out; the request exceeds the context size of the proxy' } },
      'timeout',
      504,
    ],
    [
      'llama.cpp: a full cache',
      500,
      { error: { code: 500, message: 'Context size has been exceeded.', type: 'server_error' } },
      'overloaded',
      undefined,
    ],
    [
      'llama.cpp: what a model wrote, quoted',
      500,
      {
        error: {
          code: 500,
          message: 'Failed to parse input at pos 31: <tool_call>the prompt is too long: 9 tokens > 8',
          type: 'server_error',
        },
      },
      'upstream',
      500,
    ],
    [
      'vLLM: a request that is quoted',
      400,
      {
        error: {
          message:
            "[{'type': 'missing', 'loc': ('body', 'messages', 1, 'role'), 'msg': 'Field required', 'input': {'content': 'Why is this: prompt is too long: 9 tokens > 8 maximum, and the model does not support tools'}}]",
          type: 'Bad Request',
          param: null,
          code: 400,
        },
      },
      'invalid-request',
      400,
    ],
    ['Cerebras: 413 without a body', 413, '', 'too-large', 413],
    ['Cerebras: 400 without a body', 400, '', 'invalid-request', 400],
    [
      'a tool whose name is too long',
      400,
      { error: { message: "Invalid 'tools[0].function.name': string too long. Expected at most 64" } },
      'invalid-request',
      400,
    ],
  ] as const)('is no overflow: %s', (_what, status, body, kind, told) => {
    const failure = failureFromResponse({ status, body: body === '' ? '' : JSON.stringify(body) })
    expect(failure.overflow).toBeUndefined()
    expect(failure).toMatchObject({ kind })
    expect(failure.status).toBe(told)
  })
})

describe('what is too long', () => {
  it('is told by the message alone, without a code', () => {
    const message = 'request (9 tokens) exceeds the available context size (8 tokens), try increasing it'
    expect(readOverflow({ message })).toEqual({ what: 'prompt', promptTokens: 9, window: 8 })
    expect(readOverflow({ message: 'The tool is unknown.' })).toBeNull()
  })

  it('has no numbers that nobody could have counted', () => {
    const message = `prompt is too long: ${'9'.repeat(40)} tokens > ${'9'.repeat(400)} maximum`
    expect(readOverflow({ message })).toEqual({ what: 'prompt' })
  })

  it('is looked for at the beginning of a message that quotes a whole request', () => {
    const quoted = `Invalid request: ${'x'.repeat(100_000)} prompt is too long: 9 tokens > 8`
    expect(readOverflow({ message: quoted })).toBeNull()
  })
})
