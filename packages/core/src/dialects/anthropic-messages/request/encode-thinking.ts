import type { Content } from '../../../conversation.ts'
import type { ConversationRequest } from '../../../request/conversation-request.ts'
import type { JsonObject } from '../../../json/objects.ts'
import { budgetOfEffort } from '../../../request/settings.ts'
import type { Notes } from '../../../request/notes.ts'

export interface EncodedThinking {
  readonly thinking: JsonObject | undefined
  readonly effort: { readonly effort?: string }
  /** 0 where no thinking with a budget is asked for. */
  readonly budget: number
}

export function encodeThinking(
  { reasoning, toolChoice }: ConversationRequest,
  maxTokens: number | undefined,
  contents: readonly Content[],
  notes: Notes,
): EncodedThinking {
  const effort = effortOf(reasoning?.effort)
  if (reasoning === undefined) return { thinking: undefined, effort, budget: 0 }
  if (reasoning.mode === 'adaptive') return { thinking: { type: 'adaptive' }, effort, budget: 0 }
  if (reasoning.mode === 'off') {
    return { thinking: 'effort' in effort ? undefined : { type: 'disabled' }, effort, budget: 0 }
  }

  const asked = reasoning.budgetTokens
  const budget = asked ?? Math.min(budgetOfEffort(reasoning.effort), (maxTokens ?? Infinity) - 1)
  const hindrance = hindranceOf(budget, asked !== undefined, toolChoice?.type, contents)
  if (hindrance !== undefined) {
    notes.dropped('thinking', hindrance)
    return { thinking: undefined, effort: asked === undefined ? {} : effort, budget: 0 }
  }
  // An effort that was turned into a budget is not sent as well: models that know only budgets answer 400 to it.
  const thinking = { type: 'enabled', budget_tokens: budget }
  return { thinking, effort: asked === undefined ? {} : effort, budget }
}

/** Words of other dialects for little or no effort are not Anthropic's. */
function effortOf(effort: string | undefined): { effort?: string } {
  return effort === undefined || effort === 'none' || effort === 'minimal' ? {} : { effort }
}

const leastBudget = 1024

/** What Anthropic answers 400 to, rather than think less. */
function hindranceOf(
  budget: number,
  isAsked: boolean,
  toolChoice: string | undefined,
  contents: readonly Content[],
): string | undefined {
  if (!isAsked && budget < leastBudget) return 'The limit of the answer leaves no room for it.'
  if (toolChoice === 'required' || toolChoice === 'tool')
    return 'It cannot be combined with a forced tool call.'
  if (endsInUnthoughtCalls(contents)) {
    return 'The calls whose results come now were made without thinking that this upstream knows.'
  }
  return undefined
}

/** With thinking on, the message whose results come now has to begin with thinking. */
function endsInUnthoughtCalls(contents: readonly Content[]): boolean {
  const blocks = contents.findLast(({ speaker }) => speaker === 'ai')?.blocks ?? []
  return blocks.some(({ type }) => type === 'tool_call') && blocks[0]?.type !== 'thinking'
}
