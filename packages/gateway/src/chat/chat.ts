import type { Style } from '../terminal/output.ts'
import type { ChatView } from './chat-event.ts'
import { runCommandLine } from './commands/command-table.ts'
import type { Interrupts } from './interrupts.ts'
import type { ModelChoices } from './model/model-choice.ts'
import type { Session } from './session.ts'
import type { ConversationFile } from './store/conversation-file.ts'
import type { ConversationFolder } from './store/conversation-folder.ts'
import type { WorkFolder } from './tools/work-folder.ts'
import { takeTurn, type TurnEnd, type TurnWorld } from './turn.ts'

/** A running chat, as its loop and its commands use it. */
export interface Chat {
  readonly session: Session
  readonly view: ChatView
  readonly choices: ModelChoices
  readonly conversations: ConversationFolder
  readonly folder: WorkFolder
  readonly world: TurnWorld
  readonly interrupts: Interrupts
  /** Makes the file of a new conversation. The file is created with its first line. */
  readonly newFile: () => ConversationFile
  /** The file of a conversation that is resumed. */
  readonly fileAt: (path: string) => ConversationFile
  readonly style: (style: Style, text: string) => string
}

/** Takes one input after the other until there are no more. Resolves to whether all of them succeeded. */
export async function runChat(inputs: AsyncIterable<string>, chat: Chat): Promise<boolean> {
  let isWell = true
  for await (const input of inputs) {
    const end = await takeInput(input, chat)
    await chat.view.flush()
    if (end === 'leave') break
    if (end === 'failed') isWell = false
  }
  return isWell
}

async function takeInput(input: string, chat: Chat): Promise<TurnEnd | 'leave'> {
  const text = input.trim()
  if (text === '') return 'answered'
  // A text such as `/etc/hosts` is a message and not a command.
  if (!/^\/[a-z]*(?:\s|$)/i.test(text)) return say(input, chat)
  const outcome = await runCommandLine(text, chat)
  return outcome === 'ask' ? answer(chat) : outcome
}

/** Sends what the user said, and lets the model answer. */
export async function say(text: string, chat: Chat): Promise<TurnEnd> {
  await chat.session.add({ speaker: 'human', blocks: [{ type: 'text', text }] })
  return answer(chat)
}

function answer({ session, world, interrupts }: Chat): Promise<TurnEnd> {
  return interrupts.during((signal) => takeTurn(session, world, signal))
}
