import type { ConversationRequest, RequestNote } from '@dragoman/core'
import type { ModelRoute } from '../config/match-model.ts'
import type { Known } from '../upstream/known-upstream.ts'
import { likelyTokens, leastTokens } from './estimate-tokens.ts'

/** A request whose answer has room, with a note where that is less than the client asked for. */
export interface Fitted {
  readonly request: ConversationRequest
  readonly notes: readonly RequestNote[]
}

/** An answer shorter than this is of no use to an agent: then the prompt is what is too long. */
export const LEAST_ANSWER = 1024
/** Below this much room the estimate has to be certain, before an answer is cut for it. */
const AMPLE_ANSWER = 4096
/** Sent for a client that set no limit, where the server would end the answer in the middle of its first call. */
const USUAL_ANSWER = 8192
/** Of the window, for what templates add and the estimate does not count. */
const MARGIN = 0.01

/** Lowers the limit for the answer to what the model may write and to what is left of its window. Never raises it. */
export function fitOutput(
  request: ConversationRequest,
  route: Pick<ModelRoute, 'window' | 'maxTokens'>,
  known: Known,
  bytes: number | undefined,
): Fitted {
  const { facts, server } = known
  const asked = request.maxTokens ?? (typeof server?.withoutLimit === 'number' ? USUAL_ANSWER : undefined)
  if (asked === undefined) return { request, notes: [] }
  const most = Math.min(route.maxTokens ?? Infinity, facts.maxOutput ?? Infinity)
  const room = roomFor(request, asked, route.window ?? facts.window, known.scale, bytes)
  const fitting = Math.min(asked, most, room)
  if (fitting === request.maxTokens) return { request, notes: [] }
  const reason = reasonFor(request, fitting, { most, room })
  return {
    request: withLimit(request, fitting),
    notes: [{ kind: 'changed', field: 'max_tokens', reason }],
  }
}

/** A budget for thinking is a part of the answer. One that is not smaller than the limit is refused. */
function withLimit(request: ConversationRequest, maxTokens: number): ConversationRequest {
  const { reasoning } = request
  const budget = reasoning?.budgetTokens
  if (reasoning === undefined || budget === undefined || budget < maxTokens) return { ...request, maxTokens }
  return { ...request, maxTokens, reasoning: { ...reasoning, budgetTokens: Math.floor(maxTokens / 2) } }
}

/** No token is shorter than a byte. So most requests fit without an estimate, which takes time for long ones. */
function roomFor(
  request: ConversationRequest,
  asked: number,
  window: number | undefined,
  scale: number | undefined,
  bytes: number | undefined,
): number {
  if (window === undefined || (bytes !== undefined && bytes + asked <= window)) return Infinity
  const usable = Math.floor(window * (1 - MARGIN))
  const likely = usable - likelyTokens(request, scale)
  const room = likely < AMPLE_ANSWER ? Math.min(AMPLE_ANSWER, usable - leastTokens(request, scale)) : likely
  // Where less than this seems to fit, the upstream decides: the client is told to make its conversation shorter.
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
