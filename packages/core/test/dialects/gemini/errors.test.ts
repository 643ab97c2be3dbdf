import { describe, expect, it } from 'vitest'
import type { Failure, FailureKind } from '../../../src/answer/failure.ts'
import { readOverflow } from '../../../src/answer/overflow/overflow.ts'
import {
  geminiBareError,
  geminiErrorBody,
  geminiErrorEvent,
  geminiErrorStatus,
} from '../../../src/dialects/gemini/errors.ts'

const overflow = (more: Partial<Failure>): string => {
  const told = failure('invalid-request', { code: 'context_length_exceeded', status: 413, ...more })
  expect(geminiErrorStatus(told)).toBe(400)
  return geminiErrorBody(told).error.message
}

const failure = (kind: FailureKind, more: Partial<Failure> = {}): Failure => ({
  kind,
  code: 'some_code',
  message: 'It failed.',
  ...more,
})

describe('a failure before the first byte', () => {
  it('has the status, and the word for it', () => {
    const kinds: FailureKind[] = [
      'invalid-request',
      'authentication',
      'permission',
      'not-found',
      'too-large',
      'rate-limit',
      'overloaded',
      'timeout',
      'upstream',
      'internal',
    ]
    const told = kinds.map((kind) => {
      const { code, status } = geminiErrorBody(failure(kind)).error
      expect(code).toBe(geminiErrorStatus(failure(kind)))
      return `${code} ${status}`
    })
    expect(told).toEqual([
      '400 INVALID_ARGUMENT',
      '401 UNAUTHENTICATED',
      '403 PERMISSION_DENIED',
      '404 NOT_FOUND',
      '413 INVALID_ARGUMENT',
      '429 RESOURCE_EXHAUSTED',
      '503 UNAVAILABLE',
      '504 DEADLINE_EXCEEDED',
      '502 INTERNAL',
      '500 INTERNAL',
    ])
    expect(geminiErrorStatus(failure('upstream', { status: 529 }))).toBe(529)
  })

  it('tells the field that is wrong, and the code of a fault of ours', () => {
    expect(geminiErrorBody(failure('invalid-request', { field: 'cachedContent' }))).toEqual({
      error: {
        code: 400,
        message: 'It failed.',
        status: 'INVALID_ARGUMENT',
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.BadRequest',
            fieldViolations: [{ field: 'cachedContent', description: 'It failed.' }],
          },
        ],
      },
    })
    expect(geminiErrorBody(failure('upstream')).error.message).toBe('It failed. (some_code)')
  })

  it('tells how long to wait, and that waiting does not help where nothing is left', () => {
    expect(geminiErrorBody(failure('rate-limit', { retryAfter: 12 })).error.details).toEqual([
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '12s' },
    ])
    expect(
      geminiErrorBody(failure('rate-limit', { code: 'insufficient_quota', retryAfter: 1 })).error.details,
    ).toEqual([
      {
        '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
        violations: [{ quotaId: 'SpentPerDay', description: 'It failed.' }],
      },
    ])
    expect(geminiErrorBody(failure('rate-limit')).error).not.toHaveProperty('details')
  })
})

describe('a prompt that is too long', () => {
  it('is told in the words that clients look for, with the numbers', () => {
    const numbers = { what: 'prompt', promptTokens: 140_000, window: 131_072 } as const
    const sentence = overflow({ overflow: numbers })
    expect(sentence).toBe(
      'The input token count (140000) exceeds the maximum number of tokens allowed (131072).',
    )
    expect(readOverflow({ message: sentence })).toEqual(numbers)
  })

  it('is told without numbers that nobody told, and with the upstream’s words where they say more', () => {
    expect(overflow({})).toBe(
      'The input token count exceeds the maximum number of tokens allowed. The upstream said: It failed.',
    )
    expect(overflow({ overflow: { what: 'sum', promptTokens: 10, outputTokens: 95, window: 100 } })).toBe(
      'The input token count (105) exceeds the maximum number of tokens allowed (100). The upstream said: It failed.',
    )
    const google = 'The input token count (9) exceeds the maximum number of tokens allowed (8).'
    expect(overflow({ message: google, overflow: { what: 'prompt' } })).toBe(google)
  })
})

describe('a failure in a stream', () => {
  it('is an event, and then, in a write of its own, the bare JSON', () => {
    const json = JSON.stringify(geminiErrorBody(failure('upstream')))
    expect(geminiErrorEvent(failure('upstream'))).toBe(`data: ${json}\n\n`)
    expect(geminiBareError(failure('upstream'))).toBe(json)
  })
})
