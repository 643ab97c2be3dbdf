import { didYouMean } from '../../base/did-you-mean.ts'
import type { Chat } from '../chat.ts'
import { CommandError } from './chat-command.ts'
import { chatCommands } from './command-table.ts'

/** Carries out `/name operand`. `ask`: the model is to answer now. */
export async function runCommandLine(
  line: string,
  chat: Chat,
): Promise<'answered' | 'failed' | 'leave' | 'ask'> {
  const [, typed = '', operand = ''] = /^\/(\S*)\s*([^]*)$/.exec(line) ?? []
  const name = typed.toLowerCase()
  const command = chatCommands.find((known) => known.name === name)
  try {
    if (command === undefined) throw unknown(name)
    return (await command.run(operand.trim(), chat)) ?? 'answered'
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    chat.view.show({ type: 'error', code: 'command', message: error.message })
    return 'failed'
  }
}

function unknown(name: string): CommandError {
  const names = chatCommands.map((command) => command.name)
  const meant = didYouMean(name, names)
  const question = meant === undefined ? '' : ` Did you mean /${meant}?`
  return new CommandError(`There is no command /${name}.${question} /help lists them.`)
}
