import { failureFromResponse } from '../../answer/upstream-failure.ts'
import type { Failure } from '../../answer/failure.ts'
import type { StreamFraming } from '../../dialects/dialect.ts'
import { dialects, type DialectId } from '../../dialects/index.ts'
import { mintToolId } from '../../dialects/mint.ts'
import type { FormatId } from '../../formats/format-id.ts'
import { parseJson } from '../../json/objects.ts'
import type { ConversationRequest } from '../../request/conversation-request.ts'
import { makeSignature } from '../../request/reasoning-signature.ts'
import { type AnswerTranslation, translateAnswer } from '../../translate.ts'
import { type AdapterOptions, randomId } from '../adapter-options.ts'
import { explicitFormat, targetFormat } from '../target-format.ts'
import type { ClientAddress } from './client-address.ts'

/** The server that answers, where it does not speak what the SDK speaks. */
export interface UpstreamOptions {
  readonly dialect: DialectId
  /** Its base address, such as `https://api.example/v1`. Default: where the SDK was told to go. */
  readonly url?: string
  /** Default: the key of the SDK. */
  readonly apiKey?: string
  /** Further headers of each request. */
  readonly headers?: Readonly<Record<string, string>>
  /** Default: the name by which the SDK asks. */
  readonly model?: string
}

interface Outgoing {
  readonly address: ClientAddress
  readonly text: string
  readonly headers: Headers
  readonly signal: AbortSignal | null
}

/** Sends a request of one dialect to an upstream of another, and gives back its answer in the first. */
export async function fetchTranslated(
  outgoing: Outgoing,
  upstream: UpstreamOptions,
  options: AdapterOptions,
  send: (address: string, init: RequestInit) => Promise<Response>,
): Promise<Response> {
  const { address, text, signal } = outgoing
  const client = dialects[address.dialect]
  const decoded = client.request.decode(parseJson(text), address.asked)
  if ('error' in decoded) {
    const { field, message, code = 'invalid_request' } = decoded.error
    return failed(address, { kind: 'invalid-request', code, message, field })
  }
  const { request, notes } = decoded
  const model = upstream.model ?? request.model
  const { http, request: writes } = dialects[upstream.dialect]
  const format = formatFor(request, model, upstream, options)
  const sent = writes.encode(request, { model, format })
  for (const { kind, field, reason } of [...notes, ...sent.notes]) {
    options.onWarning?.(`${kind} ${field}: ${reason}`)
  }
  const base = (upstream.url ?? address.base).replace(/\/+$/, '')
  const response = await send(base + http.upstreamPath('', model, request.stream), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: request.stream ? 'text/event-stream' : 'application/json',
      ...http.headers(upstream.apiKey ?? keyIn(outgoing)),
      ...upstream.headers,
    },
    body: JSON.stringify(sent.body),
    ...(signal === null ? {} : { signal }),
  })
  if (!response.ok || response.body === null) {
    return failed(address, failureFromResponse({ status: response.status, body: await response.text() }))
  }
  const isStream = /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '')
  const translation = translateAnswer({
    from: upstream.dialect,
    to: address.dialect,
    delivered: isStream ? 'stream' : 'whole',
    wants: request.stream ? 'stream' : 'whole',
    includeUsage: request.wantsUsage === true || client.answer.usageInStream === 'always',
    parser: {
      ...options,
      model,
      format: explicitFormat(options, model),
      ...expected(request, sent.toolNames.toUpstream.bind(sent.toolNames), options),
    },
    mint: (family, taken) =>
      mintToolId({ dialect: address.dialect, format: family, taken, newId: options.newId ?? randomId }),
    conversationIds: callIds(request),
    clientToolName: (name) => sent.toolNames.toClient(name),
    maxTokens: request.maxTokens,
    watcher: {
      problem: (code, message, source) => options.onRecord?.({ type: 'problem', code, message, source }),
      repair: (code, message) => options.onRecord?.({ type: 'repair', code, message }),
    },
    onWarning: options.onWarning,
    request,
    encoding: () => ({
      id: client.answer.idPrefix + (options.newId ?? randomId)(),
      model: request.model,
      created: 0,
      inputTokens: () => Math.ceil(text.length / 4),
      request,
      signature: (field, proof) =>
        makeSignature({ format, field, model, ...(proof === null ? {} : { proof }) }),
    }),
  })
  return request.stream
    ? streamed(response.body, translation, address)
    : whole(new Uint8Array(await response.arrayBuffer()), translation, address)
}

