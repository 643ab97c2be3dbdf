import type { ConversationRequest, ModelFacts, RequestNote, Server } from '@dragoman/core'
import type { ModelRoute } from '../config/match-model.ts'
import { estimateTokens } from './estimate-tokens.ts'

/** How much a request may ask for, with a note where that is less than the client asked for. */
export interface Fit {
  readonly request: ConversationRequest
  readonly notes: readonly RequestNote[]
}

/**
 * An answer shorter than this is of no use to an agent. Where less than this seems to fit, the upstream is asked all
 * the same: the estimate may be too high, and otherwise the client is told to make its conversation shorter.
 */
const LEAST_ANSWER = 1024
/** Sent for a client that set no limit, where the server would end the answer in the middle of its first call. */
const USUAL_ANSWER = 8192
/** Of the window, for what templates add and the estimate does not count. */
const MARGIN = 0.01

/** Lowers the limit for the answer to what the model may write and to what is left of its window. Never raises it. */
export function fitOutput(
  request: ConversationRequest,
  route: Pick<ModelRoute, 'window' | 'maxTokens'>,
  facts: ModelFacts,
  server: Server | undefined,
  bytes: number | undefined,
): Fit {
  const asked = request.maxTokens ?? limitFor(server)
  if (asked === undefined) return { request, notes: [] }
  const most = Math.min(route.maxTokens ?? Infinity, facts.maxOutput ?? Infinity)
  const room = roomFor(request, asked, route.window ?? facts.window, bytes)
  const fitting = Math.min(asked, most, room)
  if (fitting === request.maxTokens) return { request, notes: [] }
  const reason = reasonFor(request, fitting, { most, room })
  return {
    request: { ...request, maxTokens: fitting },
    notes: [{ kind: 'changed', field: 'max_tokens', reason }],
  }
}

function limitFor(server: Server | undefined): number | undefined {
  return typeof server?.withoutLimit === 'number' ? USUAL_ANSWER : undefined
}

/** No token is shorter than a byte. So most requests fit without an estimate, which takes time for long ones. */
function roomFor(
  request: ConversationRequest,
  asked: number,
  window: number | undefined,
  bytes: number | undefined,
): number {
  if (window === undefined || (bytes !== undefined && bytes + asked <= window)) return Infinity
  const room = Math.floor(window * (1 - MARGIN)) - estimateTokens(request)
  return Math.max(room, Math.min(LEAST_ANSWER, asked))
}

function reasonFor(
  { maxTokens }: ConversationRequest,
  fitting: number,
  { most, room }: { readonly most: number; readonly room: number },
): string {
  if (maxTokens === undefined) return 'Without a limit the upstream would end the answer early.'
  return room < most
    ? `The window of the model has room for about ${fitting}.`
    : `The model writes at most ${fitting}.`
}
