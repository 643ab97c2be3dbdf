import type { Failure, FailureKind } from '../../answer/failure.ts'
import { contextOverflow } from '../../answer/overflow/overflow.ts'
import { inOpenAiWords } from '../../answer/overflow/sentences.ts'

/** What an error of this dialect says, in a stream. */
export interface ResponsesErrorFields {
  readonly type: string
  /** Always a text: a number makes clients lose the error. */
  readonly code: string
  readonly message: string
  readonly param: string | null
}

export function responsesErrorFields(failure: Failure): ResponsesErrorFields {
  const { kind, code, field, overflow, message } = failure
  const isOverflow = overflow !== undefined && overflow.what !== 'output'
  return {
    type: words[kind].type,
    code: code === contextOverflow || code === 'insufficient_quota' ? code : words[kind].code,
    message: isOverflow ? inOpenAiWords(overflow, message) : message,
    param: field ?? null,
  }
}

const words: Readonly<Record<FailureKind, { readonly type: string; readonly code: string }>> = {
  'invalid-request': { type: 'invalid_request_error', code: 'invalid_prompt' },
  authentication: { type: 'authentication_error', code: 'server_error' },
  permission: { type: 'permission_error', code: 'server_error' },
  'not-found': { type: 'not_found_error', code: 'server_error' },
  'too-large': { type: 'invalid_request_error', code: 'invalid_prompt' },
  'rate-limit': { type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  overloaded: { type: 'overloaded_error', code: 'server_error' },
  timeout: { type: 'timeout', code: 'server_error' },
  upstream: { type: 'upstream_error', code: 'server_error' },
  internal: { type: 'server_error', code: 'server_error' },
}
