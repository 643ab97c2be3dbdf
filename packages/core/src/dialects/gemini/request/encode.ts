import { wellFormed } from '../../../json/well-formed.ts'
import type { ConversationRequest } from '../../../request/conversation-request.ts'
import { Notes } from '../../../request/notes.ts'
import { withoutRefused } from '../../../request/refused-thinking.ts'
import { withExtraFields } from '../../../request/settings.ts'
import type { EncodedRequest, GeminiTarget } from '../../../request/target.ts'
import { shortToolNames } from '../../../request/tools.ts'
import { upstreamHistory } from '../../../request/upstream-history.ts'
import { encodeContents, geminiMessages } from './messages.ts'
import { encodeSettings } from './settings.ts'
import { encodeSystem } from './system.ts'
import { encodeToolChoice } from './tool-choice.ts'
import { encodeTools, longestToolName } from './tools.ts'

/** Writes the body of a request to an upstream that speaks Gemini. Model and method stand in the address. */
export function encodeGeminiRequest(request: ConversationRequest, target: GeminiTarget): EncodedRequest {
  const notes = new Notes()
  const names = shortToolNames(request.tools, longestToolName)
  const history = upstreamHistory(request.contents, target, geminiMessages, names, notes)
  const body = {
    ...encodeSystem(request.system, target, notes),
    contents: encodeContents(history, target, notes),
    ...encodeTools(request, target, names, notes),
    ...encodeToolChoice(request, target, names, notes),
    ...encodeSettings(request, target, notes),
  }
  const whole = withoutRefused(
    withExtraFields(body, otherFields(request, target), target, notes),
    target.withoutFields,
    notes,
  )
  return { body: wellFormed(whole), toolNames: names, notes: notes.all }
}

/**
 * What a client of the dialect says beside what we understand goes on in the fields where it stood, which are written
 * already. Of a chat client, two fields only say how it spelled what is sent.
 */
function otherFields({ extra }: ConversationRequest, { sameDialect }: GeminiTarget): Record<string, unknown> {
  const { max_completion_tokens: _, stop: __, ...others } = extra
  if (sameDialect !== true) return others
  const { generationConfig: ___, toolConfig: ____, ...own } = extra
  return own
}
