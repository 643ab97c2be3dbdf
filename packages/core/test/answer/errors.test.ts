import { describe, expect, it } from 'vitest'
import { anthropicErrorBody, anthropicErrorResponse } from '../../src/dialects/anthropic-messages/errors.ts'
import { chatErrorBody, chatErrorResponse } from '../../src/dialects/openai-chat/errors.ts'
import { failureFromError, failureFromResponse } from '../../src/answer/upstream-failure.ts'

function bothStatuses(status: number, body: string): [number, number, string] {
  const failure = failureFromResponse({ status, body })
  const anthropic = anthropicErrorResponse(failure, 'req_1')
  return [chatErrorResponse(failure).status, anthropic.status, anthropic.body.error.type]
}

function errorOf(error: object) {
  return chatErrorBody(failureFromError({ error })).error
}

const refused = (...details: object[]): object => ({
  error: { code: 429, message: 'You exceeded your quota.', status: 'RESOURCE_EXHAUSTED', details },
})

const said = JSON.stringify({ error: { message: 'told so', type: 't', code: 'c' } })

describe('an error in the words of a dialect', () => {
  it('has the shape that chat clients read', () => {
    expect(chatErrorBody({ kind: 'upstream', code: 'upstream_truncated', message: 'cut' })).toEqual({
      error: { message: 'cut', type: 'upstream_error', param: null, code: 'upstream_truncated' },
    })
  })

  it('has the shape that Anthropic clients read, with our code in the message', () => {
    const failure = { kind: 'upstream', code: 'upstream_truncated', message: 'cut' } as const
    expect(anthropicErrorBody(failure, 'req_1')).toEqual({
      type: 'error',
      error: { type: 'api_error', message: 'cut (upstream_truncated)' },
      request_id: 'req_1',
    })
    expect(anthropicErrorBody(failure)).not.toHaveProperty('request_id')
  })

  it.each([
    ['invalid-request', 400, 'invalid_request_error', 400, 'invalid_request_error'],
    ['authentication', 401, 'authentication_error', 401, 'authentication_error'],
    ['permission', 403, 'permission_error', 403, 'permission_error'],
    ['not-found', 404, 'not_found_error', 404, 'not_found_error'],
    ['too-large', 413, 'invalid_request_error', 413, 'request_too_large'],
    ['rate-limit', 429, 'rate_limit_error', 429, 'rate_limit_error'],
    ['overloaded', 503, 'overloaded_error', 529, 'overloaded_error'],
    ['timeout', 504, 'timeout', 504, 'timeout_error'],
    ['upstream', 502, 'upstream_error', 502, 'api_error'],
    ['internal', 500, 'server_error', 500, 'api_error'],
  ] as const)('%s is %d %s in chat and %d %s in Anthropic', (kind, chatStatus, chatType, status, type) => {
    const failure = { kind, code: 'c', message: 'm' }
    const chat = chatErrorResponse(failure)
    expect([chat.status, chat.body.error.type]).toEqual([chatStatus, chatType])
    const anthropic = anthropicErrorResponse(failure, 'r')
    expect([anthropic.status, anthropic.body.error.type]).toEqual([status, type])
  })
})

