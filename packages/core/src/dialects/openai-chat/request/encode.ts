import type { ConversationRequest } from '../../../request/conversation-request.ts'
import { Notes } from '../../../request/notes.ts'
import { withoutRefused } from '../../../request/refused-thinking.ts'
import { withExtraFields } from '../../../request/settings.ts'
import type { ChatTarget, EncodedRequest } from '../../../request/target.ts'
import { shortToolNames } from '../../../request/tools.ts'
import { upstreamHistory } from '../../../request/upstream-history.ts'
import { wellFormed } from '../../../json/well-formed.ts'
import { chatMessages, encodeMessages } from './messages.ts'
import { encodeSettings } from './settings.ts'
import { encodeSystem, soleSystemInFront } from './system.ts'
import { encodeThinking } from './thinking.ts'
import { encodeCallsInText, encodeToolChoice, encodeTools, longestToolName } from './tools.ts'

/** Writes the body of a request to an upstream that speaks OpenAI Chat Completions. */
export function encodeChatRequest(request: ConversationRequest, target: ChatTarget): EncodedRequest {
  const notes = new Notes()
  const names = shortToolNames(request.tools, longestToolName)
  const arranged = soleSystemInFront(request, target, notes)
  const history = upstreamHistory(arranged.contents, target, chatMessages, names, notes)
  const thinking = encodeThinking(request, target, notes)
  const { nudge, ...toolChoice } = encodeToolChoice(request, target, thinking.thinks, names, notes)
  const { max_completion_tokens: spelling, stop, ...extra } = thinking.extra
  const system = nudge === undefined ? arranged.system : [...arranged.system, { text: nudge }]
  const messages = encodeMessages(history, target, notes)
  const body: Record<string, unknown> = {
    model: target.model,
    messages: [...encodeSystem(system, target, notes), ...messages.messages],
    ...messages.settings,
    ...encodeTools(request, target, names, notes),
    ...toolChoice,
    ...encodeCallsInText(request, target, notes),
    ...encodeSettings(request, target, spelling !== undefined, notes),
    ...thinking.fields,
  }
  if (target.sameDialect === true && stop !== undefined) body['stop'] = stop
  const whole = withoutRefused(withExtraFields(body, extra, target, notes), target.withoutFields, notes)
  return { body: wellFormed(whole), toolNames: names, notes: notes.all }
}
