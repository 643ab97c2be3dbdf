import type { ChatMessage } from './chat-request.ts'

/** The state of a conversation: what the user last asked for, and what was done about it since. */
export interface Turn {
  readonly userText: string
  /** How often tools were called since the user spoke. */
  readonly round: number
  /** The latest results, with the names of their tools. There are none where the user spoke last. */
  readonly results: readonly { readonly name: string; readonly text: string }[]
  /** The number of calls in the whole conversation. */
  readonly callCount: number
}

export function readTurn(messages: readonly ChatMessage[]): Turn {
  const asked = messages.findLastIndex((message) => message.role === 'user' && spokenText(message) !== '')
  const since = messages.slice(asked + 1)
  const lastCalls = since.findLastIndex(({ calls }) => calls.length > 0)
  const names = new Map(since[lastCalls]?.calls.map(({ id, name }) => [id, name]))
  const question = messages[asked]
  return {
    userText: question === undefined ? '' : spokenText(question),
    round: since.filter(({ calls }) => calls.length > 0).length,
    results: since
      .slice(lastCalls + 1)
      .filter(({ role }) => role === 'tool')
      .map(({ callId, text }) => ({ name: names.get(callId) ?? 'a tool', text })),
    callCount: messages.reduce((count, { calls }) => count + calls.length, 0),
  }
}

/** What clients put around their own words inside a message of the user: Claude Code, Codex, and Gemini CLI. */
const clientWords = /<(system-reminder|environment_context|session_context)>[^]*?<\/\1>/g

/** The words of the user, without what a client adds: it names tools and paths that nobody asked for. */
function spokenText({ text }: ChatMessage): string {
  return text.replaceAll(clientWords, '').trim()
}
