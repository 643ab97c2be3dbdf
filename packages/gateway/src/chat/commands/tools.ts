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
      return `  ${style('bold', name.padEnd(12))}  ${description ?? ''}`
    })
    const state = session.usesTools ? `They work in ${folder.path} alone.` : 'They are off: /tools on.'
    view.print([...rows, state].join('\n'))
  },
}
