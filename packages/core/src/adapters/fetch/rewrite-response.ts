import type { MintId } from '../../answer/ids.ts'
import type { StreamRewriter } from '../../answer/reports.ts'
import type { Failure } from '../../answer/answer.ts'
import { anthropicErrorBody } from '../../dialects/anthropic-messages/errors.ts'
import { isJsonObject, parseJson, type JsonObject } from '../../json/objects.ts'
import { chatErrorBody } from '../../dialects/openai-chat/errors.ts'
import type { RecordedEvent } from '../../dialects/openai-chat/answer/choice-reader.ts'
import { isErrorValue } from '../../answer/upstream-failure.ts'
import { mintToolId } from '../../dialects/mint.ts'
import {
  rewriteAnthropicMessage,
  rewriteAnthropicStream,
  rewriteChatCompletion,
} from '../../translate-answer.ts'
import { createChatStreamRewriter } from '../../translate.ts'
import type { AdapterOptions } from '../adapter-options.ts'
import { randomId } from '../random-id.ts'
import type { PreparedRequest } from './prepare-request.ts'

/** The response with the calls in its text made structured. What is no answer of the model stays as it is. */
export async function rewriteResponse(
  response: Response,
  request: PreparedRequest,
  options: AdapterOptions,
): Promise<Response> {
  if (!response.ok || response.body === null) return response
  const type = response.headers.get('content-type') ?? ''
  const reading = readingOf(request, options)
  if (/^text\/event-stream\b/i.test(type)) {
    return withBody(response, response.body.pipeThrough(byteStream(openRewriter(reading))))
  }
  return /^application\/(?:[\w.-]+\+)?json\b/i.test(type) ? rewriteWhole(response, reading) : response
}

interface Reading extends PreparedRequest {
  readonly mint: MintId
  readonly reports: {
    readonly onRecord?: (event: RecordedEvent) => void
    readonly onWarning?: (message: string) => void
  }
}

function readingOf(request: PreparedRequest, options: AdapterOptions): Reading {
  const { newId = randomId, onRecord, onWarning } = options
  return {
    ...request,
    mint: (format, taken) => mintToolId({ dialect: request.dialect, format, newId, taken }),
    reports: {
      ...(onRecord === undefined ? {} : { onRecord }),
      ...(onWarning === undefined ? {} : { onWarning }),
    },
  }
}

function openRewriter({ dialect, parser, mint, conversationIds, reports }: Reading): StreamRewriter {
  return dialect === 'anthropic-messages'
    ? rewriteAnthropicStream({ parser, mint, conversationIds, ...reports })
    : createChatStreamRewriter({ parser, mint, conversationIds, ...reports })
}

/** Takes the next chunk only when the last one was read, so a slow reader slows the upstream down. */
function byteStream(rewriter: StreamRewriter): TransformStream<Uint8Array, Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder()
  const send = (
    texts: readonly string[],
    controller: TransformStreamDefaultController<Uint8Array<ArrayBuffer>>,
  ): void => {
    if (texts.length > 0) controller.enqueue(encoder.encode(texts.join('')))
  }
  return new TransformStream({
    transform(chunk, controller) {
      send(rewriter.push(chunk), controller)
    },
    flush(controller) {
      send(rewriter.end(), controller)
    },
  })
}

async function rewriteWhole(response: Response, reading: Reading): Promise<Response> {
  const bytes = await response.arrayBuffer()
  const came = parseJson(new TextDecoder().decode(bytes))
  if (!isJsonObject(came) || isErrorValue(came) || !hasAnswer(came)) return withBody(response, bytes)
  const { body, failure } = rewriteBody(came, reading)
  if (failure !== null) return failed(response, failure, reading)
  return withBody(response, body === came ? bytes : JSON.stringify(body))
}

function hasAnswer(body: JsonObject): boolean {
  return Array.isArray(body['choices']) || Array.isArray(body['content'])
}

function rewriteBody(
  body: JsonObject,
  { dialect, parser, mint, conversationIds, reports }: Reading,
): { readonly body: unknown; readonly failure: Failure | null } {
  return dialect === 'anthropic-messages'
    ? rewriteAnthropicMessage(body, { parser, mint, conversationIds, ...reports })
    : rewriteChatCompletion(body, { parser, mint, conversationIds, ...reports })
}

/** Half a call must not look like a whole answer. SDKs try again after this status, as after a broken stream. */
function failed(response: Response, failure: Failure, { dialect }: Reading): Response {
  const body = dialect === 'anthropic-messages' ? anthropicErrorBody(failure) : chatErrorBody(failure)
  return withBody(response, JSON.stringify(body), { status: 502, statusText: 'Bad Gateway' })
}

type Body = string | ArrayBuffer | ReadableStream<Uint8Array<ArrayBuffer>>

function withBody(
  response: Response,
  body: Body,
  { status, statusText }: { status: number; statusText: string } = response,
): Response {
  const headers = new Headers(response.headers)
  // They are about the bytes that came over the wire; these are others, and no longer compressed.
  headers.delete('content-length')
  headers.delete('content-encoding')
  const answer = new Response(body, { status, statusText, headers })
  Object.defineProperty(answer, 'url', { value: response.url })
  return answer
}
