import type { ServerResponse } from 'node:http'
import { anthropicErrorResponse, chatErrorResponse, type Failure } from '@dragoman/core'
import type { Dialect } from '../routes/plan.ts'

export const streamHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = JSON.stringify(body)
  response.writeHead(status, {
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  })
  response.end(text)
}

/** A failure as the client's dialect words it. `status` is ours where the failure does not tell. */
export function sendFailure(
  response: ServerResponse,
  dialect: Dialect,
  failure: Failure,
  requestId: string,
  options: { status?: number; headers?: Readonly<Record<string, string>> } = {},
): number {
  const answer =
    dialect === 'anthropic-messages' ? anthropicErrorResponse(failure, requestId) : chatErrorResponse(failure)
  const status = options.status ?? answer.status
  sendJson(response, status, answer.body, {
    ...options.headers,
    'x-request-id': requestId,
    'request-id': requestId,
  })
  return status
}
