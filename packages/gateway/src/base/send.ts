import type { ServerResponse } from 'node:http'
import { anthropicErrorBody, chatErrorBody, type Failure } from '@dragoman/core'
import type { Dialect } from './dialect.ts'

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
  sendJsonText(response, status, JSON.stringify(body), headers)
}

export function sendJsonText(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, {
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  })
  response.end(text)
}

/** The last event of a stream that fails. No event that marks success may follow it. */
export function failureEvent(dialect: Dialect, failure: Failure): string {
  return dialect === 'anthropic-messages'
    ? `event: error\ndata: ${JSON.stringify(anthropicErrorBody(failure))}\n\n`
    : `data: ${JSON.stringify(chatErrorBody(failure))}\n\n`
}

/** What is sent into a stream while its client waits. */
export const pings: Readonly<Record<Dialect, string>> = {
  'anthropic-messages': 'event: ping\ndata: {"type":"ping"}\n\n',
  'openai-chat': ': keep-alive\n\n',
}
