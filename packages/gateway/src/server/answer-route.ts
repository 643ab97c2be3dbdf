import { randomBytes, randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type ConversationRequest,
  decodeAnthropicRequest,
  decodeChatRequest,
  type Failure,
  mintToolId,
  responsesWithoutCall,
} from '@dragoman/core'
import type { GatewayConfig } from '../config/config.ts'
import { matchModel } from '../config/match-model.ts'
import { parseBody, withoutByteOrderMark } from '../base/json-body.ts'
import { readBody } from '../base/read-body.ts'
import { pings, sendJsonText, streamHeaders } from '../base/send.ts'
import type { Recording } from '../recorder/exchange-recording.ts'
import type { Recorder } from '../recorder/recorder.ts'
import { tapResponse, tapUpstream } from '../recorder/tap.ts'
import { Exchange } from '../exchange/exchange.ts'
import { lateBody, modelNotFound } from './refusals.ts'
import type { RequestLog } from './request-log.ts'
import { rateLimitsFor } from '../upstream/rate-limits.ts'
import type { Upstreams } from '../upstream/upstreams.ts'
import { estimateTokens } from '../exchange/estimate-tokens.ts'
import { createStreamPipeline, createWholePipeline, type PipelineOptions } from '../exchange/pipeline.ts'
import type { Dialect } from '../base/dialect.ts'
import { type CameBody, type Plan, planRequest } from '../exchange/plan.ts'

export interface AnswerRouteContext {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly dialect: Dialect
  readonly config: GatewayConfig
  readonly upstreams: Upstreams
  readonly requestId: string
  /** Undefined where exchanges are not recorded. */
  readonly recorder: Recorder | undefined
  readonly log: RequestLog
  readonly refuse: (
    failure: Failure,
    options?: { status?: number; headers?: Readonly<Record<string, string>> },
  ) => void
  readonly onExchange: (exchange: Exchange) => void
  readonly onBug: (error: unknown) => void
  /** Takes secrets out of what upstreams say. */
  readonly redact: (text: string) => string
}

/** `POST /v1/messages` and `POST /v1/chat/completions`. */
export async function answerRoute(context: AnswerRouteContext): Promise<void> {
  const recording = context.recorder?.open(context.requestId, context.dialect)
  if (recording !== undefined) tapResponse(context.response, recording)
  const read = await readRequest(context, recording)
  if (read === undefined) return
  const { request: decoded, came } = read
  const { config, dialect, log, upstreams } = context
  const route = matchModel(config, decoded.model)
  if (route === undefined) {
    context.refuse(modelNotFound(decoded.model))
    return
  }
  const upstream = await upstreams.resolve(route.upstream)
  if (upstream.dialect !== 'anthropic-messages' && decoded.extra['thread'] !== undefined) {
    context.refuse(noThreads)
    return
  }
  const onParser = log.parserOpened.bind(log)
  const plan = planRequest(decoded, dialect, route, upstream, config, { came, onParser })
  log.plan(plan)
  recording?.upstreamRequest(plan)
  answer(context, decoded, plan, recording)
}

/** Reads and decodes the request, or answers why it cannot. */
export async function readRequest(
  context: AnswerRouteContext,
  recording?: Recording,
): Promise<{ readonly request: ConversationRequest; readonly came: CameBody } | undefined> {
  const { request, dialect, config, log, refuse } = context
  const { bodyBytes } = config.limits
  const body = await readBody(request, { limit: bodyBytes, longest: config.timeouts.clientBody })
  if (body.is === 'gone') return undefined
  if (body.is === 'late') {
    refuse(lateBody.failure, lateBody)
    return undefined
  }
  if (body.is === 'too-large') {
    refuse(failure('too-large', 'request_too_large', `The body is larger than ${bodyBytes} bytes.`))
    return undefined
  }
  log.received(body.bytes.length, config.warnings.conversationBytes)
  const bytes = withoutByteOrderMark(body.bytes)
  const text = bytes.toString('utf8')
  recording?.clientRequest(text)
  const json = parseBody(text, config.limits.jsonDepth)
  if (json.is === 'invalid') {
    refuse(failure('invalid-request', 'invalid_json', json.message))
    return undefined
  }
  const decoded =
    dialect === 'anthropic-messages' ? decodeAnthropicRequest(json.value) : decodeChatRequest(json.value)
  if ('error' in decoded) {
    const { field, message } = decoded.error
    const wrong = failure('invalid-request', 'invalid_request', message)
    refuse(field === 'body' ? wrong : { ...wrong, field })
    return undefined
  }
  log.model = decoded.request.model
  log.notes(decoded.notes)
  const [orphan] = config.strictHistory ? responsesWithoutCall(decoded.request.contents) : []
  if (orphan !== undefined) {
    const message = `There is a tool result for "${orphan.callId}", but no call with this id.`
    refuse({ ...failure('invalid-request', 'unknown_tool_call', message), field: 'messages' })
    return undefined
  }
  return { request: decoded.request, came: { bytes, json: json.value } }
}

