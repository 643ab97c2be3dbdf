import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import {
  type ConversationRequest,
  detectFormat,
  detectModel,
  type DialectId,
  dialects,
  type FormatId,
  formats as records,
  formatTagOf,
  type ParserOptions,
  type RequestNote,
  serverAt,
  takesOf,
  type ToolNames,
  withToolsInPrompt,
} from '@dragoman/core'
import { sameJson } from '../base/json-body.ts'
import type { GatewayConfig, Upstream } from '../config/config.ts'
import type { ModelRoute } from '../config/match-model.ts'
import { answerPath, headersFor, type UpstreamRequest } from '../upstream/upstream-request.ts'
import { expectedCalls } from './expected-calls.ts'
import { modelFormat } from './model-format.ts'

export type FormatSource = 'configuration' | 'dialect' | 'model name' | 'history' | 'nothing'

/** How one request is carried out: where it goes, what is sent, and how the answer will be read. */
export interface Plan extends UpstreamRequest {
  readonly route: ModelRoute
  readonly upstreamDialect: DialectId
  /** The format in whose style ids and reasoning are sent to the upstream. */
  readonly format: FormatId
  /** What decided the format. */
  readonly formatFrom: FormatSource
  readonly parser: ParserOptions
  readonly toolNames: ToolNames
  readonly notes: readonly RequestNote[]
}

export function planRequest(
  request: ConversationRequest,
  clientDialect: DialectId,
  route: ModelRoute,
  upstream: Upstream,
  config: GatewayConfig,
  { received, clientHeaders, onParser }: PlanContext = {},
): Plan {
  const upstreamDialect = upstream.dialect
  const { request: requests } = dialects[upstreamDialect]
  const { format, formatFrom } = formatFor(request, route, config, upstreamDialect)
  const takes = takesOf(serverAt(upstream.url), route.model)
  const target = {
    model: route.model,
    format,
    sameDialect: clientDialect === upstreamDialect,
    signatures: signaturesAt(route, config),
    foreignReasoning: config.reasoning.foreign,
    demandsReasoning: false,
    billingLine: 'remove' as const,
    ...takes,
    allowedFields: config.keys.length === 0 ? undefined : requests.passedFields,
  }
  const { request: sent, notes } =
    route.tools === 'prompt' ? withToolsInPrompt(request, format) : { request, notes: [] }
  const { body, toolNames, notes: encodingNotes } = requests.encode(sent, target)
  return {
    upstream,
    route,
    upstreamDialect,
    format,
    formatFrom,
    parser: parserOptions(request, toolNames, route, config, onParser),
    toolNames,
    path: answerPath(upstream, route.model, request.stream),
    headers: headersFor(upstream, request.stream, clientHeaders),
    body: bodyOf({ ...body, ...upstream.body }, received, config),
    notes: [...notes, ...encodingNotes],
  }
}

/** A server of an open model cannot check the signatures of others, whatever style of ids its dialect asks for. */
export function signaturesAt({ format, model }: ModelRoute, config: GatewayConfig): 'checked' | 'unchecked' {
  const family = format === 'auto' ? detectFormat(model, config.formats.overrides) : format
  return records.find(({ id }) => id === family)?.template?.signatures ?? 'unchecked'
}

export interface PlanContext {
  readonly received?: ReceivedBody
  /** The headers of the client's request. Those that are meant for the upstream go on. */
  readonly clientHeaders?: IncomingHttpHeaders
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
function bodyOf(body: object, received: ReceivedBody | undefined, { keys }: GatewayConfig): string | Buffer {
  if (received === undefined || keys.length > 0) return JSON.stringify(body)
  // A client may state `"stream": false` or leave it out. Our own body leaves it out.
  const said = wantsNoStream(received.json) ? { ...body, stream: false } : body
  return sameJson(said, received.json) && isUtf8(received.bytes) ? received.bytes : JSON.stringify(body)
}

function wantsNoStream(json: unknown): boolean {
  return typeof json === 'object' && json !== null && 'stream' in json && json.stream === false
}

/** Where nothing tells the format of a model, the newest call of the conversation does. */
function formatFor(
  request: ConversationRequest,
  route: ModelRoute,
  config: GatewayConfig,
  dialect: DialectId,
): Pick<Plan, 'format' | 'formatFrom'> {
  const { format, toldBy } = modelFormat(route, dialect, config)
  if (toldBy !== 'nothing') return { format, formatFrom: toldBy === 'name' ? 'model name' : toldBy }
  const calls = request.contents.flatMap(({ blocks }) => blocks.filter((block) => block.type === 'tool_call'))
  const tag = formatTagOf(calls.at(-1)?.id ?? '')
  return tag === null || tag === 'std'
    ? { format, formatFrom: 'nothing' }
    : { format: tag, formatFrom: 'history' }
}

function parserOptions(
  request: ConversationRequest,
  toolNames: ToolNames,
  route: ModelRoute,
  { formats, limits, delivery }: GatewayConfig,
  onOpen: ParserOptions['onOpen'],
): ParserOptions {
  const detected = detectModel(route.model, formats.overrides)
  const format = route.format === 'auto' && detected.isOverride === true ? detected.format : route.format
  const { calls, tools } = expectedCalls(request, route.tools === 'prompt' ? undefined : toolNames)
  return {
    format,
    model: route.model,
    calls,
    tools,
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
