import { type Failure, type FailureKind, failureFromResponse } from '@dragoman/core'
import { describe, expect, it } from 'vitest'
import { causeToMoveOn, mostUseful } from '../../src/routing/move-on.ts'
import { retryAfter } from '../../src/routing/retry-after.ts'
import type { FaultCode } from '../../src/upstream/upstream-fault.ts'

function refused(status: number, body: object | string = ''): string | null {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return causeToMoveOn({ status, failure: failureFromResponse({ status, body: text }) })
}

function failed(kind: FailureKind, code = 'any'): Failure {
  return { kind, code, message: `${kind} ${code}` }
}

describe('a status', () => {
  it.each([408, 425, 429, 500, 502, 503, 504, 529])('%i moves a request on', (status) => {
    expect(refused(status)).toBe(`status-${status}`)
  })

  it.each([400, 401, 402, 403, 404, 409, 413, 422, 501, 505])('%i does not', (status) => {
    expect(refused(status)).toBeNull()
  })

  it('of a server that reports a conversation which is too long as its own failure does not', () => {
    const message = 'This model’s maximum context length is 100 tokens. However, you requested 200 tokens'
    expect(refused(500, { error: { message: message.replace('’', "'") } })).toBeNull()
  })

  it('of a content filter does not, whatever it is', () => {
    expect(refused(500, { error: { message: 'no', code: 'content_filter' } })).toBeNull()
    expect(refused(503, { error: { message: 'no', code: 'content_policy_violation' } })).toBeNull()
  })
})

describe('a call that failed', () => {
  const failure = failed('upstream')
  const moving: FaultCode[] = ['unreachable', 'tls', 'closed', 'connect-timeout', 'headers-timeout', 'cut']
  it.each(moving)('%s moves a request on', (fault) => {
    expect(causeToMoveOn({ failure, fault })).toBe(fault)
  })

  const staying: FaultCode[] = ['no-room', 'not-http', 'aborted']
  it.each(staying)('%s does not', (fault) => {
    expect(causeToMoveOn({ failure, fault })).toBeNull()
  })
})

describe('an answer that is none', () => {
  it('moves a request on where it is empty, broke off, or is an error that may pass', () => {
    expect(causeToMoveOn({ failure: failed('upstream', 'upstream_empty') })).toBe('empty')
    expect(causeToMoveOn({ failure: failed('upstream', 'upstream_truncated') })).toBe('cut')
    expect(causeToMoveOn({ failure: failed('overloaded', 'overloaded_error') })).toBe('first-event')
  })

  it.each([
    failed('invalid-request', 'invalid_request_error'),
    failed('upstream', 'content_filter'),
    failed('upstream', 'authentication_error'),
    failed('upstream', 'invalid_tool_arguments'),
    failed('upstream', 'upstream_protocol_error'),
  ])('does not where it speaks of the request, the key or the model: $code', (failure) => {
    expect(causeToMoveOn({ failure })).toBeNull()
  })
})

describe('of several failures', () => {
  const cases: [told: number, ...kinds: (FailureKind | 'refusal')[]][] = [
    [0, 'upstream', 'upstream'],
    [1, 'upstream', 'rate-limit'],
    [0, 'rate-limit', 'overloaded'],
    [1, 'timeout', 'overloaded', 'upstream'],
    [0, 'upstream', 'refusal'],
  ]
  it.each(cases)('number %i is the most useful: %j', (told, ...kinds) => {
    const tried = kinds.map((kind, at) =>
      kind === 'refusal'
        ? { failure: failed('invalid-request', String(at)), cause: null }
        : { failure: failed(kind, String(at)), cause: 'any' },
    )
    const [first, ...others] = tried
    if (first === undefined) throw new Error('nothing failed')
    expect(mostUseful([first, ...others]).failure.code).toBe(String(told))
  })
})

describe('how long an upstream wants to be left alone', () => {
  const today = Date.parse('2026-01-01T00:00:00Z')
  const none = {}
  it.each([
    [{ 'retry-after': '7' }, 7000],
    [{ 'retry-after': '1.5' }, 1500],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:09 GMT' }, 9000],
    [{ 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }, 0],
    [{ 'retry-after': '9', 'retry-after-ms': '250' }, 250],
    [{ 'retry-after': '99999999' }, 86_400_000],
    [{ 'retry-after': 'soon' }, undefined],
    [undefined, undefined],
  ])('is in its headers: %j', (limits, wait) => {
    expect(retryAfter(limits, none, today)).toBe(wait)
  })

  it('is in its body, where the headers do not say it', () => {
    expect(retryAfter(undefined, { retryAfter: 3 }, today)).toBe(3000)
  })
})
