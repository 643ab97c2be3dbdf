import { isJsonObject, type JsonObject } from '../../../json/objects.ts'
import type { ConversationRequest, ReasoningRequest } from '../../../request/conversation-request.ts'
import type { Notes } from '../../../request/notes.ts'
import { effortOfBudget } from '../../../request/settings.ts'
import type { ResponsesTarget } from '../../../request/target.ts'
import { nested, sayThinking } from '../../../request/thinking.ts'
import { takesAllItems } from './target.ts'

/**
 * What the upstream is told of thinking. A client of the same dialect says it in words that its server should know, unless
 * the server is known to run models of its own choice.
 */
export function encodeThinking(
  { reasoning, reasoningSummary }: ConversationRequest,
  target: ResponsesTarget,
  notes: Notes,
): JsonObject {
  const isOwn = target.sameDialect === true
  const shown = isOwn && reasoningSummary !== undefined ? { summary: reasoningSummary } : {}
  const { reasoning: inner, ...fields } = reasoning === undefined ? {} : saidTo(reasoning, target, notes)
  const whole = { ...(isJsonObject(inner) ? inner : {}), ...shown }
  return Object.keys(whole).length === 0 ? fields : { ...fields, reasoning: whole }
}

function saidTo(wish: ReasoningRequest, target: ResponsesTarget, notes: Notes): JsonObject {
  const isSetByUser = target.thinkingSetBy === 'user'
  if (takesAllItems(target) && !isSetByUser) return effortOf(wish)
  const said = sayThinking(wish, target, target.responsesThinking)
  if (said !== null) {
    if (said.note !== undefined) notes[said.note.kind]('reasoning', said.note.reason)
    return nested(said.fields)
  }
  const isKnown = target.responsesItems === 'openai' || isSetByUser
  if (isKnown || target.sameDialect === true) return effortOf(wish)
  notes.dropped('reasoning', 'It is not known how this model is told there how to think.')
  return {}
}

function effortOf({ mode, effort, budgetTokens }: ReasoningRequest): JsonObject {
  if (mode === 'off') return { reasoning: { effort: 'none' } }
  const word = effort ?? (budgetTokens === undefined ? undefined : effortOfBudget(budgetTokens))
  return word === undefined ? {} : { reasoning: { effort: word } }
}
