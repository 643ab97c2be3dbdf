import { CommandError, type ChatCommand } from './chat-command.ts'
import { clear } from './clear.ts'
import { history } from './history.ts'
import { load, resume } from './load.ts'
import { model } from './model.ts'
import { raw } from './raw.ts'
import { save } from './save.ts'
import { toolformat } from './toolformat.ts'
import { tools } from './tools.ts'

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
export const chatCommands: readonly ChatCommand[] = [
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
