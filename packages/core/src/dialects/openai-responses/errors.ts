import type { Failure, FailureKind } from '../../answer/failure.ts'
import { contextOverflow } from '../../answer/overflow/overflow.ts'
import { inOpenAiWords } from '../../answer/overflow/sentences.ts'
import { type JsonObject, wordOf } from '../../json/objects.ts'
import { encodeSse } from '../../sse/encoder.ts'
import { nothingYet, ResponseObject } from './response-object.ts'

export interface ResponsesErrorBody {
  readonly error: {
    readonly message: string
    readonly type: string
    readonly param: string | null
    /** Always a text: a number makes clients lose the error. */
    readonly code: string
  }
}

/** The body of a response. Its code is ours or the upstream's, which people look for. */
export function responsesErrorBody(failure: Failure): ResponsesErrorBody {
  const { kind, code, field, upstreamType } = failure
  const type = upstreamType ?? words[kind].type
  return { error: { message: messageOf(failure), type, param: field ?? null, code } }
}

export function responsesErrorStatus({ kind, code, status }: Failure): number {
  if (code === contextOverflow) return words['invalid-request'].status
  return status ?? words[kind].status
}

/**
 * Codex makes a conversation shorter that is too long, but gives up on a response with an error status. It waits as long
 * as the message of a rate limit says, and reads no header. The SDKs read headers, and ask again after a status alone.
 */
export function responsesErrorInStream({ kind, code }: Failure, client: string | undefined): boolean {
  return code === contextOverflow || (kind === 'rate-limit' && client?.startsWith('codex') === true)
}

/** What an error of this dialect says in a stream. Clients decide by its code alone whether to ask again. */
export interface ResponsesErrorFields {
  readonly type: string
  readonly code: string
  readonly message: string
  readonly param: string | null
}

export function responsesErrorFields(failure: Failure): ResponsesErrorFields {
  const { kind, code, field } = failure
  return {
    type: words[kind].type,
    code: streamedCodes.has(code) ? code : words[kind].streamed,
    message: messageInStream(failure),
    param: field ?? null,
  }
}

/** Codes that clients know in a stream, as they know the codes of the kinds. */
const streamedCodes: ReadonlySet<string> = new Set([
  contextOverflow,
  'insufficient_quota',
  'previous_response_not_found',
])

/**
 * All of a stream that began with signs of life alone and has no answer. Some clients read only the last event, some only
 * the one before it, and some throw unless a response was created before.
 */
export function responsesErrorEvents(failure: Failure, requestId = ''): string {
  const fields = responsesErrorFields(failure)
  const { type, code, message, param } = fields
  const created = { ...emptyResponse, id: `resp_${requestId.replaceAll(/[^a-zA-Z0-9]/g, '') || '0'}` }
  const failed = { ...created, status: 'failed', error: { code, message } }
  const events: readonly JsonObject[] = [
    { type: 'response.created', response: created },
    { type: 'error', code, message, param, error: { type, code, message, param } },
    { type: 'response.failed', response: failed },
  ]
  return events
    .map((event, at) =>
      encodeSse({
        event: wordOf(event['type']),
        data: JSON.stringify({ ...event, sequence_number: at }),
      }),
    )
    .join('')
}

const emptyResponse: JsonObject = JSON.parse(
  new ResponseObject({ id: 'resp_0', model: '', created: 0 }).json(nothingYet),
)

function messageOf({ message, overflow }: Failure): string {
  return overflow === undefined || overflow.what === 'output' ? message : inOpenAiWords(overflow, message)
}

/** A client that reads no header waits as long as the message says. */
function messageInStream(failure: Failure): string {
  const message = messageOf(failure)
  const { kind, retryAfter } = failure
  if (kind !== 'rate-limit' || retryAfter === undefined || /try again in/i.test(message)) return message
  return `${message} Please try again in ${Math.ceil(retryAfter)}s.`
}

interface Words {
  readonly status: number
  readonly type: string
  /** The code in a stream. Clients take codes that they do not know for a fault that may pass. */
  readonly streamed: string
}

const words: Readonly<Record<FailureKind, Words>> = {
  'invalid-request': { status: 400, type: 'invalid_request_error', streamed: 'invalid_prompt' },
  authentication: { status: 401, type: 'authentication_error', streamed: 'invalid_prompt' },
  permission: { status: 403, type: 'permission_error', streamed: 'invalid_prompt' },
  'not-found': { status: 404, type: 'not_found_error', streamed: 'invalid_prompt' },
  'too-large': { status: 413, type: 'invalid_request_error', streamed: 'invalid_prompt' },
  'rate-limit': { status: 429, type: 'rate_limit_error', streamed: 'rate_limit_exceeded' },
  // The codes that OpenAI has for an overloaded server make clients give up.
  overloaded: { status: 503, type: 'overloaded_error', streamed: 'server_error' },
  timeout: { status: 504, type: 'timeout', streamed: 'server_error' },
  upstream: { status: 502, type: 'upstream_error', streamed: 'server_error' },
  internal: { status: 500, type: 'server_error', streamed: 'server_error' },
}
