import { tools as chatTools } from '../tools/toolbox.ts'
import { CommandError, type ChatCommand } from './chat-command.ts'

export const tools: ChatCommand = {
  name: 'tools',
  operand: '[on|off]',
  summary: 'list the tools of the model, or take them away',
  async run(operand, { session, view, folder, style }) {
    if (operand !== '' && operand !== 'on' && operand !== 'off') {
      throw new CommandError(`/tools takes on or off, not "${operand}".`)
    }
    if (operand !== '') session.usesTools = operand === 'on'
    const rows = chatTools.map(({ definition: { name, description } }) => {
      return `  ${style('bold', name.padEnd(12))}  ${firstClause(description ?? '')}`
    })
    const state = session.usesTools ? reachOf(folder.path) : 'They are off; /tools on gives them back.'
    view.print([...rows, state].join('\n'))
  },
}

/** The rest is for models. */
function firstClause(description: string): string {
  return /^[^.;]*/.exec(description)?.[0] ?? ''
}

function reachOf(folder: string): string {
  return `Files are those in ${folder} alone; a command can do what you can do.`
}
