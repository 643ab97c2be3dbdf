import type { Block } from '@dragoman/core'
import type { KeptAnswer } from '../model/ask-model.ts'
import { writtenPieces } from '../model/written-pieces.ts'
import { printable } from '../../base/printable.ts'
import { type ChatCommand, CommandError } from './chat-command.ts'

export const raw: ChatCommand = {
  name: 'raw',
  operand: '',
  summary: 'show what the model wrote last, beside what it became',
  async run(_operand, { session, view, style }) {
    const { answers } = session
    if (answers.length === 0) throw new CommandError('The model has written nothing yet.')
    const section = (title: string, rows: readonly Row[]): string =>
      [
        style('bold', title),
        ...rows.map(([label, text]) => `  ${style('dim', label)}\n${indented(text)}`),
      ].join('\n')
    const shown = answers.map((answer) => {
      const { model, format } = answer
      const before = section(`What ${printable(model)} wrote`, written(answer))
      return `${before}\n${section(`What it became (format ${format})`, became(answer))}`
    })
    view.print(shown.join('\n\n'))
  },
}

type Row = readonly [label: string, text: string]

function written({ received, delivered, isCut }: KeptAnswer): Row[] {
  const pieces = writtenPieces(received, delivered).map(({ field, text }): Row => [field, text])
  const shown: Row[] = pieces.length === 0 ? [['body', received]] : pieces
  return isCut ? [...shown, ['…', 'the rest was not kept']] : shown
}

function became({ became: content, remarks }: KeptAnswer): Row[] {
  const blocks = content === null ? [] : content.blocks.map(rowOf)
  return blocks.length === 0 && remarks.length === 0
    ? [['nothing', '']]
    : [...blocks, ...remarks.map((remark): Row => ['remark', remark])]
}

function rowOf(block: Block): Row {
  switch (block.type) {
    case 'text':
      return ['text', block.text]
    case 'thinking':
      return ['reasoning', block.thought]
    case 'tool_call':
      return ['call', `${block.name} ${JSON.stringify(block.parameters)} (${block.id})`]
    default:
      return [block.type, JSON.stringify(block)]
  }
}

function indented(text: string): string {
  return printable(text).replaceAll(/^/gm, '    ')
}
