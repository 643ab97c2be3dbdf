import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import {
  type ConversationRequest,
  detectModel,
  type DialectId,
  dialects,
  type ParserOptions,
  type RequestNote,
  takesOf,
  type ToolNames,
  wishOf,
  withToolsInPrompt,
} from '@dragoman/core'
import { sameJson } from '../base/json-body.ts'
import { LONG_BODY } from '../base/read-long-json.ts'
import { LongJson } from '../base/write-long-json.ts'
import type { GatewayConfig, Upstream } from '../config/config.ts'
import type { ModelRoute } from '../config/match-model.ts'
import type { Known } from '../upstream/known-upstream.ts'
import { answerPath, headersFor, type UpstreamRequest } from '../upstream/upstream-request.ts'
import { callsAt, type ExpectedCalls, parsedCalls } from './expected-calls.ts'
import { fitOutput } from './fit.ts'
import { type ModelStyle, styleOf } from './model-style.ts'
import { sessionFields } from './session-key.ts'

/** How one request is carried out: where it goes, what is sent, and how the answer will be read. */
export interface Plan
  extends Omit<UpstreamRequest, 'body'>, Pick<ModelStyle, 'format' | 'formatFrom' | 'family'> {
  /** A long one is written when it is sent. */
  readonly body: UpstreamRequest['body'] | LongJson
  readonly route: ModelRoute
  readonly upstreamDialect: DialectId
  readonly parser: ParserOptions
  readonly toolNames: ToolNames
  /** How many tokens the upstream may write, as it was told. */
  readonly maxTokens: number | undefined
  readonly notes: readonly RequestNote[]
  /** What was known of the upstream when the plan was made. */
  readonly known: Known
  /** The name of the model that a client of the upstream's own dialect is told. Left out: what the upstream calls it. */
  readonly clientModel?: string
}

export function planRequest(
  asked: ConversationRequest,
  clientDialect: DialectId,
  route: ModelRoute,
  upstream: Upstream,
  config: GatewayConfig,
  { received, clientHeaders, onParser, clientModel, known = nothingKnown }: PlanContext = {},
): Plan {
  const request = withThinking(asked, route)
  const upstreamDialect = upstream.dialect
  const { request: requests } = dialects[upstreamDialect]
  const { server } = known
  const { format, formatFrom, family, signatures } = styleOf(request, route, upstream, config, server)
  const calls = callsAt(route, upstream, known)
  const target = {
    format,
    family,
    sameDialect: clientDialect === upstreamDialect,
    foreignReasoning: config.reasoning.foreign,
    allowedFields: config.keys.length === 0 ? undefined : requests.passedFields,
    ...(request === asked ? {} : { thinkingSetBy: 'user' as const }),
    ...targetFor(route, known, calls),
    signatures: known.server?.takes.signatures ?? signatures,
  }
  const fitted = fitOutput(request, route, known, received?.bytes.length)
  const { request: sent, notes } =
    calls.are === 'in the prompt'
      ? withToolsInPrompt(fitted.request, calls.format)
      : { request: fitted.request, notes: [] }
  const { body, toolNames, notes: encodingNotes } = requests.encode(sent, target)
  const session = sessionFields(server, request, clientHeaders, upstream.sessionHeader)
  const whole = { ...session.body, ...body, ...upstream.body }
  return {
    upstream,
    route,
    upstreamDialect,
    format,
    formatFrom,
    family,
    parser: parserOptions(request, toolNames, route, config, calls, onParser),
    toolNames,
    maxTokens: requests.maxTokensIn(whole),
    path: answerPath(upstream, route.model, request.stream),
    headers: { ...session.headers, ...headersFor(upstream, request.stream, server, clientHeaders) },
    body: bodyOf(whole, received, config),
    notes: [...fitted.notes, ...notes, ...encodingNotes],
    known,
    ...(clientModel === undefined ? {} : { clientModel }),
  }
}

