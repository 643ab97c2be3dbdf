import type { Chat } from '../chat.ts'

/** A command that is typed into a chat, after a slash. */
export interface ChatCommand {
  readonly name: string
  /** The operand, as the help shows it. */
  readonly operand: string
  readonly summary: string
  /** Throws `CommandError` where the command cannot be carried out. In that case nothing has changed. */
  run(operand: string, chat: Chat): Promise<void | 'leave' | 'ask'>
}

export class CommandError extends Error {}