function formatFor(
  request: ConversationRequest,
  model: string,
  { dialect }: UpstreamOptions,
  options: AdapterOptions,
): FormatId {
  const explicit = explicitFormat(options, model)
  const { format } = dialects[dialect].request
  return explicit === 'auto' && format !== null
    ? format
    : targetFormat(explicit, model, [...callIds(request)].at(-1))
}

function expected(
  { tools, toolChoice }: ConversationRequest,
  toUpstream: (name: string) => string,
  options: AdapterOptions,
): Pick<AdapterOptions, 'calls' | 'tools'> {
  // Where calls are only removed, the names of tools are left out: then only what is certainly a call is removed.
  if (toolChoice?.type === 'none' && tools.length > 0) return { calls: 'remove', tools: undefined }
  return {
    tools: options.tools ?? tools.map(({ name, parameters }) => ({ name: toUpstream(name), parameters })),
  }
}

function callIds({ contents }: ConversationRequest): ReadonlySet<string> {
  return new Set(
    contents.flatMap(({ blocks }) =>
      blocks.flatMap((block) => (block.type === 'tool_call' ? [block.id] : [])),
    ),
  )
}

/** The key that the SDK shows, in whichever place its dialect has for it. */
function keyIn({ address: { dialect, asked }, headers }: Outgoing): string | undefined {
  const { keyHeaders, keyParameters } = dialects[dialect].http
  const bearer = /^Bearer (.+)$/i.exec(headers.get('authorization') ?? '')?.[1]
  const named = keyHeaders.map((name) => headers.get(name)).find((value) => value !== null)
  return named ?? bearer ?? keyParameters.map((name) => asked.query[name]).find((key) => key !== undefined)
}

function failed({ dialect }: ClientAddress, failure: Failure): Response {
  const { errors } = dialects[dialect]
  return new Response(JSON.stringify(errors.body(failure)), {
    status: errors.status(failure),
    headers: { 'content-type': 'application/json' },
  })
}

function whole(body: Uint8Array, translation: AnswerTranslation, address: ClientAddress): Response {
  const text = translation.push(body) + translation.end()
  const { failure } = translation
  if (failure !== null) return failed(address, failure)
  return new Response(text, { headers: { 'content-type': 'application/json' } })
}

/** Takes the next chunk only when the last one was read, so a slow reader slows the upstream down. */
function streamed(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  translation: AnswerTranslation,
  { dialect, asked }: ClientAddress,
): Response {
  const { http, errors } = dialects[dialect]
  const framing: StreamFraming | null = http.framing?.(asked) ?? null
  const encoder = new TextEncoder()
  const framed = (text: string): string => (framing === null ? text : framing.write(text))
  const stream = new TransformStream<Uint8Array, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      const text = framed(translation.push(chunk))
      if (text !== '') controller.enqueue(encoder.encode(text))
    },
    flush(controller) {
      const rest = translation.end()
      const { failure, isStarted } = translation
      const last = failure !== null && !isStarted ? rest + errors.event(failure) : rest
      controller.enqueue(encoder.encode(framed(last) + (framing?.end() ?? '')))
    },
  })
  return new Response(body.pipeThrough(stream), {
    headers: { 'content-type': framing?.contentType ?? 'text/event-stream' },
  })
}
