import type { Content } from '../../../conversation.ts'
import { isJsonObject, type JsonObject, nonEmptyText } from '../../../json/objects.ts'
import type { ConversationRequest } from '../../../request/conversation-request.ts'
import type { Notes } from '../../../request/notes.ts'
import { budgetOfEffort } from '../../../request/settings.ts'
import type { AnthropicTarget } from '../../../request/target.ts'
import { nested, sayThinking } from '../../../request/thinking.ts'

interface EncodedThinking {
  readonly fields: JsonObject
  readonly effort: { readonly effort?: string }
  /** 0 unless the request asks Anthropic for thinking with a budget. */
  readonly budget: number
}

/** Servers of this dialect that run open models are told what their models understand; all others what Anthropic takes. */
export function encodeThinking(
  request: ConversationRequest,
  target: AnthropicTarget,
  maxTokens: number | undefined,
  contents: readonly Content[],
  notes: Notes,
): EncodedThinking {
  const { reasoning } = request
  if (reasoning === undefined) return unsaid
  const { messagesThinking: ways } = target
  const said = sayThinking(reasoning, target, ways)
  if (said !== null) {
    if (said.note !== undefined) notes[said.note.kind]('thinking', said.note.reason)
    const { output_config: config, ...fields } = nested(said.fields)
    const effort = isJsonObject(config) ? nonEmptyText(config['effort']) : null
    return { fields, effort: effort === null ? {} : { effort }, budget: 0 }
  }
  if (ways !== undefined && target.sameDialect !== true && target.thinkingSetBy !== 'user') {
    notes.dropped('thinking', 'It is not known how this model is told there how to think.')
    return unsaid
  }
  return asAnthropic(request, maxTokens, contents, notes)
}

const unsaid: EncodedThinking = { fields: {}, effort: {}, budget: 0 }

function asAnthropic(
  { reasoning, toolChoice }: ConversationRequest,
  maxTokens: number | undefined,
  contents: readonly Content[],
  notes: Notes,
): EncodedThinking {
  const effort = effortOf(reasoning?.effort)
  if (reasoning === undefined || reasoning.mode === 'unsaid') return { fields: {}, effort, budget: 0 }
  if (reasoning.mode === 'adaptive') return { fields: { thinking: { type: 'adaptive' } }, effort, budget: 0 }
  if (reasoning.mode === 'off') return { fields: { thinking: { type: 'disabled' } }, effort, budget: 0 }

  const asked = reasoning.budgetTokens
  const budget = asked ?? Math.min(budgetOfEffort(reasoning.effort), (maxTokens ?? Infinity) - 1)
  const hindrance = hindranceOf(budget, asked !== undefined, toolChoice?.type, contents)
  if (hindrance !== undefined) {
    notes.dropped('thinking', hindrance)
    return { fields: {}, effort: asked === undefined ? {} : effort, budget: 0 }
  }
  // An effort that was turned into a budget is not sent as well: models that know only budgets answer 400 to it.
  const fields = { thinking: { type: 'enabled', budget_tokens: budget } }
  return { fields, effort: asked === undefined ? {} : effort, budget }
}

/** Anthropic does not know the words that other dialects have for little or no effort. */
function effortOf(effort: string | undefined): { effort?: string } {
  return effort === undefined || effort === 'none' || effort === 'minimal' ? {} : { effort }
}

const leastBudget = 1024

/** Why Anthropic would answer 400 to a request with this thinking. */
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
