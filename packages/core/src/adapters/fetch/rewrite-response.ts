import { isErrorValue } from '../../answer/upstream-failure.ts'
import { dialects } from '../../dialects/index.ts'
import { isJsonObject, parseJson } from '../../json/objects.ts'
import {
  createStreamRewriter,
  rewriteAnswerText,
  type RewriterOptions,
  type StreamRewriter,
} from '../../translate-parts.ts'
import { type AdapterOptions, randomId } from '../adapter-options.ts'
import type { PreparedRequest } from './prepare-request.ts'

/** The response with the calls in its text made structured. What is no answer of the model stays as it is. */
export async function rewriteResponse(
  response: Response,
  request: PreparedRequest,
  options: AdapterOptions,
): Promise<Response> {
  if (!response.ok || response.body === null) return response
  const type = response.headers.get('content-type') ?? ''
  if (/^text\/event-stream\b/i.test(type)) {
    const rewriter = createStreamRewriter(request.dialect, rewriting(request, options))
    return withBody(response, response.body.pipeThrough(byteStream(rewriter)))
  }
  return /^application\/(?:[\w.-]+\+)?json\b/i.test(type)
    ? rewriteWhole(response, request, options)
    : response
}

/** What is wrong with a stream goes on as it came: the SDK has words of its own for it. */
function rewriting({ parser, conversationIds }: PreparedRequest, options: AdapterOptions): RewriterOptions {
  const { newId = randomId, onRecord, onWarning } = options
  return { parser, conversationIds, newId, onRecord, onWarning, faults: 'pass' }
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

async function rewriteWhole(
  response: Response,
  request: PreparedRequest,
  options: AdapterOptions,
): Promise<Response> {
  const bytes = await response.arrayBuffer()
  const text = new TextDecoder().decode(bytes)
  const came = parseJson(text)
  if (!isJsonObject(came) || isErrorValue(came)) return withBody(response, bytes)
  const { json, failure } = rewriteAnswerText(request.dialect, text, rewriting(request, options))
  if (failure === null) return withBody(response, json === text ? bytes : json)
  // Half a call must not look like a whole answer. SDKs try again after this status, as after a broken stream.
  const error = JSON.stringify(dialects[request.dialect].errors.body(failure))
  return withBody(response, error, { status: 502, statusText: 'Bad Gateway' })
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
