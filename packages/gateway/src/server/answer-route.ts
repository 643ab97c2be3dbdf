import { randomBytes, randomUUID } from 'node:crypto'
import {
  type AnswerTranslation,
  type AnswerWatcher,
  type ConversationRequest,
  dialects,
  mintToolId,
  type Usage,
} from '@dragoman/core'
import { breathe } from '../base/in-turns.ts'
import { LONG_BODY } from '../base/read-long-json.ts'
import type { ModelRule } from '../config/config.ts'
import { routesOf, ruleFor } from '../config/match-model.ts'
import type { OpenRecording } from '../recorder/exchange-recording.ts'
import { tapResponse, tapUpstream } from '../recorder/tap.ts'
import { Attempts } from '../exchange/attempts.ts'
import { Exchange } from '../exchange/exchange.ts'
import { keepingPieces } from '../exchange/kept-pieces.ts'
import { mayUse } from '../quotas/models-of-key.ts'
import { everyoneOut, modelNotForKey, modelNotFound } from './refusals.ts'
import { type ReadRequest, readRequest } from './read-request.ts'
import type { RouteContext } from './route-context.ts'
import type { RequestLog } from './request-log.ts'
import { askedAt } from './route-table.ts'
import type { Place } from '../routing/routing.ts'
import { withoutAddress } from '../upstream/upstream-failures.ts'
import { Negotiation } from '../exchange/negotiation.ts'
import { type Plan, planRequest } from '../exchange/plan.ts'
import { callWhenWritten, type WrittenPlan } from '../exchange/written-plan.ts'
import { internalFailure } from '../base/refusal.ts'
import type { UpstreamCall } from '../upstream/client.ts'
import { withLesson } from '../upstream/known-upstream.ts'
import { estimateTokens } from '../exchange/estimate-tokens.ts'
import { conversationKey } from '../exchange/session-key.ts'
import { silentCut, tokensRead } from '../exchange/silent-cut.ts'
import { type AnswerReading, openTranslation } from '../exchange/translation.ts'
import { obstacleAt, obstacleIn } from './obstacles.ts'

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
  if (read.received.bytes.length >= LONG_BODY) await breathe()
  const rule = ruleFor(request.model, config)
  if (rule === undefined || !mayUse(context.key, request.model)) {
    client.refuse(rule === undefined ? modelNotFound(request.model) : modelNotForKey(request.model))
    return undefined
  }
  if (!(await isAdmitted(request, rule, context))) return undefined
  const places = await placesOf(rule, request.model, context)
  const key = (): string => conversationKey(request, context.request.headers)
  const itinerary = routing.itinerary(places, config.routing, key)
  const place = itinerary.next()
  if (place === undefined) {
    const refusal = everyoneOut(itinerary)
    if (request.stream) client.refuseStream(refusal)
    else client.refuse(refusal)
    return undefined
  }
  // Which model answers may change from one request to the next. The client is told the name that it knows.
  const clientModel = rule.order === null ? undefined : request.model
  const planned = { request, received: read.received, clientModel }
  const obstacle = obstacleAt(place, request, context, newAnswerId)
  const negotiation = obstacle === null ? negotiationAt(place, planned, context) : undefined
  const tooLong = negotiation === undefined ? null : obstacleIn(negotiation.plan, request, context)
  if (negotiation === undefined || tooLong !== null) {
    ;(obstacle ?? tooLong)?.()
    return undefined
  }
  const attempts = new Attempts({
    itinerary,
    first: { stop: itinerary.enter(place), negotiation },
    plan: (next) => fittingNegotiation(next, planned, context),
    observer: log,
    now,
    today: Date.now,
  })
  watch(attempts, request, context)
  return exchangeFor(context, request, attempts, recording)
}

