import { isJsonObject, type JsonObject, nonEmptyText, wordOf } from '../../../json/objects.ts'
import type { ToolChoice } from '../../../request/conversation-request.ts'
import type { Notes } from '../../../request/notes.ts'
import { withOriginal } from '../../../request/original.ts'
import type { ToolKinds } from '../tools.ts'

/** Reads a choice of tools. One that means something to its server alone leaves the choice to the model. */
export function decodeToolChoice(choice: unknown, kinds: ToolKinds, notes: Notes): ToolChoice | undefined {
  if (choice === undefined || choice === null) return undefined
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { type: choice }
  if (!isJsonObject(choice)) {
    notes.dropped('tool_choice', 'It is of no known type.')
    return undefined
  }
  if (choice['type'] === 'allowed_tools') return withOriginal(allowed(choice, kinds), dialect, choice)
  const name = chosenName(choice, kinds)
  if (name !== null) return withOriginal({ type: 'tool', name } as const, dialect, choice)
  notes.changed('tool_choice', `It is of the type ${wordOf(choice['type'])}; the model chooses.`)
  return withOriginal({ type: 'auto' } as const, dialect, choice)
}

const dialect = 'openai-responses'

/** All tools stay, so that a cached prompt stays valid. What else the model calls is not delivered. */
function allowed(choice: JsonObject, kinds: ToolKinds): ToolChoice {
  const { mode, tools } = choice
  const names = Array.isArray(tools)
    ? tools.flatMap((tool: unknown) => (isJsonObject(tool) ? (chosenName(tool, kinds) ?? []) : []))
    : []
  return { type: mode === 'required' || mode === 'none' ? mode : 'auto', allowed: names }
}

/** The name under which the model is offered the tool; null for a tool that its server runs. */
function chosenName(choice: JsonObject, kinds: ToolKinds): string | null {
  const { type } = choice
  const named = isJsonObject(choice['function']) ? choice['function'] : choice
  const name = nonEmptyText(named['name'])
  const namespace = nonEmptyText(named['namespace'])
  switch (type) {
    case 'function':
    case 'custom':
      if (name === null) return null
      return kinds.nameOf({ kind: type, name, ...(namespace === null ? {} : { namespace }) })
    case 'tool_search':
    case 'local_shell':
    case 'shell':
    case 'apply_patch': {
      const offered = kinds.nameOf({ kind: type, name: type })
      return kinds.kindOf(offered).kind === type ? offered : null
    }
    default:
      return null
  }
}
