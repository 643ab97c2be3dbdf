import type { ChatMessage } from './chat-request.ts'

/** Where a conversation stands: what the user last asked for and what has been done about it since. */
export interface Turn {
  readonly userText: string
  /** How often tools were called since then. */
  readonly round: number
  /** The results that came last, with the names of their tools. Empty: the user spoke last. */
  readonly results: readonly { readonly name: string; readonly text: string }[]
  /** Calls in the whole conversation. */
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

/** What the user said, without the reminders that a client adds: they name tools that nobody asked for. */
function spokenText({ text }: ChatMessage): string {
  return text.replaceAll(/<system-reminder>[^]*?<\/system-reminder>/g, '').trim()
}
