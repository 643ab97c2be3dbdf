import { isUtf8 } from 'node:buffer'
import {
  type ConversationRequest,
  detectModel,
  type DialectId,
  dialects,
  type ParserOptions,
  type RequestNote,
  type ToolNames,
  withToolsInPrompt,
} from '@dragoman/core'
import { sameJson } from '../base/json-body.ts'
import type { GatewayConfig, Upstream } from '../config/config.ts'
import type { ModelRoute } from '../config/match-model.ts'
import { answerPath, headersFor, type UpstreamRequest } from '../upstream/upstream-request.ts'
import { expectedCalls } from './expected-calls.ts'
import { forcedChoice, habitsOf } from './host-habits.ts'
import { type ModelStyle, styleOf } from './model-style.ts'

/** How one request is carried out: where it goes, what is sent, and how the answer will be read. */
export interface Plan extends UpstreamRequest, Pick<ModelStyle, 'format' | 'formatFrom' | 'family'> {
  readonly route: ModelRoute
  readonly upstreamDialect: DialectId
  readonly parser: ParserOptions
  readonly toolNames: ToolNames
  /** How many tokens the upstream may write, as it was told. */
  readonly maxTokens: number | undefined
  readonly notes: readonly RequestNote[]
}

export function planRequest(
  request: ConversationRequest,
  clientDialect: DialectId,
  route: ModelRoute,
  upstream: Upstream,
  config: GatewayConfig,
  { received, onParser }: PlanContext = {},
): Plan {
  const upstreamDialect = upstream.dialect
  const { request: requests } = dialects[upstreamDialect]
  const { format, formatFrom, family, signatures } = styleOf(request, route, upstream, config)
  const { maxTokensField, fixedSampling, prefill } = habitsOf(upstream, route.model)
  const target = {
    model: route.model,
    format,
    family,
    sameDialect: clientDialect === upstreamDialect,
    signatures,
    foreignReasoning: config.reasoning.foreign,
    forcedToolChoice: forcedChoice(upstream, route.model, request),
    maxTokensField,
    fixedSampling,
    prefill,
    allowedFields: config.keys.length === 0 ? undefined : requests.passedFields,
  }
  const { request: sent, notes } =
    route.tools === 'prompt' ? withToolsInPrompt(request, format) : { request, notes: [] }
  const { body, toolNames, notes: encodingNotes } = requests.encode(sent, target)
  const whole = { ...body, ...upstream.body }
  return {
    upstream,
    route,
    upstreamDialect,
    format,
    formatFrom,
    family,
    parser: parserOptions(request, toolNames, route, config, onParser),
    toolNames,
    maxTokens: requests.maxTokensIn(whole),
    path: answerPath(upstream, route.model, request.stream),
    headers: headersFor(upstream, request.stream),
    body: bodyOf(whole, received, config),
    notes: [...notes, ...encodingNotes],
  }
}

export interface PlanContext {
  readonly received?: ReceivedBody
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
