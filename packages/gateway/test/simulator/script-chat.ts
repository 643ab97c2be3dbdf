import { readChatRequest } from '../../src/simulator/chat-request.ts'
import { scriptAnswer, type ScriptedAnswer } from '../../src/simulator/script.ts'
import type { SimulatorSettings } from '../../src/simulator/settings.ts'

/** What the model answers to the body of a chat request. */
export function scriptChat(body: unknown, settings: SimulatorSettings): ScriptedAnswer {
  return scriptAnswer({ request: readChatRequest(body), rules: null }, settings)
}
