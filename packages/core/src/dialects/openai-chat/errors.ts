import type { Failure, FailureKind } from '../../answer/failure.ts'
import { inOpenAiWords, overflowFields } from '../../answer/overflow/sentences.ts'

export interface ChatErrorBody {
  readonly error: {
    readonly message: string
    readonly type: string
    readonly param: string | null
    readonly code: string | number
    readonly n_prompt_tokens?: number
    readonly n_ctx?: number
  }
}

/** The error as this dialect says it: the body of a response, or an event in the middle of a stream. */
export function chatErrorBody(failure: Failure): ChatErrorBody {
  const { kind, code, field, overflow, upstreamType, upstreamCode } = failure
  const type = upstreamType ?? words[kind].type
  const error = { message: messageOf(failure), type, param: field ?? null, code: upstreamCode ?? code }
  return { error: overflow === undefined ? error : { ...error, ...overflowFields(overflow) } }
}

function messageOf({ message, overflow }: Failure): string {
  return overflow === undefined || overflow.what === 'output' ? message : inOpenAiWords(overflow, message)
}

export function chatErrorResponse(failure: Failure): {
  readonly status: number
  readonly body: ChatErrorBody
} {
  return { status: failure.status ?? words[failure.kind].status, body: chatErrorBody(failure) }
}

const words: Readonly<Record<FailureKind, { readonly status: number; readonly type: string }>> = {
  'invalid-request': { status: 400, type: 'invalid_request_error' },
  authentication: { status: 401, type: 'authentication_error' },
  permission: { status: 403, type: 'permission_error' },
  'not-found': { status: 404, type: 'not_found_error' },
  'too-large': { status: 413, type: 'invalid_request_error' },
  'rate-limit': { status: 429, type: 'rate_limit_error' },
  overloaded: { status: 503, type: 'overloaded_error' },
  timeout: { status: 504, type: 'timeout' },
  upstream: { status: 502, type: 'upstream_error' },
  internal: { status: 500, type: 'server_error' },
}
