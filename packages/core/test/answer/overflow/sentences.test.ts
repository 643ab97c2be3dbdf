import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Failure } from '../../../src/answer/failure.ts'
import type { Overflow } from '../../../src/answer/overflow/overflow.ts'
import { failureFromResponse } from '../../../src/answer/upstream-failure.ts'
import { anthropicErrorResponse } from '../../../src/dialects/anthropic-messages/errors.ts'
import { chatErrorResponse } from '../../../src/dialects/openai-chat/errors.ts'
import { overflowBodies } from './bodies.ts'

/** As clients read the numbers. */
const numbersOfPrompt = /prompt is too long: (\d+) tokens > (\d+) maximum/
const numbersOfSum = /^input length and `max_tokens` exceed context limit: (\d+) \+ (\d+) > (\d+)$/
const chatWords = /maximum context length|prompt is too long|context length/i

function failureOf(message: string, overflow: Overflow): Failure {
  return { kind: 'invalid-request', code: 'context_length_exceeded', message, status: 400, overflow }
}

function toAnthropic(message: string, overflow: Overflow): string {
  return anthropicErrorResponse(failureOf(message, overflow), 'r').body.error.message
}

function toChat(message: string, overflow: Overflow): string {
  return chatErrorResponse(failureOf(message, overflow)).body.error.message
}

describe('what is too long, told to an Anthropic client', () => {
  it.each([
    [
      'a prompt with both numbers',
      'the request exceeds it',
      { what: 'prompt', promptTokens: 41_533, window: 32_768 },
      'prompt is too long: 41533 tokens > 32768 maximum',
    ],
    [
      'a prompt whose length nobody told',
      'Range of input length should be [1, 98304]',
      { what: 'prompt', window: 98_304 },
      'prompt is too long: 98305 tokens > 98304 maximum. The upstream said: Range of input length should be [1, 98304]',
    ],
    [
      'a prompt that is said to be as long as the window',
      'request (4096 tokens) exceeds the available context size (4096 tokens)',
      { what: 'prompt', promptTokens: 4096, window: 4096 },
      'prompt is too long: 4097 tokens > 4096 maximum. The upstream said: request (4096 tokens) exceeds the available context size (4096 tokens)',
    ],
    [
      'a prompt without any number',
      'invalid params, context window exceeds limit (2013)',
      { what: 'prompt' },
      'prompt is too long: invalid params, context window exceeds limit (2013)',
    ],
    [
      'a prompt in the right words and without numbers',
      '[1261][prompt is too long][2026]',
      { what: 'prompt' },
      '[1261][prompt is too long][2026]',
    ],
    [
      'a sum with all numbers',
      'any',
      { what: 'sum', promptTokens: 118_000, outputTokens: 32_000, window: 131_072 },
      'input length and `max_tokens` exceed context limit: 118000 + 32000 > 131072',
    ],
    [
      'a sum of which only the whole is told',
      'exceeded model token limit: 262144 (requested: 291351)',
      { what: 'sum', totalTokens: 291_351, window: 262_144 },
      'prompt is too long: 291351 tokens > 262144 maximum. The upstream said: exceeded model token limit: 262144 (requested: 291351)',
    ],
    [
      'a sum without the prompt',
      'your prompt contains at least 769 input tokens',
      { what: 'sum', outputTokens: 32_000, window: 32_768 },
      'prompt is too long: 32769 tokens > 32768 maximum. The upstream said: your prompt contains at least 769 input tokens',
    ],
    [
      'a sum that leaves so little that the client would give up',
      'they do not fit',
      { what: 'sum', promptTokens: 129_000, outputTokens: 32_000, window: 131_072 },
      'prompt is too long: 161000 tokens > 131072 maximum. The upstream said: they do not fit',
    ],
    [
      'a sum whose numbers do fit, so that the client would ask the same again',
      'they do not fit',
      { what: 'sum', promptTokens: 1000, outputTokens: 1000, window: 131_072 },
      'prompt is too long: 131073 tokens > 131072 maximum. The upstream said: they do not fit',
    ],
  ] as const)('has the words it acts on: %s', (_what, message, overflow, told) => {
    expect(anthropicErrorResponse(failureOf(message, overflow), 'r')).toMatchObject({
      status: 400,
      body: { error: { type: 'invalid_request_error', message: told } },
    })
  })

  it('never has numbers that fit, whatever the upstream or an estimate told', () => {
    const count = fc.integer({ min: 0, max: 2_000_000 })
    const overflow = fc.record(
      {
        what: fc.constantFrom('prompt' as const, 'sum' as const),
        promptTokens: count,
        outputTokens: count,
        totalTokens: count,
        window: count,
      },
      { requiredKeys: ['what', 'window'] },
    )
    fc.assert(
      fc.property(overflow, (told) => {
        const message = toAnthropic('too long', told)
        const [, prompt, window] = numbersOfPrompt.exec(message) ?? []
        const [, input, output, limit] = numbersOfSum.exec(message) ?? []
        if (prompt === undefined) expect(Number(input) + Number(output)).toBeGreaterThan(Number(limit))
        else expect(Number(prompt)).toBeGreaterThan(Number(window))
      }),
    )
  })
})