/** Whether the key may ask now. If not, the client has been told. */
async function isAdmitted(
  request: ConversationRequest,
  rule: ModelRule,
  { client, config, key, log, quotas }: RouteContext,
): Promise<boolean> {
  const { accounting } = config
  if (quotas === undefined || accounting === undefined) return true
  const { dialect, requestId: id } = client
  const model = rule.model ?? request.model
  const tokens = estimateTokens(request)
  const admission = await quotas.admit({ id, key, model, tokens, dialect }, accounting)
  if (admission.is === 'admitted') {
    client.setOwnLimits(admission.headers)
    log.admitted(admission.ticket)
    return true
  }
  if (request.stream) client.refuseStream(admission.refusal)
  else client.refuse(admission.refusal)
  return false
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

interface PlannedRequest extends ReadRequest {
  /** The name of the model that the client is told, whoever answers. */
  readonly clientModel: string | undefined
}

/** The request, planned for one place. */
function negotiationAt(
  { route, upstream }: Place,
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
  place: Place,
  read: PlannedRequest,
  context: RouteContext,
): Negotiation | undefined {
  if (obstacleAt(place, read.request, context, newAnswerId) !== null) return undefined
  const negotiation = negotiationAt(place, read, context)
  return obstacleIn(negotiation.plan, read.request, context) === null ? negotiation : undefined
}

/** What is learned of upstreams from the request once it is over. */
function watch(attempts: Attempts, request: ConversationRequest, context: RouteContext): void {
  const { client, log, upstreams } = context
  // A client that left while its request was read is heard of no more. Its request would count as under way for good.
  if (client.response.closed) attempts.over()
  client.response.on('close', () => {
    attempts.over()
    // Questions about the upstream come after the answer, so that they are never in the way of a request.
    const { upstream, route } = attempts.current.stop
    upstreams.refresh(upstream, route.model)
  })
  log.judgeUsage = usageJudge(attempts, request, context)
}

function usageJudge(
  attempts: Attempts,
  request: ConversationRequest,
  { upstreams }: RouteContext,
): (usage: Usage) => string | undefined {
  return (usage) => {
    const { stop, negotiation } = attempts.current
    if (negotiation.plan.known.server?.tooLong !== 'silence') {
      upstreams.measure(stop.upstream, stop.route.model, () => estimateTokens(request), tokensRead(usage))
    }
    return silentCut(request, negotiation.plan, usage)
  }
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
    finishGrace: () => attempts.current.stop.route.timeouts.finishGrace,
    ping: config.timeouts.ping,
    clientStall: config.timeouts.clientStall,
    responseBytes: config.limits.responseBytes,
    wants: request.stream ? 'stream' : 'whole',
    ...(isNamed && { upstreamName: () => attempts.upstreamName }),
    callUpstream: (listener, connection) => {
      const call = (plan: WrittenPlan): UpstreamCall => {
        recording?.upstreamRequest(plan)
        log.shown?.upstreamRequest(plan)
        const told = config.keys.length === 0 ? listener : withoutAddress(listener)
        const heard = recording === undefined ? told : tapUpstream(told, recording)
        return log.calling(plan, heard, (sent, listening) => upstreams.call(sent, listening, connection))
      }
      return callWhenWritten(attempts.current.negotiation.plan, call, (error) => {
        log.bug(error)
        client.refuse({ failure: internalFailure })
      })
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
    watcher: said === undefined && !log.isAccounted ? log : overheard(log, request, said),
    redact,
  }
}

/** Tells the log what it wants to know of an answer, and beside it that the answer says something. */
function overheard(
  log: RequestLog,
  { stopSequences }: ConversationRequest,
  said: (() => void) | undefined,
): AnswerWatcher {
  return {
    started: (answer) => log.started(answer),
    said: (characters) => {
      log.wrote(characters)
      said?.()
    },
    call: (name) => log.call(name),
    callEnded: () => log.callEnded(),
    problem: (code, message) => log.problem(code, message),
    repair: (code, message) => log.repair(code, message),
    usage: (usage) => log.usage(usage),
    finished: (reason) => {
      log.finished(reason)
      // A filter, a limit or a word at which to stop may leave nothing of an answer. That is what was asked for.
      if (reason !== 'stop' || stopSequences.length > 0) said?.()
    },
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
