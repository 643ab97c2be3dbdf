import { describe, expect, it } from 'vitest'
import type { Failure } from '../../../src/answer/failure.ts'
import {
  responsesErrorBody,
  responsesErrorEvents,
  responsesErrorStatus,
} from '../../../src/dialects/openai-responses/errors.ts'
import { responsesHttp } from '../../../src/dialects/openai-responses/http.ts'
import { createSseDecoder } from '../../../src/sse/decoder.ts'

const overflow: Failure = {
  kind: 'invalid-request',
  code: 'context_length_exceeded',
  message: 'too long',
  status: 413,
  overflow: { what: 'prompt', window: 100, promptTokens: 120 },
}

function eventsOf(failure: Failure): { name: string | undefined; data: Record<string, unknown> }[] {
  const decoder = createSseDecoder()
  const bytes = new TextEncoder().encode(responsesErrorEvents(failure))
  return [...decoder.push(bytes), ...decoder.end()].flatMap((item) =>
    item.kind === 'event' ? [{ name: item.event, data: JSON.parse(item.data) }] : [],
  )
}

function told(failure: Failure): unknown {
  return eventsOf(failure)[2]?.data['response']
}

describe('an error of Responses', () => {
  it('is a status and an object with message, type, field and code', () => {
    const failure: Failure = {
      kind: 'invalid-request',
      code: 'previous_response_not_found',
      message: 'no',
      field: 'previous_response_id',
    }
    expect(responsesErrorStatus(failure)).toBe(400)
    expect(responsesErrorBody(failure)).toEqual({
      error: {
        message: 'no',
        type: 'invalid_request_error',
        param: 'previous_response_id',
        code: 'previous_response_not_found',
      },
    })
  })

  it('about a prompt that is too long is a 400, in the words that clients look for', () => {
    expect(responsesErrorStatus(overflow)).toBe(400)
    expect(responsesErrorBody(overflow).error).toMatchObject({
      code: 'context_length_exceeded',
      message: expect.stringContaining('maximum context length is 100 tokens'),
    })
  })

  it('has a code that is a text, whatever the upstream has', () => {
    const failure: Failure = { kind: 'upstream', code: 'x', message: 'm', upstreamCode: 1302 }
    expect(responsesErrorBody(failure).error.code).toBe('x')
  })

  it('in a stream that had no answer is created, error, failed', () => {
    const events = eventsOf(overflow)
    expect(events.map(({ name, data }) => [name, data['type'], data['sequence_number']])).toEqual([
      ['response.created', 'response.created', 0],
      ['error', 'error', 1],
      ['response.failed', 'response.failed', 2],
    ])
    expect(events[1]?.data).toMatchObject({
      code: 'context_length_exceeded',
      error: { code: 'context_length_exceeded', type: 'invalid_request_error' },
    })
    expect(events[2]?.data['response']).toMatchObject({
      status: 'failed',
      error: { code: 'context_length_exceeded' },
    })
  })

  it('says in a stream whether and when it is worth asking again', () => {
    const limited: Failure = {
      kind: 'rate-limit',
      code: 'rate_limit',
      message: 'Slow down.',
      retryAfter: 11.2,
    }
    expect(told(limited)).toMatchObject({
      error: { code: 'rate_limit_exceeded', message: 'Slow down. Please try again in 12s.' },
    })
    expect(told({ kind: 'rate-limit', code: 'insufficient_quota', message: 'm' })).toMatchObject({
      error: { code: 'insufficient_quota' },
    })
    const faults = ['overloaded', 'timeout', 'upstream', 'internal'] as const
    for (const kind of faults) {
      expect(told({ kind, code: 'x', message: 'm' })).toMatchObject({ error: { code: 'server_error' } })
    }
    expect(told({ kind: 'invalid-request', code: 'x', message: 'm' })).toMatchObject({
      error: { code: 'invalid_prompt' },
    })
  })
})

describe('Responses over HTTP', () => {
  it('count tokens in an object of their own', () => {
    const route = responsesHttp.routes.find(({ serves }) => serves === 'token-count')
    if (route?.serves !== 'token-count') throw new Error('there is no such route')
    expect(route.path).toBe('/v1/responses/input_tokens')
    expect(route.body(7)).toEqual({ object: 'response.input_tokens', input_tokens: 7 })
    expect(route.read({ object: 'response.input_tokens', input_tokens: 7 })).toBe(7)
    expect(route.read('no')).toBeUndefined()
  })

  it('ask an upstream at its own path', () => {
    expect(responsesHttp.upstreamPath('/v1', 'm', true)).toBe('/v1/responses')
  })

  it('list models for everybody and for Codex at once', () => {
    const list = responsesHttp.models.list([{ id: 'a', window: 1000 }, { id: 'b' }])
    expect(list).toMatchObject({
      object: 'list',
      data: [{ id: 'a' }, { id: 'b' }],
      models: [{ slug: 'a', context_window: 1000 }, { slug: 'b' }],
    })
    expect(list).toMatchObject({ models: [requiredFields, requiredFields] })
  })
})

/** Codex discards the list if one of them is missing. */
const requiredFields = {
  slug: expect.any(String),
  display_name: expect.any(String),
  supported_reasoning_levels: expect.any(Array),
  shell_type: 'unified_exec',
  visibility: 'list',
  supported_in_api: true,
  priority: expect.any(Number),
  support_verbosity: false,
  truncation_policy: { mode: 'tokens', limit: expect.any(Number) },
  experimental_supported_tools: [],
}