describe('what is too long, told to a chat client', () => {
  it.each([
    [
      'a prompt with both numbers',
      'request (41533 tokens) exceeds it',
      { what: 'prompt', promptTokens: 41_533, window: 32_768 },
      "This model's maximum context length is 32768 tokens. However, your messages resulted in 41533 tokens.",
    ],
    [
      'a sum with all numbers',
      'any',
      { what: 'sum', promptTokens: 118_000, outputTokens: 32_000, window: 131_072 },
      "This model's maximum context length is 131072 tokens. However, you requested 150000 tokens (118000 in the messages, 32000 in the completion).",
    ],
    [
      'the window alone',
      'Range of input length should be [1, 98304]',
      { what: 'prompt', window: 98_304 },
      "This model's maximum context length is 98304 tokens. The upstream said: Range of input length should be [1, 98304]",
    ],
    [
      'no number',
      'invalid params, context window exceeds limit (2013)',
      { what: 'prompt' },
      "The prompt is too long for the model's context length. The upstream said: invalid params, context window exceeds limit (2013)",
    ],
    [
      'no number, in words that clients know',
      'the input length exceeds the context length',
      { what: 'prompt' },
      'the input length exceeds the context length',
    ],
  ] as const)('has the words it acts on: %s', (_what, message, overflow, told) => {
    expect(chatErrorResponse(failureOf(message, overflow))).toMatchObject({
      status: 400,
      body: { error: { message: told, type: 'invalid_request_error', code: 'context_length_exceeded' } },
    })
  })
})

const inputs = overflowBodies.filter(({ overflow }) => overflow.what !== 'output')

describe("every server's own error", () => {
  it.each(inputs)('reaches both clients as a 400 in words they know: $server', ({ status, body }) => {
    const failure = failureFromResponse({ status, body: JSON.stringify(body) })
    const anthropic = anthropicErrorResponse(failure, 'r')
    const chat = chatErrorResponse(failure)
    expect([anthropic.status, chat.status]).toEqual([400, 400])
    expect(chat.body.error).toMatchObject({ code: 'context_length_exceeded' })
    expect(chat.body.error.message).toMatch(chatWords)
    const { message } = anthropic.body.error
    expect(numbersOfSum.test(message) || /prompt is too long/i.test(message)).toBe(true)
    if (failure.overflow?.window !== undefined && !numbersOfSum.test(message))
      expect(message).toMatch(numbersOfPrompt)
  })

  it.each(overflowBodies.filter(({ overflow }) => overflow.what === 'output'))(
    'about the output keeps its message, and is a 400: $server',
    ({ status, body }) => {
      const failure = failureFromResponse({ status, body: JSON.stringify(body) })
      expect(anthropicErrorResponse(failure, 'r')).toMatchObject({
        status: 400,
        body: { error: { type: 'invalid_request_error', message: failure.message } },
      })
      expect(chatErrorResponse(failure)).toMatchObject({
        status: 400,
        body: { error: { code: 'max_tokens_too_large', message: failure.message } },
      })
    },
  )

  it('keeps its numbers as fields', () => {
    const body = JSON.stringify({
      error: {
        code: 400,
        message:
          'request (41533 tokens) exceeds the available context size (32768 tokens), try increasing it',
        type: 'exceed_context_size_error',
        n_prompt_tokens: 41_533,
        n_ctx: 32_768,
      },
    })
    const failure = failureFromResponse({ status: 400, body })
    const numbers = { n_prompt_tokens: 41_533, n_ctx: 32_768 }
    expect(chatErrorResponse(failure).body.error).toMatchObject(numbers)
    expect(anthropicErrorResponse(failure, 'r').body.error.details).toEqual(numbers)
  })

  it('has no such fields where nothing was told', () => {
    const body = JSON.stringify({ error: 'the input length exceeds the context length' })
    const failure = failureFromResponse({ status: 400, body })
    expect(chatErrorResponse(failure).body.error).not.toHaveProperty('n_ctx')
    expect(anthropicErrorResponse(failure, 'r').body.error).not.toHaveProperty('details')
  })

  it('is told with the estimate that somebody filled in', () => {
    const failure = failureFromResponse({
      status: 400,
      body: JSON.stringify({ error: { message: 'Range of input length should be [1, 98304]' } }),
    })
    const overflow: Overflow = { what: 'prompt', ...failure.overflow, promptTokens: 101_000 }
    expect(toAnthropic(failure.message, overflow)).toBe('prompt is too long: 101000 tokens > 98304 maximum')
    expect(toChat(failure.message, overflow)).toContain('resulted in 101000 tokens')
  })
})
