import type { ModelChoices } from '../model/model-choice.ts'
import type { Session } from '../session.ts'
import { nameList } from '../view/name-list.ts'
import { printable } from '../../base/printable.ts'
import { CommandError, type ChatCommand } from './chat-command.ts'

/** The most names that are listed: some upstreams have hundreds of models. */
const MOST_NAMES = 60

export const model: ChatCommand = {
  name: 'model',
  operand: '[NAME]',
  summary: 'show the model, or go on with another',
  async run(operand, { session, choices, view }) {
    if (operand === '') {
      const names = (await choices.names()).filter((name) => name !== session.model)
      const shown = names.slice(0, MOST_NAMES).map(printable)
      const more = names.length > shown.length ? [`and ${names.length - shown.length} more`] : []
      const known = names.length === 0 ? [] : [nameList('Others with /model NAME:', [...shown, ...more])]
      view.print([modelLine(session.model, choices, session.toolFormat), ...known].join('\n'))
      return
    }
    const choice = await choices.choose(operand)
    if (choice.is === 'unknown') throw new CommandError(`${choice.message} The model stays ${session.model}.`)
    if (choice.is === 'unlisted') {
      throw new CommandError(`${choice.message} /model ${choice.name}! takes it all the same.`)
    }
    session.model = choice.name
    view.print(modelLine(session.model, choices, session.toolFormat))
  },
}

/** Describes the model, its upstream, and how it writes tool calls. */
export function modelLine(name: string, choices: ModelChoices, toolFormat: Session['toolFormat']): string {
  const route = choices.route(name)
  if (route === undefined) return printable(`Model: ${name}`)
  const place = route.upstream === 'simulator' ? 'the built-in simulator' : route.upstream.name
  const asked = route.model === name ? '' : ` as ${route.model}`
  const { format } = choices.formatOf({ ...route, format: toolFormat ?? route.format })
  return printable(`Model: ${name} on ${place}${asked}, tool format ${format}`)
}