describe('an error response of an upstream', () => {
  it.each([
    [400, 400, 400, 'invalid_request_error'],
    [402, 402, 402, 'billing_error'],
    [404, 404, 404, 'not_found_error'],
    [413, 413, 413, 'request_too_large'],
    [422, 422, 422, 'invalid_request_error'],
    [429, 429, 429, 'rate_limit_error'],
    [500, 500, 500, 'api_error'],
    [502, 502, 502, 'api_error'],
    [503, 503, 529, 'overloaded_error'],
    [529, 529, 529, 'overloaded_error'],
    [504, 504, 504, 'timeout_error'],
    [524, 504, 504, 'timeout_error'],
    [521, 502, 502, 'api_error'],
    [418, 502, 502, 'api_error'],
    [401, 502, 502, 'api_error'],
    [403, 502, 502, 'api_error'],
    [307, 502, 502, 'api_error'],
  ])('%d reaches a chat client as %d and an Anthropic client as %d %s', (status, chat, anthropic, type) => {
    expect(bothStatuses(status, said)).toEqual([chat, anthropic, type])
  })

  it.each([
    ['an error object', said, 'told so', 'c'],
    [
      'an Anthropic error',
      '{"type":"error","error":{"type":"x","message":"told so"}}',
      'told so',
      'upstream_400',
    ],
    ['an error text', '{"error":"told so"}', 'told so', 'upstream_400'],
    ['a detail', '{"detail":"told so"}', 'told so', 'upstream_400'],
    ['a vLLM error', '{"object":"error","message":"told so","code":400}', 'told so', 'upstream_400'],
    ['an error in an array', '[{"error":{"message":"told so","code":400}}]', 'told so', 'upstream_400'],
    ['plain text', 'told\u0000 so\n', 'The upstream answered with status 400: told so', 'upstream_400'],
    ['no body', '', 'The upstream answered with status 400 and no body.', 'upstream_400'],
  ])('keeps the message and code of %s', (_, body, message, code) => {
    expect(failureFromResponse({ status: 400, body })).toEqual({
      kind: 'invalid-request',
      code,
      message,
      status: 400,
    })
  })

  it('shows no HTML, and of a long text only the beginning', () => {
    expect(failureFromResponse({ status: 502, body: '<html><script>x</script>' }).message).not.toContain('<')
    expect(failureFromResponse({ status: 500, body: 'y'.repeat(5000) }).message.length).toBeLessThan(260)
  })

  it("about the key names the gateway, unless the key is the client's", () => {
    expect(failureFromResponse({ status: 401, body: said })).toMatchObject({
      kind: 'upstream',
      code: 'upstream_credential',
      message: 'The upstream refused the credential of the gateway: told so',
    })
    const own = failureFromResponse({ status: 401, body: said, credential: 'client' })
    expect(chatErrorResponse(own)).toMatchObject({ status: 401, body: { error: { message: 'told so' } } })
  })
})

describe('an error in the middle of a stream', () => {
  it('keeps its type and its code towards a chat client, also where the code is a number', () => {
    expect(errorOf({ message: 'm', type: 'provider_error', code: 429 })).toEqual({
      message: 'm',
      type: 'provider_error',
      param: null,
      code: 429,
    })
    expect(errorOf({ message: 'm', type: 'tokens', code: 'rate_limit_exceeded' })).toMatchObject({
      type: 'tokens',
      code: 'rate_limit_exceeded',
    })
  })

  it('has the type of its kind where the upstream gave none, and the status of its number', () => {
    const failure = failureFromError({ error: { message: 'm', code: 429 } })
    expect(chatErrorResponse(failure)).toMatchObject({
      status: 429,
      body: { error: { type: 'rate_limit_error', code: 429 } },
    })
  })

  it("has words of the chat dialect where it came in Anthropic's", () => {
    const failure = failureFromError({ type: 'error', error: { type: 'api_error', message: 'm' } })
    expect(chatErrorBody(failure).error.type).toBe('upstream_error')
  })

  it('about the key does not look as if it were about that of the client', () => {
    expect(errorOf({ message: 'm', type: 'authentication_error', code: 401 }).type).toBe('upstream_error')
  })
})

describe('a limit of Google’s', () => {
  const types = 'type.googleapis.com/google.rpc.'
  const wait = { '@type': `${types}RetryInfo`, retryDelay: '11.2s' }
  const quota = (quotaId: string): object => ({ '@type': `${types}QuotaFailure`, violations: [{ quotaId }] })

  it('says how long to wait, in whole seconds', () => {
    const told = refused({ '@type': `${types}Help` }, quota('RequestsPerMinute'), wait)
    expect(failureFromResponse({ status: 429, body: JSON.stringify(told) })).toMatchObject({
      kind: 'rate-limit',
      code: 'upstream_429',
      retryAfter: 12,
    })
    expect(failureFromError(told)).toMatchObject({ kind: 'rate-limit', retryAfter: 12 })
    const odd = refused({ retryDelay: 'soon' }, { retryDelay: 5 })
    expect(failureFromError(odd)).not.toHaveProperty('retryAfter')
  })

  it('of a whole day is one that nobody waits for', () => {
    const told = refused(quota('GenerateRequestsPerDayPerProjectPerModel-FreeTier'), wait)
    const failure = failureFromResponse({ status: 429, body: JSON.stringify(told) })
    expect(failure).toMatchObject({ kind: 'rate-limit', code: 'insufficient_quota', status: 429 })
    expect(failure).not.toHaveProperty('retryAfter')
  })
})
