import { randomBytes, randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import {
  type AnswerTranslation,
  type ConversationRequest,
  dialects,
  type Failure,
  mintToolId,
  responsesWithoutCall,
} from '@dragoman/core'
import type { GatewayConfig, Upstream } from '../config/config.ts'
import { matchModel, type ModelRoute } from '../config/match-model.ts'
import type { BodyShare } from '../base/body-budget.ts'
import { parseBody, withoutByteOrderMark } from '../base/json-body.ts'
import { readBody } from '../base/read-body.ts'
import type { Refusal } from '../base/refusal.ts'
import type { OpenRecording } from '../recorder/exchange-recording.ts'
import type { Recorder } from '../recorder/recorder.ts'
import { tapResponse, tapUpstream } from '../recorder/tap.ts'
import type { ClientAnswer } from '../exchange/client-answer.ts'
import { Exchange } from '../exchange/exchange.ts'
import type { ItemCache } from '../exchange/item-cache.ts'
import { keepingPieces } from '../exchange/kept-pieces.ts'
import { lateBody, modelNotFound, noRoomForBody } from './refusals.ts'
import type { RequestLog } from './request-log.ts'
import { askedAt } from './route-table.ts'
import { withoutAddress } from '../upstream/upstream-failures.ts'
import type { Upstreams } from '../upstream/upstreams.ts'
import { Negotiation } from '../exchange/negotiation.ts'
import { type ReceivedBody, type Plan, planRequest } from '../exchange/plan.ts'
import { styleOf } from '../exchange/model-style.ts'
import { withLesson } from '../upstream/known-upstream.ts'
import { estimateTokens } from '../exchange/estimate-tokens.ts'
import { silentCut, tokensRead, tooLongForSilence } from '../exchange/silent-cut.ts'
import { type AnswerReading, openTranslation } from '../exchange/translation.ts'

/** What a route needs to answer one request. */
export interface RouteContext {
  readonly request: IncomingMessage
  readonly client: ClientAnswer
  readonly config: GatewayConfig
  readonly upstreams: Upstreams
  /** Undefined where exchanges are not recorded. */
  readonly recorder: Recorder | undefined
  readonly log: RequestLog
  readonly arrival: Arrival
  /** What answers held, for clients that name it. Undefined where nothing is kept. */
  readonly items?: ItemCache | undefined
}

/** A request whose body is still to be read. */
export interface Arrival {
  /** Its part of the memory for bodies. */
  readonly share: BodyShare
  /** The client waits for a sign that its body is wanted. */
  readonly awaitsContinue: boolean
  /** The body is there, and the request takes its place among those under way. Or there is none. */
  takePlace(): Refusal | null
}

/**
 * A request for an answer: makes the exchange that will answer it, for the caller to start. Resolves to undefined
 * where the request was refused.
 */
export async function openExchange(context: RouteContext): Promise<Exchange | undefined> {
  const { client, config, log, upstreams } = context
  const { requestId, dialect } = client
  const asked = askedAt(context.request.url ?? '')
  const recording = context.recorder?.open({ requestId, dialect, asked })
  if (recording !== undefined) tapResponse(client.response, recording)
  const read = await readRequest(context, recording)
  if (read === undefined) return undefined
  const { request: decoded, received } = read
  const route = matchModel(config, decoded.model)
  if (route === undefined) {
    client.refuse(modelNotFound(decoded.model))
    return undefined
  }
  const upstream = await upstreams.resolve(route.upstream)
  const { threadField } = dialects[client.dialect].request
  if (
    threadField !== null &&
    upstream.dialect !== client.dialect &&
    decoded.extra[threadField] !== undefined
  ) {
    client.refuse(noThreads(threadField))
    return undefined
  }
  if (refuseServerTools(context, decoded, route, upstream)) return undefined
  // Questions about the upstream come after the answer, so that they are never in the way of a request.
  client.response.on('close', () => upstreams.refresh(upstream, route.model))
  const onParser = log.parserOpened.bind(log)
  const clientHeaders = context.request.headers
  const negotiation = new Negotiation({
    request: decoded,
    plan: (request, lesson) => {
      const known = upstreams.about(upstream, route.model)
      const planned = { received, clientHeaders, onParser, known: withLesson(known, lesson) }
      return planRequest(request, client.dialect, route, upstream, config, planned)
    },
    learn: (lesson, lasting) => upstreams.learn(upstream, route.model, lesson, lasting),
    now: nowInSeconds,
    onPlan: (plan) => log.plan(plan),
    onSecondThought: (reason) => log.secondThought(reason),
  })
  const tooLong = tooLongForSilence(decoded, negotiation.plan)
  if (tooLong !== null) {
    if (decoded.stream) client.refuseStream({ failure: tooLong })
    else client.refuse({ failure: tooLong })
    return undefined
  }
  log.judgeUsage = (usage) => {
    const { known } = negotiation.plan
    if (known.server?.tooLong !== 'silence') {
      upstreams.measure(upstream, route.model, estimateTokens(decoded), tokensRead(usage))
    }
    return silentCut(decoded, negotiation.plan, usage)
  }
  return exchangeFor(context, decoded, negotiation, recording)
}

/**
 * Answers in the place of an upstream that cannot run the only tools of a request. Asked all the same, a model would make
 * up what a search would have found.
 */
function refuseServerTools(
  { client, config, log, upstreams }: RouteContext,
  request: ConversationRequest,
  route: ModelRoute,
  upstream: Upstream,
): boolean {
  const { serverTools } = dialects[client.dialect]
  const refused = serverTools?.refuse(request, { id: newAnswerId() }) ?? null
  if (serverTools === undefined || refused === null) return false
  const { server } = upstreams.about(upstream, route.model)
  const { signatures } = styleOf(request, route, upstream, config, server)
  const isVendor = server?.runsServerTools === true || signatures === 'checked' || signatures === undefined
  if (upstream.dialect === client.dialect && (serverTools.runBy === 'anyone' || isVendor)) return false
  const reason = 'Nobody runs it for this model; the client was told so, and no upstream was asked.'
  log.notes(refused.tools.map((type) => ({ kind: 'dropped', field: `tools (${type})`, reason })))
  if (refused.is === 'failure') {
    client.refuse({ failure: refused.failure })
    return true
  }
  log.firstByte()
  log.finished('stop')
  if (request.stream) client.endStream(refused.text)
  else client.sendWhole(refused.text)
  return true
}

/** A longer name is no model's. It would stand in the log and in every error about it. */
const LONGEST_MODEL = 256

/** Reads and decodes the request. Where that fails, the client is told why and the result is undefined. */
export async function readRequest(
  context: RouteContext,
  recording?: OpenRecording,
): Promise<{ readonly request: ConversationRequest; readonly received: ReceivedBody } | undefined> {
  const { request, client, config, log, arrival } = context
  const { bodyBytes, jsonDepth, jsonValues } = config.limits
  const { share } = arrival
  if (arrival.awaitsContinue && Number(request.headers['content-length'] ?? '0') <= bodyBytes) {
    client.response.writeContinue()
  }
  const body = await readBody(request, { limit: bodyBytes, longest: config.timeouts.clientBody, share })
  if (body.is === 'gone') return undefined
  if (body.is === 'late') {
    client.refuse(lateBody)
    return undefined
  }
  if (body.is === 'no-room') {
    client.refuse(noRoomForBody)
    return undefined
  }
  if (body.is === 'too-large') {
    client.refuse({
      failure: failure('too-large', 'request_too_large', `The body is larger than ${bodyBytes} bytes.`),
    })
    return undefined
  }
  const crowded = arrival.takePlace()
  if (crowded !== null) {
    client.refuse(crowded)
    return undefined
  }
  log.received(body.bytes.length, config.warnings.conversationBytes)
  const bytes = withoutByteOrderMark(body.bytes)
  const text = bytes.toString('utf8')
  recording?.clientRequest(text)
  const json = parseBody(text, { depth: jsonDepth, values: jsonValues })
  if (json.is === 'invalid') {
    client.refuse({ failure: failure('invalid-request', 'invalid_json', json.message) })
    return undefined
  }
  const { request: requests } = dialects[client.dialect]
  const decoded = requests.decode(withNamedItems(json.value, context), askedAt(request.url ?? ''))
  if ('error' in decoded) {
    const { field, message, code } = decoded.error
    const unnamed = failure('invalid-request', 'invalid_request', message)
    const wrong = code === undefined ? unnamed : { ...unnamed, code }
    client.refuse({ failure: field === 'body' ? wrong : { ...wrong, field } })
    return undefined
  }
  if (decoded.request.model.length > LONGEST_MODEL) {
    const message = `The name of the model is longer than ${LONGEST_MODEL} characters.`
    client.refuse({ failure: { ...failure('invalid-request', 'invalid_request', message), field: 'model' } })
    return undefined
  }
  log.model = decoded.request.model
  log.notes(decoded.notes)
  const [orphan] = config.strictHistory ? responsesWithoutCall(decoded.request.contents) : []
  if (orphan !== undefined) {
    const message = `There is a tool result for "${orphan.callId}", but no call with this id.`
    client.refuse({
      failure: { ...failure('invalid-request', 'unknown_tool_call', message), field: 'messages' },
    })
    return undefined
  }
  return { request: decoded.request, received: { bytes, json: json.value } }
}

/** The body with what the client names in it, as far as it is kept. */
function withNamedItems(body: unknown, { client, items, log }: RouteContext): unknown {
  const { references } = dialects[client.dialect].request
  if (items === undefined || references === undefined) return body
  return references.resolve(body, (id) => items.find(log.key, id))
}

function exchangeFor(
  context: RouteContext,
  request: ConversationRequest,
  negotiation: Negotiation,
  recording: OpenRecording | undefined,
): Exchange {
  const { config, client, upstreams, log } = context
  return new Exchange({
    client,
    observer: log,
    finishGrace: negotiation.plan.route.timeouts.finishGrace,
    ping: config.timeouts.ping,
    clientStall: config.timeouts.clientStall,
    responseBytes: config.limits.responseBytes,
    wants: request.stream ? 'stream' : 'whole',
    callUpstream: (listener, connection) => {
      recording?.upstreamRequest(negotiation.plan)
      const told = config.keys.length === 0 ? listener : withoutAddress(listener)
      const heard = recording === undefined ? told : tapUpstream(told, recording)
      return upstreams.call(negotiation.plan, heard, connection)
    },
    reconsider: (refused) => negotiation.reconsider(refused),
    failedLate: (late) => negotiation.failedLate(late),
    open: (delivered) => {
      const translation = openTranslation(readingFor(context, request, negotiation.plan), delivered)
      return withItemsKept(translation, request, context)
    },
  })
}

function withItemsKept(
  translation: AnswerTranslation,
  { stream }: ConversationRequest,
  { client, items, log }: RouteContext,
): AnswerTranslation {
  if (items === undefined || dialects[client.dialect].request.references === undefined) return translation
  return keepingPieces(translation, client.dialect, stream ? 'stream' : 'whole', (id, piece) =>
    items.keep(log.key, id, piece),
  )
}

function readingFor(
  { client, config, log }: RouteContext,
  request: ConversationRequest,
  plan: Plan,
): AnswerReading {
  const { dialect, redact } = client
  return {
    plan,
    request,
    clientDialect: dialect,
    askedIn: dialect,
    newId: newAnswerId,
    created: nowInSeconds(),
    mint: (format, taken) => {
      if (format !== 'std') log.callRead(format)
      return mintToolId({ dialect, format, taken, newId: randomName })
    },
    maxEventBytes: config.limits.lineBytes,
    watcher: log,
    redact,
  }
}

/** Node keeps random bytes for these in store; for others it asks the system each time. */
function newAnswerId(): string {
  return randomUUID().replaceAll('-', '')
}

function nowInSeconds(): number {
  return Math.floor(Date.now() / 1000)
}

function randomName(): string {
  return randomBytes(9).toString('base64url').replaceAll(/[-_]/g, '')
}

/**
 * With a thread, a client leaves the conversation with the server and sends only what is new. The gateway keeps no
 * conversations. This error makes the SDK send the whole conversation.
 */
function noThreads(field: string): Refusal {
  return {
    failure: {
      kind: 'invalid-request',
      code: 'thread_unsupported_request',
      message: 'The gateway keeps no threads: send the whole conversation.',
      details: { error_code: 'thread_unsupported_request', unsupported: [field] },
    },
  }
}

function failure(kind: Failure['kind'], code: string, message: string): Failure {
  return { kind, code, message }
}
