import { describe, expect, it } from 'vitest'
import { failureFromError, failureFromResponse } from '../../src/answer/upstream-failure.ts'
import { anthropicErrorResponse } from '../../src/dialects/anthropic-messages/errors.ts'
import { chatErrorResponse } from '../../src/dialects/openai-chat/errors.ts'

function llamaCpp(message: string): object {
  return { error: { code: 500, message, type: 'server_error' } }
}

function vllm(message: string): object {
  return { error: { message, type: 'BadRequestError', param: null, code: 400 } }
}

describe('what no second attempt can change', () => {
  it.each([
    ['llama.cpp without --jinja', 500, llamaCpp('tools param requires --jinja flag'), '--jinja'],
    [
      'llama.cpp without --jinja, a choice',
      500,
      llamaCpp('tool_choice param requires --jinja flag'),
      '--jinja',
    ],
    [
      'llama.cpp with a template it cannot read',
      500,
      llamaCpp('this custom template is not supported, try using --jinja'),
      '--jinja',
    ],
    [
      'llama.cpp without a projector',
      500,
      llamaCpp(
        'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj',
      ),
      '--mmproj',
    ],
    [
      'llama.cpp without a projector, sound',
      500,
      llamaCpp(
        'audio input is not supported - hint: if this is unexpected, you may need to provide the mmproj',
      ),
      '--mmproj',
    ],
    [
      'llama.cpp, older, without a projector',
      500,
      llamaCpp('This server does not support multimodal. Start it with `--mmproj`'),
      '--mmproj',
    ],
    [
      'Ollama without the part of a model that sees',
      500,
      { error: 'this model is missing data required for image input' },
      'without media',
    ],
    [
      'vLLM without a parser',
      400,
      vllm('"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'),
      'parse: ours',
    ],
    [
      'vLLM without a parser, a forced call',
      400,
      vllm('tool_choice="required" requires --tool-call-parser to be set'),
      'parse: ours',
    ],
    [
      'Ollama, a model without tools',
      400,
      {
        error: {
          message: 'registry.ollama.ai/library/gemma3:4b does not support tools',
          type: 'invalid_request_error',
          param: null,
          code: null,
        },
      },
      'tools: prompt',
    ],
    [
      'OpenRouter, a model without tools',
      404,
      { error: { message: 'No endpoints found that support tool use.', code: 404 } },
      'tools: prompt',
    ],
  ])('is a 400 that says what to change: %s', (_what, status, body, change) => {
    const failure = failureFromResponse({ status, body: JSON.stringify(body) })
    expect(failureFromError(body)).toEqual(failure)
    const chat = chatErrorResponse(failure)
    const anthropic = anthropicErrorResponse(failure, 'r')
    expect([chat.status, anthropic.status]).toEqual([400, 400])
    expect(chat.body.error).toMatchObject({ type: 'invalid_request_error', code: 'upstream_unsupported' })
    expect(anthropic.body.error.type).toBe('invalid_request_error')
    for (const { message } of [chat.body.error, anthropic.body.error]) expect(message).toContain(change)
  })

  it("begins with the server's own words", () => {
    const body = JSON.stringify(llamaCpp('tools param requires --jinja flag'))
    expect(failureFromResponse({ status: 500, body }).message).toMatch(
      /^tools param requires --jinja flag\. Start /,
    )
  })
})

describe('what a second attempt may change', () => {
  it('a cache that is full is an overloaded upstream, not a prompt that is too long', () => {
    const body = llamaCpp('Context size has been exceeded.')
    const failure = failureFromResponse({ status: 500, body: JSON.stringify(body) })
    expect(failureFromError(body)).toEqual(failure)
    expect(chatErrorResponse(failure)).toMatchObject({
      status: 503,
      body: { error: { type: 'overloaded_error', code: 'upstream_cache_full' } },
    })
    expect(anthropicErrorResponse(failure, 'r')).toMatchObject({
      status: 529,
      body: { error: { type: 'overloaded_error', message: 'Context size has been exceeded.' } },
    })
  })

  it('more tokens than a minute allows are a rate limit, whatever the status', () => {
    const message =
      'Request too large for model `m` on tokens per minute (TPM): Limit 8000, Requested 9000, please reduce your message size and try again.'
    const body = JSON.stringify({ error: { message, type: 'tokens', code: 'rate_limit_exceeded' } })
    const failure = failureFromResponse({ status: 413, body })
    expect(chatErrorResponse(failure)).toMatchObject({ status: 429, body: { error: { message } } })
    expect(anthropicErrorResponse(failure, 'r')).toMatchObject({
      status: 429,
      body: { error: { type: 'rate_limit_error', message } },
    })
  })
})