function answer(
  context: AnswerRouteContext,
  request: ConversationRequest,
  plan: Plan,
  recording: Recording | undefined,
): void {
  const { config, dialect, response, upstreams, log, redact, refuse } = context
  const exchange: Exchange = new Exchange({
    response,
    timeouts: {
      finishGrace: plan.route.timeouts.finishGrace,
      ping: config.timeouts.ping,
      clientStall: config.timeouts.clientStall,
    },
    responseBytes: config.limits.responseBytes,
    wantsStream: request.stream,
    callUpstream: (listener, connection) => {
      log.upstreamCalled()
      const heard = recording === undefined ? listener : tapUpstream(listener, recording)
      return upstreams.call(plan, heard, connection)
    },
    open: (source) => {
      log.upstreamAnswered()
      const options = pipelineOptions(context, request, plan, exchange)
      return request.stream ? createStreamPipeline(options, source) : createWholePipeline(options, source)
    },
    refuse: (reason, limits) => {
      refuse(reason, limits === undefined ? {} : { headers: rateLimitsFor(dialect, limits, Date.now()) })
      exchange.finish()
    },
    onLimits: (limits) => {
      for (const [name, value] of Object.entries(rateLimitsFor(dialect, limits, Date.now()))) {
        response.setHeader(name, redact(value))
      }
    },
    ping: () => {
      startStream(response)
      response.write(pings[dialect])
    },
    onFirstByte: () => log.firstByte(),
    onFault: (fault) => log.upstreamFault(fault),
    onStall: () => log.clientStalled(),
    onBug: context.onBug,
  })
  context.onExchange(exchange)
  exchange.start()
}

function pipelineOptions(
  { dialect, config, response, log, redact, refuse }: AnswerRouteContext,
  request: ConversationRequest,
  plan: Plan,
  exchange: Exchange,
): PipelineOptions {
  const prefix = dialect === 'anthropic-messages' ? 'msg_' : 'chatcmpl-'
  return {
    plan,
    clientDialect: dialect,
    clientModel: request.model,
    // Its random bytes are kept in store, where others are asked of the system each time.
    newAnswerId: () => prefix + randomUUID().replaceAll('-', ''),
    created: Math.floor(Date.now() / 1000),
    includeUsage: request.wantsUsage === true,
    inputTokens: () => estimateTokens(request),
    mint: (format, taken) => {
      if (format !== 'std') log.callRead(format)
      return mintToolId({ dialect, format, taken, newId: randomName })
    },
    conversationIds: callIds(request),
    maxEventBytes: config.limits.lineBytes,
    watcher: log,
    redact,
    write: (text) => {
      startStream(response)
      exchange.write(text)
    },
    streamed: () => {
      exchange.endStream()
    },
    whole: (json) => {
      log.firstByte()
      sendJsonText(response, 200, json)
      exchange.finish()
    },
    failed: (reason) => {
      refuse(reason)
      exchange.finish()
    },
  }
}

function callIds({ contents }: ConversationRequest): ReadonlySet<string> {
  const ids = new Set<string>()
  for (const { blocks } of contents) {
    for (const block of blocks) if (block.type === 'tool_call') ids.add(block.id)
  }
  return ids
}

function startStream(response: ServerResponse): void {
  if (!response.headersSent) response.writeHead(200, streamHeaders)
}

function randomName(): string {
  return randomBytes(9).toString('base64url').replaceAll(/[-_]/g, '')
}

/**
 * A thread leaves the conversation with the server, and only what is new is sent. Nothing is kept here:
 * told so in these words, the SDK sends the whole conversation.
 */
const noThreads: Failure = {
  kind: 'invalid-request',
  code: 'thread_unsupported_request',
  message: 'The gateway keeps no threads: send the whole conversation.',
  details: { error_code: 'thread_unsupported_request', unsupported: ['thread'] },
}

function failure(kind: Failure['kind'], code: string, message: string): Failure {
  return { kind, code, message }
}
