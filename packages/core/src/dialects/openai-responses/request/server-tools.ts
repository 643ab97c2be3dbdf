import { isJsonObject, wordOf } from '../../../json/objects.ts'
import type { ConversationRequest } from '../../../request/conversation-request.ts'
import type { RefusedServerTools } from '../../dialect.ts'

/**
 * A model can answer without the tools that a server runs, and does where it may choose. A client that demands a call, and
 * offers no tool that anybody runs, is told so.
 */
export function refuseServerTools({
  tools,
  toolChoice,
  extra,
}: ConversationRequest): RefusedServerTools | null {
  const others = extra['tools']
  if (tools.length > 0 || toolChoice?.type !== 'required' || !Array.isArray(others)) return null
  const types = others.map((tool: unknown) => (isJsonObject(tool) ? wordOf(tool['type']) : '?'))
  return {
    is: 'failure',
    tools: types,
    failure: {
      kind: 'invalid-request',
      code: 'unsupported_tool',
      message: `${types.join(' and ')}: nobody runs this for the model. Ask without it.`,
      field: 'tools',
    },
  }
}