/** What an encoder has to know of this server and of this model there. */
function targetFor({ model }: ModelRoute, { server, version, facts, lesson }: Known, calls: ExpectedCalls) {
  return {
    model,
    // An unknown server may be that of the vendor, who demands it.
    ...(server === undefined ? {} : { demandsReasoning: false }),
    billingLine: 'remove' as const,
    ...(facts.images === false ? { images: false } : {}),
    ...takesOf(server, model, version),
    ...(facts.thinking === undefined ? {} : { thinks: facts.thinking }),
    ...(lesson.refusedFields === undefined ? {} : { withoutFields: lesson.refusedFields }),
    ...(lesson.demandsReasoning === true ? { demandsReasoning: true } : {}),
    ...(lesson.refusesForcedCalls === true ? askedInWords : {}),
    ...(calls.are === 'in text' ? { callsInText: calls.fields, ...askedInWords } : {}),
  }
}

/** Nothing forces the model. It is asked for the call, and a tool that it must call is the only one that it knows. */
const askedInWords = { forcedToolChoice: 'nudge', namedToolChoice: 'alone' } as const

/** What the configuration says of thinking takes the place of what the client asks for. */
function withThinking(request: ConversationRequest, { thinking }: ModelRoute): ConversationRequest {
  const wish = wishOf(thinking)
  return wish === undefined ? request : { ...request, reasoning: wish }
}

const nothingKnown: Known = { server: undefined, version: undefined, facts: {}, lesson: {}, scale: undefined }

export interface PlanContext {
  readonly received?: ReceivedBody
  /** The headers of the client's request. Those that are meant for the upstream go on. */
  readonly clientHeaders?: IncomingHttpHeaders
  /** What is known of the upstream and the model. */
  readonly known?: Known
  /** The name of the model that the client is told, whoever answers. */
  readonly clientModel?: string | undefined
  /** Is called with each parser that reads a part of the answer. */
  readonly onParser?: ParserOptions['onOpen']
}

/** The body of a request as the client sent it, and its JSON. */
export interface ReceivedBody {
  readonly bytes: Buffer
  readonly json: unknown
}

/**
 * Of two equal keys in an object we read the last one, and an upstream may read the first. So the bytes of callers
 * with keys, who are not trusted, are never passed on unchanged.
 */
function bodyOf(body: object, received: ReceivedBody | undefined, { keys }: GatewayConfig): Plan['body'] {
  if (received === undefined) return JSON.stringify(body)
  if (keys.length > 0) return written(body, received)
  // A client may state `"stream": false` or leave it out. Our own body leaves it out.
  const said = wantsNoStream(received.json) ? { ...body, stream: false } : body
  return sameJson(said, received.json) && isUtf8(received.bytes) ? received.bytes : written(body, received)
}

function written(body: object, { bytes }: ReceivedBody): Plan['body'] {
  return bytes.length < LONG_BODY ? JSON.stringify(body) : new LongJson(body)
}

/** Whether two bodies ask the same. */
export function sameBody(a: Plan['body'], b: Plan['body']): boolean {
  if (a instanceof LongJson && b instanceof LongJson) return sameJson(a.value, b.value)
  return !(a instanceof LongJson || b instanceof LongJson) && String(a) === String(b)
}

function wantsNoStream(json: unknown): boolean {
  return typeof json === 'object' && json !== null && 'stream' in json && json.stream === false
}

function parserOptions(
  request: ConversationRequest,
  toolNames: ToolNames,
  route: ModelRoute,
  { formats, limits, delivery }: GatewayConfig,
  expected: ExpectedCalls,
  onOpen: ParserOptions['onOpen'],
): ParserOptions {
  const detected = detectModel(route.model, formats.overrides)
  const format = route.format === 'auto' && detected.isOverride === true ? detected.format : route.format
  const isPrompted = expected.are === 'in the prompt'
  const parsed = parsedCalls(request, isPrompted ? undefined : toolNames)
  return {
    // A model that was told in its prompt how to write calls may write them so, whatever its own format is.
    format: isPrompted && format !== expected.format ? 'auto' : format,
    model: route.model,
    ...parsed,
    delivery,
    limits: {
      toolCallBytes: limits.toolCallBytes,
      byFormat: formats.toolCallBytes,
      overflow: limits.overflow,
    },
    promptOpensReasoning: route.startsInReasoning ?? undefined,
    markers: Object.keys(formats.markers).length === 0 ? undefined : formats.markers,
    onOpen,
  }
}
