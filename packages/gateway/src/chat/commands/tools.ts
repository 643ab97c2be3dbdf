import { type FormatId, formats, resolveFormatId } from '@dragoman/core'
import { didYouMean } from '../../base/did-you-mean.ts'
import type { Chat } from '../chat.ts'
import { nameList } from '../view/name-list.ts'
import { printable } from '../../base/printable.ts'
import { type ChatCommand, CommandError } from './chat-command.ts'
import { tools as chatTools } from '../tools/toolbox.ts'

export const toolformat: ChatCommand = {
  name: 'toolformat',
  operand: '[NAME|auto]',
  summary: 'show how the model writes tool calls, or say it',
  async run(operand, chat) {
    const { session, view } = chat
    if (operand === '') {
      view.print(
        [currentFormat(chat), 'Change it with /toolformat NAME; auto detects it.', ...groups()].join('\n'),
      )
      return
    }
    session.toolFormat = operand.toLowerCase() === 'auto' ? 'auto' : formatNamed(operand)
    view.print(currentFormat(chat))
  },
}

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

/** Describes the format in use, and what decided it. */
function currentFormat({ session, choices }: Chat): string {
  const { toolFormat, model } = session
  if (toolFormat !== null && toolFormat !== 'auto') return `Tool format: ${toolFormat} (set with /toolformat)`
  const configured = choices.route(model)
  if (configured === undefined) return 'Tool format: auto'
  const route = { ...configured, format: toolFormat ?? configured.format }
  const { format, toldBy } = choices.formatOf(route)
  if (toldBy === 'configuration') return `Tool format: ${format} (set in the configuration)`
  if (toldBy !== 'nothing') return `Tool format: ${format} (detected, for ${printable(route.model)})`
  return `Tool format: auto (detected: the name ${printable(route.model)} tells nothing, what the model writes decides)`
}

function groups(): string[] {
  const structured = formats.filter(({ grammars }) => grammars.length === 0)
  const written = formats.filter(({ grammars }) => grammars.length > 0)
  return [
    nameList(
      '  structured',
      structured.map(({ id }) => id),
    ),
    nameList(
      '  text-based',
      written.map(({ id }) => id),
    ),
  ]
}

function formatNamed(name: string): FormatId {
  const id = resolveFormatId(name)
  if (id !== undefined && formats.some((format) => format.id === id)) return id
  const meant = didYouMean(name, ['auto', ...formats.map((format) => format.id)])
  const question = meant === undefined ? '' : ` Did you mean ${meant}?`
  throw new CommandError(`There is no format "${name}".${question}\n${groups().join('\n')}`)
}

/** The rest of a description is meant for models. */
function firstClause(description: string): string {
  return /^[^.;]*/.exec(description)?.[0] ?? ''
}

function reachOf(folder: string): string {
  return `Files are those in ${folder} alone; a command can do what you can do.`
}
