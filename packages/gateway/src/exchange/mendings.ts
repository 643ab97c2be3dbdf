import {
  type ConversationRequest,
  demandsLostReasoning,
  dialects,
  lastingRefusal,
  type Overflow,
  refusedThinkingField,
  retryFor,
} from '@dragoman/core'
import { LongJson } from '../base/write-long-json.ts'
import { isObject } from '../base/is-object.ts'
import type { Lesson } from '../upstream/known-upstream.ts'
import { likelyTokens } from './estimate-tokens.ts'
import { LEAST_ANSWER } from './fit.ts'
import type { Refused } from './negotiation.ts'
import type { Plan } from './plan.ts'

/** What is done about one reason for a refusal; null where that is not the reason. */
export type Mending = (refused: Refused, plan: Plan, request: ConversationRequest) => Mended | null

export interface Mended {
  readonly reason: string
  readonly request?: ConversationRequest
  readonly lesson: Lesson
  /** Whether later requests would be refused for the same reason. */
  readonly lasts: boolean
}

/** The first mending for this refusal that was not tried yet. */
export function mendingFor(
  refused: Refused,
  plan: Plan,
  request: ConversationRequest,
  tried: ReadonlySet<Mending>,
): { readonly mending: Mending; readonly mended: Mended } | null {
  for (const mending of mendings) {
    const mended = tried.has(mending) ? null : mending(refused, plan, request)
    if (mended !== null) return { mending, mended }
  }
  return null
}

const mendings: readonly Mending[] = [
  shorterAnswer,
  otherThinking,
  otherCalls,
  askedInWords,
  demandedReasoning,
]

/** The prompt fits, but not together with an answer as long as the upstream was allowed. */
function shorterAnswer({ failure }: Refused, plan: Plan, request: ConversationRequest): Mended | null {
  const { overflow } = failure
  if (overflow === undefined || overflow.what === 'prompt' || plan.maxTokens === undefined) return null
  const { window } = overflow
  const lesson: Lesson = {
    ...(window === undefined ? {} : { window }),
    ...(isOwnLimit(overflow) ? { maxOutput: overflow.mostOutput } : {}),
  }
  const maxTokens = limitAfter(overflow, plan, request, plan.maxTokens)
  if (maxTokens === null) return null
  const reason =
    maxTokens === undefined
      ? 'The upstream was asked again without max_tokens: prompt and answer did not fit together.'
      : `The upstream was asked again with max_tokens ${maxTokens}: it refused more.`
  return { reason, request: { ...request, maxTokens }, lesson, lasts: true }
}

/** Whether answers have a limit of their own. Some servers only say that an answer alone is longer than the window. */
function isOwnLimit(overflow: Overflow): overflow is Overflow & { readonly mostOutput: number } {
  const { what, mostOutput, window } = overflow
  return what === 'output' && mostOutput !== undefined && mostOutput !== window
}

/** Undefined for no limit, null where no limit would help. */
function limitAfter(
  overflow: Overflow,
  { known, route, upstreamDialect }: Plan,
  request: ConversationRequest,
  asked: number,
): number | undefined | null {
  if (isOwnLimit(overflow)) return overflow.mostOutput < asked ? overflow.mostOutput : null
  const { window, promptTokens, totalTokens } = overflow
  const prompt =
    promptTokens ?? (totalTokens === undefined || totalTokens <= asked ? undefined : totalTokens - asked)
  const { withoutLimit = 'rest of the window' } = known.server ?? {}
  const mayHaveNone = !dialects[upstreamDialect].request.demandsLimit && withoutLimit === 'rest of the window'
  if (prompt === undefined && mayHaveNone) return undefined
  const most = window ?? route.window ?? known.facts.window
  if (most === undefined) return mayHaveNone ? undefined : null
  const room = most - (prompt ?? likelyTokens(request, known.scale))
  if (room >= Math.min(asked, LEAST_ANSWER)) return Math.min(room, asked - 1)
  // The estimate may be too high. A prompt whose length the upstream told is too long indeed.
  return prompt === undefined ? Math.min(LEAST_ANSWER, asked - 1) : null
}

/** The upstream refuses what it was told of thinking. So it is told nothing of the kind. */
function otherThinking({ failure, body: told }: Refused, { body, known }: Plan): Mended | null {
  if (failure.kind !== 'invalid-request' || failure.overflow !== undefined) return null
  const refused = refusedThinkingField(told) ?? []
  if (refused.length === 0) return null
  const sent: unknown = body instanceof LongJson ? body.value : JSON.parse(String(body))
  const fields = refused.filter((field) => isIn(sent, field))
  if (fields.length === 0) return null
  return {
    reason: `The upstream was asked again without ${fields.join(', ')}: it refused that.`,
    lesson: { refusedFields: [...(known.lesson.refusedFields ?? []), ...fields] },
    lasts: lastingRefusal(told),
  }
}

/** A dot stands before the name of a field inside another. */
function isIn(body: unknown, field: string): boolean {
  let at = body
  return field.split('.').every((name) => {
    if (!isObject(at) || !(name in at)) return false
    at = at[name]
    return true
  })
}

/** The upstream cannot read calls, or not this one. So it is kept from it, and they are read here. */
export function otherCalls(
  refused: Refused,
  { upstream, known, route }: Plan,
  request: ConversationRequest,
): Mended | null {
  if (upstream.parse === 'server' || route.tools === 'prompt' || request.tools.length === 0) return null
  const retry = retryFor(refused)
  if (retry === null || known.lesson.calls === 'in the prompt') return null
  const inText =
    retry.helps === 'calls in text' &&
    known.lesson.calls === undefined &&
    known.server?.textCalls?.by === 'fields'
  return {
    reason: inText
      ? 'The upstream was asked again to leave the calls in the text: it cannot read them.'
      : 'The upstream was asked again with the tools in the prompt: it cannot read their calls.',
    lesson: { calls: inText ? 'in text' : 'in the prompt' },
    lasts: retry.lasts,
  }
}

/** The upstream refuses a choice that forces a call. So it is asked for the call in words. */
function askedInWords(
  { failure }: Refused,
  { known }: Plan,
  { toolChoice }: ConversationRequest,
): Mended | null {
  const isForced = toolChoice?.type === 'required' || toolChoice?.type === 'tool'
  const isRefused = failure.kind === 'invalid-request' && /\btool_choice\b/.test(failure.message)
  if (!isForced || !isRefused || known.lesson.refusesForcedCalls === true) return null
  return {
    reason: 'The upstream was asked again for the call in words: it refuses to force one.',
    lesson: { refusesForcedCalls: true },
    lasts: true,
  }
}

/** A vendor's own server, under an address that does not tell. */
function demandedReasoning({ failure }: Refused, { known }: Plan): Mended | null {
  if (known.lesson.demandsReasoning === true || !demandsLostReasoning(failure)) return null
  return {
    reason: 'The upstream was asked again with reasoning beside every call: it demands it.',
    lesson: { demandsReasoning: true },
    lasts: true,
  }
}
