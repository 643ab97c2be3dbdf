import { randomBytes, randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import {
  type AnswerTranslation,
  type AnswerWatcher,
  type ConversationRequest,
  dialects,
  type Failure,
  mintToolId,
  responsesWithoutCall,
} from '@dragoman/core'
import type { GatewayConfig, ModelRule } from '../config/config.ts'
import { routesOf, ruleFor } from '../config/match-model.ts'
import type { BodyShare } from '../base/body-budget.ts'
import type { Refusal } from '../base/refusal.ts'
import { parseBody, withoutByteOrderMark } from '../base/json-body.ts'
import { readBody } from '../base/read-body.ts'
import type { LiveExchanges } from '../inspection/live-exchanges.ts'
import type { OpenRecording } from '../recorder/exchange-recording.ts'
import type { Recorder } from '../recorder/recorder.ts'
import { tapResponse, tapUpstream } from '../recorder/tap.ts'
import { Attempts } from '../exchange/attempts.ts'
import type { ClientAnswer } from '../exchange/client-answer.ts'
import { Exchange } from '../exchange/exchange.ts'
import type { ItemCache } from '../exchange/item-cache.ts'
import { keepingPieces } from '../exchange/kept-pieces.ts'
import { everyoneOut, lateBody, modelNotFound, noRoomForBody } from './refusals.ts'
import type { RequestLog } from './request-log.ts'
import { askedAt } from './route-table.ts'
import type { Place, Routing, Stop } from '../routing/routing.ts'
import { withoutAddress } from '../upstream/upstream-failures.ts'
import type { Upstreams } from '../upstream/upstreams.ts'
import { Negotiation } from '../exchange/negotiation.ts'
import { type ReceivedBody, type Plan, planRequest } from '../exchange/plan.ts'
import { withLesson } from '../upstream/known-upstream.ts'
import { estimateTokens } from '../exchange/estimate-tokens.ts'
import { conversationKey } from '../exchange/session-key.ts'
import { silentCut, tokensRead } from '../exchange/silent-cut.ts'
import { type AnswerReading, openTranslation } from '../exchange/translation.ts'
import { obstacleAt, obstacleIn } from './obstacles.ts'

/** What a route needs to answer one request. */
export interface RouteContext {
  readonly request: IncomingMessage
  readonly client: ClientAnswer
  readonly config: GatewayConfig
  readonly upstreams: Upstreams
  /** What this process has found of its upstreams. */
  readonly routing: Routing
  readonly now: () => number
  /** Undefined where exchanges are not recorded. */
  readonly recorder: Recorder | undefined
  /** The memory of the inspector. Undefined where nobody may look. */
  readonly live?: Pick<LiveExchanges, 'open'> | undefined
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
  const { client, config, log, routing, now } = context
  const { requestId, dialect } = client
  const asked = askedAt(context.request.url ?? '')
  const userAgent = context.request.headers['user-agent']
  log.shown = context.live?.open({ requestId, dialect, asked, userAgent })
  const recording = context.recorder?.open({ requestId, dialect, asked })
  if (recording !== undefined) tapResponse(client.response, recording)
  const read = await readRequest(context, recording)
  if (read === undefined) return undefined
  const { request } = read
  const rule = ruleFor(request.model, config)
  if (rule === undefined) {
    client.refuse(modelNotFound(request.model))
    return undefined
  }
  const places = await placesOf(rule, request.model, context)
  const key = (): string => conversationKey(request, context.request.headers)
  const itinerary = routing.itinerary(places, config.routing, key)
  const stop = itinerary.next()
  if (stop === undefined) {
    client.refuse(everyoneOut(itinerary))
    return undefined
  }
  // Which model answers may change from one request to the next. The client is told the name that it knows.
  const planned = { ...read, clientModel: rule.order === null ? undefined : request.model }
  const obstacle = obstacleAt(stop, request, context, newAnswerId)
  const negotiation = obstacle === null ? negotiationAt(stop, planned, context) : undefined
  const tooLong = negotiation === undefined ? null : obstacleIn(negotiation.plan, request, context)
  if (negotiation === undefined || tooLong !== null) {
    stop.visit.over()
    ;(obstacle ?? tooLong)?.()
    return undefined
  }
  const attempts = new Attempts({
    itinerary,
    first: { stop, negotiation },
    plan: (next) => fittingNegotiation(next, planned, context),
    observer: log,
    now,
    today: Date.now,
  })
  watch(attempts, request, context)
  return exchangeFor(context, request, attempts, recording)
}

/** Everywhere that requests of a rule may go. */
async function placesOf(
  rule: ModelRule,
  name: string,
  { config, upstreams }: RouteContext,
): Promise<Place[][]> {
  const simulator = config.upstreams === 'simulator' ? await upstreams.resolve('simulator') : undefined
  return routesOf(rule, name, config).map((pool) =>
    pool.flatMap((route) => {
      const upstream = route.upstream === 'simulator' ? simulator : route.upstream
      return upstream === undefined ? [] : [{ route, upstream }]
    }),
  )
}

/** A request that was read. */
interface ReadRequest {
  readonly request: ConversationRequest
  readonly received: ReceivedBody
}

interface PlannedRequest extends ReadRequest {
  /** The name of the model that the client is told, whoever answers. */
  readonly clientModel: string | undefined
}

/** The request, planned for one place. */
function negotiationAt(
  { route, upstream }: Stop,
  { request, received, clientModel }: PlannedRequest,
  context: RouteContext,
): Negotiation {
  const { client, config, log, upstreams } = context
  const onParser = log.parserOpened.bind(log)
  const clientHeaders = context.request.headers
  return new Negotiation({
    request,
    plan: (asked, lesson) => {
      const known = upstreams.about(upstream, route.model)
      const told = { received, clientHeaders, onParser, clientModel, known: withLesson(known, lesson) }
      return planRequest(asked, client.dialect, route, upstream, config, told)
    },
    learn: (lesson, lasting) => upstreams.learn(upstream, route.model, lesson, lasting),
    now: nowInSeconds,
    onPlan: (plan) => log.plan(plan),
    onSecondThought: (reason) => log.secondThought(reason),
  })
}

/** The same for a place to fall back on; undefined where it cannot take the request. */
function fittingNegotiation(
  stop: Stop,
  read: PlannedRequest,
  context: RouteContext,
): Negotiation | undefined {
  if (obstacleAt(stop, read.request, context, newAnswerId) !== null) return undefined
  const negotiation = negotiationAt(stop, read, context)
  return obstacleIn(negotiation.plan, read.request, context) === null ? negotiation : undefined
}

/** What is learned of upstreams from the request once it is over. */
function watch(
  attempts: Attempts,
  request: ConversationRequest,
  { client, log, upstreams }: RouteContext,
): void {
  // A client that left while its request was read is heard of no more. Its request would count as under way for good.
  if (client.response.closed) attempts.over()
  client.response.on('close', () => {
    attempts.over()
    // Questions about the upstream come after the answer, so that they are never in the way of a request.
    const { upstream, route } = attempts.current.stop
    upstreams.refresh(upstream, route.model)
  })
  log.judgeUsage = (usage) => {
    const { stop, negotiation } = attempts.current
    if (negotiation.plan.known.server?.tooLong !== 'silence') {
      upstreams.measure(stop.upstream, stop.route.model, estimateTokens(request), tokensRead(usage))
    }
    return silentCut(request, negotiation.plan, usage)
  }
}

/** A longer name is no model's. It would stand in the log and in every error about it. */
const LONGEST_MODEL = 256

/** Reads and decodes the request. Where that fails, the client is told why and the result is undefined. */
export async function readRequest(
  context: RouteContext,
  recording?: OpenRecording,
): Promise<ReadRequest | undefined> {
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
  recording?.clientRequest(bytes)
  log.shown?.clientRequest(bytes)
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
  log.asked(decoded.request)
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
  attempts: Attempts,
  recording: OpenRecording | undefined,
): Exchange {
  const { config, client, upstreams, log } = context
  const { upstreams: configured } = config
  const isNamed = configured !== 'simulator' && configured.size > 1
  return new Exchange({
    client,
    observer: log,
    get finishGrace() {
      return attempts.current.stop.route.timeouts.finishGrace
    },
    ping: config.timeouts.ping,
    clientStall: config.timeouts.clientStall,
    responseBytes: config.limits.responseBytes,
    wants: request.stream ? 'stream' : 'whole',
    ...(isNamed && { upstreamName: () => attempts.upstreamName }),
    callUpstream: (listener, connection) => {
      const { plan } = attempts.current.negotiation
      recording?.upstreamRequest(plan)
      log.shown?.upstreamRequest(plan)
      const told = config.keys.length === 0 ? listener : withoutAddress(listener)
      const heard = recording === undefined ? told : tapUpstream(told, recording)
      return log.calling(plan, heard, (sent, listening) => upstreams.call(sent, listening, connection))
    },
    reconsider: (refused) => attempts.current.negotiation.reconsider(refused),
    elsewhere: attempts,
    failedLate: (late) => attempts.failedLate(late),
    open: (delivered, said) => {
      const { plan } = attempts.current.negotiation
      const reading = readingFor(context, request, plan, said)
      return withItemsKept(openTranslation(reading, delivered), request, context)
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
  said: (() => void) | undefined,
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
    watcher: said === undefined ? log : overheard(log, said),
    redact,
  }
}

/** Tells the log what it wants to know of an answer, and beside it that the answer says something. */
function overheard(log: RequestLog, said: () => void): AnswerWatcher {
  return {
    said,
    started: (answer) => log.started(answer),
    call: (name) => log.call(name),
    callEnded: () => log.callEnded(),
    problem: (code, message) => log.problem(code, message),
    repair: (code, message) => log.repair(code, message),
    usage: (usage) => log.usage(usage),
    finished: (reason) => log.finished(reason),
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

function failure(kind: Failure['kind'], code: string, message: string): Failure {
  return { kind, code, message }
}
