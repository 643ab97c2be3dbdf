import { otherFields } from '../../../json/fields.ts'
import { type JsonObject, nonEmptyText, objectIn } from '../../../json/objects.ts'
import type { ConversationRequest, ReasoningRequest } from '../../../request/conversation-request.ts'
import type { Notes } from '../../../request/notes.ts'
import { budgetOfEffort } from '../../../request/settings.ts'
import type { RequestTarget } from '../../../request/target.ts'
import { camelCased } from '../spelling.ts'

export interface DecodedThinking {
  readonly reasoning: ReasoningRequest | undefined
  readonly wantsThoughts: boolean
  /** What else `thinkingConfig` says. */
  readonly rest: JsonObject
}

export function decodeThinking(config: JsonObject): DecodedThinking {
  const thinking = camelCased(objectIn(config, 'thinkingConfig'))
  const level = nonEmptyText(thinking['thinkingLevel'])?.toLowerCase()
  return {
    reasoning: reasoningOf(thinking['thinkingBudget'], level === unspecified ? undefined : level),
    wantsThoughts: thinking['includeThoughts'] === true,
    rest: otherFields(thinking, thinkingFields),
  }
}

const thinkingFields = new Set(['includeThoughts', 'thinkingBudget', 'thinkingLevel'])
const unspecified = 'thinking_level_unspecified'

/** A budget of 0 turns thinking off, one of -1 leaves it to the model. */
function reasoningOf(budget: unknown, effort: string | undefined): ReasoningRequest | undefined {
  const level = effort === undefined ? {} : { effort }
  if (typeof budget !== 'number') return effort === undefined ? undefined : { mode: 'on', effort }
  if (budget === 0) return { mode: 'off' }
  return budget < 0 ? { mode: 'adaptive', ...level } : { mode: 'on', budgetTokens: budget, ...level }
}

/** `thinkingConfig`, as far as there is something to say. */
export function encodeThinking(
  request: ConversationRequest,
  target: RequestTarget,
  notes: Notes,
): JsonObject {
  const { reasoning, wantsThoughts } = request
  const isOwn = target.sameDialect === true
  if (target.thinks === false) {
    if (reasoning !== undefined && reasoning.mode !== 'off') {
      notes.dropped('thinking', 'The model does not think.')
    }
    return {}
  }
  const said = reasoning === undefined ? {} : wordsFor(reasoning, isOwn, target, notes)
  // Clients of other dialects get reasoning whenever there is some.
  const isShown = isOwn ? wantsThoughts === true : reasoning !== undefined && reasoning.mode !== 'off'
  return { ...said, ...(isShown ? { includeThoughts: true } : {}) }
}

/**
 * Every model that thinks takes a budget, but only newer ones know levels. A client of the dialect knows which of them
 * it asks; the wish of any other is said as a budget.
 */
function wordsFor(
  { mode, budgetTokens, effort }: ReasoningRequest,
  isOwn: boolean,
  { model, thinkingSetBy }: RequestTarget,
  notes: Notes,
): JsonObject {
  const isClients = isOwn && thinkingSetBy !== 'user'
  const level = isClients && effort !== undefined ? { thinkingLevel: effort } : {}
  if (mode === 'off') {
    if (isClients || !alwaysThinking.test(model)) return { thinkingBudget: 0 }
    notes.changed('thinking', 'The thinking of this model cannot be turned off. It is told to think little.')
    return { thinkingBudget: leastBudget }
  }
  if (budgetTokens !== undefined) return { thinkingBudget: budgetTokens, ...level }
  if (mode === 'adaptive') return { thinkingBudget: -1, ...level }
  if (isClients) return level
  return mode === 'unsaid' || effort === undefined ? {} : { thinkingBudget: budgetOfEffort(effort) }
}

const alwaysThinking = /(?:^|\/)gemini-(?:2\.5-pro|[3-9]|\d{2})/
const leastBudget = 128
