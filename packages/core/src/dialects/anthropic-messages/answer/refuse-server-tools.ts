import type { ConversationRequest } from '../../../request/conversation-request.ts'
import type { RefusalOptions, RefusedServerTools } from '../../dialect.ts'
import { onlyServerTools } from '../request/server-tools.ts'
import { encodeAnthropicUsage, encodeStopReason, nothingCounted } from '../words.ts'
import { streamOfMessage } from './whole.ts'

/**
 * A message in which the tool was called and failed, as Anthropic itself says that a tool is not to be had. Claude Code
 * reports a search that failed so. An error instead of a message would end the turn of other clients, and a model that is
 * asked to search without a search makes up what it finds.
 */
export function refuseServerTools(
  request: ConversationRequest,
  { id }: RefusalOptions,
): RefusedServerTools | null {
  const tools = onlyServerTools(request)
  const [tool] = tools
  if (tool === undefined) return null
  const { name, input, resultType, errorType } = tool
  const callId = `srvtoolu_${id}`
  const message = {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model: request.model,
    content: [
      { type: 'server_tool_use', id: callId, name, input },
      {
        type: resultType,
        tool_use_id: callId,
        content: { type: errorType, error_code: 'unavailable' },
      },
      // Clients leave the two blocks above out of what they show. Claude Code asks its model for the sources of every
      // search, so the text says that there are none.
      {
        type: 'text',
        text: `${name} was not run: nobody runs it for this model. There are no results and no sources.`,
      },
    ],
    stop_reason: encodeStopReason('stop'),
    stop_sequence: null,
    usage: encodeAnthropicUsage(nothingCounted),
  }
  return {
    is: 'answer',
    tools: tools.map(({ type }) => type),
    text: request.stream ? streamOfMessage(message) : JSON.stringify(message),
  }
}
