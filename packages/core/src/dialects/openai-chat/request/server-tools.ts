import { isJsonObject, wordOf } from '../../../json/objects.ts'
import type { ConversationRequest } from '../../../request/conversation-request.ts'
import type { RefusedServerTools } from '../../dialect.ts'

/**
 * The dialect has no way to say in an answer that a tool of the server failed. So the request is refused, with the name
 * of the field that asks for the tool, as its servers refuse a field that a model does not take.
 */
export function refuseServerTools({
  tools,
  toolChoice,
  extra,
}: ConversationRequest): RefusedServerTools | null {
  if (tools.length > 0 || toolChoice?.type === 'none') return null
  const types = typesIn(extra['tools'])
  const isSearch = isJsonObject(extra['web_search_options'])
  if (types === null || (types.length === 0 && !isSearch)) return null
  const asked = [...types, ...(isSearch ? ['web_search_options'] : [])]
  return {
    is: 'failure',
    tools: asked,
    failure: {
      kind: 'invalid-request',
      code: 'unsupported_tool',
      message: `${asked.join(' and ')}: nobody runs this for the model. Ask without it.`,
      field: isSearch ? 'web_search_options' : 'tools',
    },
  }
}

/** The types of tools that the server runs; null where the client runs one of them itself. */
function typesIn(tools: unknown): string[] | null {
  if (!Array.isArray(tools)) return []
  const types = tools.map((tool: unknown) => (isJsonObject(tool) ? wordOf(tool['type']) : 'custom'))
  return types.includes('custom') ? null : types
}
