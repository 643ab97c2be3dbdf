import {
  type Block,
  type ConversationRequest,
  type FormatId,
  formatOfCallId,
  formats as records,
  type Server,
} from '@dragoman/core'
import type { GatewayConfig, Upstream } from '../config/config.ts'
import type { ModelRoute } from '../config/match-model.ts'
import { modelFormat, namedFormat } from './model-format.ts'

type FormatSource = 'configuration' | 'dialect' | 'model name' | 'history' | 'nothing'

/** What is known of the model that will answer, as far as it decides how a conversation is written for it. */
export interface ModelStyle {
  /** The format in whose style ids and reasoning are sent to the upstream. */
  readonly format: FormatId
  /** What decided the format. */
  readonly formatFrom: FormatSource
  /** The family of the model, also where the dialect decides the format. Undefined where nothing tells it. */
  readonly family: FormatId | undefined
  /** Whether the upstream refuses reasoning that it did not sign. Undefined where the dialect decides. */
  readonly signatures: 'checked' | 'unchecked' | 'unknown' | undefined
}

/** Where nothing else tells the format of a model, the newest call of the conversation does. */
export function styleOf(
  request: ConversationRequest,
  route: ModelRoute,
  upstream: Upstream,
  config: GatewayConfig,
  server: Server | undefined,
): ModelStyle {
  const { format, toldBy } = modelFormat(route, upstream.dialect, config)
  const named = namedFormat(route, config)
  const remembered = formatInHistory(request)
  const family = named ?? remembered ?? undefined
  const signatures = named === null ? signaturesAt(server, route.model) : templateOf(named).signatures
  const mayBeOpen = named === null && (signatures === 'unknown' || signatures === 'unchecked')
  const isShown = toldBy === 'nothing' || (mayBeOpen && makesIds(remembered))
  if (isShown && remembered !== null) {
    return { format: remembered, formatFrom: 'history', family, signatures }
  }
  return { format, formatFrom: toldBy === 'name' ? 'model name' : toldBy, family, signatures }
}

/** What the id of the newest call tells. An earlier one may be of another model, with which the conversation began. */
function formatInHistory({ contents }: ConversationRequest): FormatId | null {
  const newest = contents
    .findLast(({ blocks }) => blocks.some(isCall))
    ?.blocks.findLast((block) => block.type === 'tool_call')
  const told = formatOfCallId(newest?.id ?? '')
  return told === 'std' ? null : told
}

function isCall({ type }: Block): boolean {
  return type === 'tool_call'
}

/** Whether models of the family write their ids themselves, and lose their way among others. */
function makesIds(format: FormatId | null): boolean {
  return format !== null && (templateOf(format).provingIds ?? null) !== null
}

function templateOf(format: FormatId): {
  readonly signatures: 'checked' | 'unchecked'
  readonly provingIds?: RegExp | null
} {
  return { signatures: 'unchecked', ...records.find(({ id }) => id === format)?.template }
}

/**
 * Whether an upstream refuses reasoning that it did not sign, where neither the configuration nor the model's name tells
 * its family. Anthropic does, and other servers that are known do not. Models called after Claude run elsewhere too,
 * behind a proxy or as the alias of another model: undefined, so that nothing goes there that Anthropic would refuse.
 * Under any other name a server is most likely one of open models, but nobody can be sure.
 */
function signaturesAt(server: Server | undefined, model: string): ModelStyle['signatures'] {
  if (server !== undefined) return server.takes.signatures ?? 'unchecked'
  return /claude/i.test(model) ? undefined : 'unknown'
}
