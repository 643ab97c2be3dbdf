import type { Chat } from '../chat.ts'

/** A command that is typed into a chat, after a slash. */
export interface ChatCommand {
  readonly name: string
  /** What may stand behind it, as in the help. */
  readonly operand: string
  readonly summary: string
  /** Throws `CommandError` where it cannot be done; then nothing has changed. */
  run(operand: string, chat: Chat): Promise<void | 'leave' | 'ask'>
}

export class CommandError extends Error {}
