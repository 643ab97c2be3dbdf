import { type ChatCommand, CommandError } from './chat-command.ts'
import { clear, history } from './history.ts'
import { load, resume } from './load.ts'
import { model } from './model.ts'
import { raw } from './raw.ts'
import { save } from './save.ts'
import { toolformat, tools } from './tools.ts'
import { didYouMean } from '../../base/did-you-mean.ts'
import type { Chat } from '../chat.ts'

const help: ChatCommand = {
  name: 'help',
  operand: '',
  summary: 'show this list',
  async run(_operand, { view, style }) {
    const rows = chatCommands.map(({ name, operand, summary }) => {
      const left = `/${name}${operand === '' ? '' : ` ${operand}`}`
      return `  ${style('bold', left)}${' '.repeat(Math.max(2, 28 - left.length))}${summary}`
    })
    view.print(
      [
        ...rows,
        '',
        'Anything else is said to the model. A backslash at the end of a line goes on with the next one.',
        'Ctrl-C stops an answer. Ctrl-D leaves, and so does Ctrl-C twice at an empty prompt.',
      ].join('\n'),
    )
  },
}

const retry: ChatCommand = {
  name: 'retry',
  operand: '',
  summary: 'let the model answer, where it failed or was stopped',
  async run(_operand, { session }) {
    const last = session.contents.at(-1)
    if (last === undefined) throw new CommandError('Nothing was said yet.')
    if (last.speaker === 'ai')
      throw new CommandError('The model has answered: say something, such as "go on".')
    return 'ask'
  },
}

const exit: ChatCommand = { name: 'exit', operand: '', summary: 'leave', run: async () => 'leave' }

/** Every command, in the order of the help. */
const chatCommands: readonly ChatCommand[] = [
  model,
  toolformat,
  tools,
  history,
  raw,
  retry,
  save,
  load,
  resume,
  clear,
  help,
  exit,
]

/** Carries out `/name operand`. The result `ask` means that the model has to answer now. */
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
