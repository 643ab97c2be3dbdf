import type { Block, Content } from '@dragoman/core'
import { printable, shortened } from '../../base/printable.ts'
import type { ChatCommand } from './chat-command.ts'
import { conversationName } from '../store/conversation-folder.ts'

const LONGEST = 200

export const history: ChatCommand = {
  name: 'history',
  operand: '',
  summary: 'show the conversation so far, in short',
  async run(_operand, { session, view, style }) {
    const { contents } = session
    if (contents.length === 0) {
      view.print('Nothing was said yet.')
      return
    }
    const lines = contents.flatMap((content, at) =>
      content.blocks.map((block) => {
        const label = `${String(at + 1).padStart(3)}  ${speakers[content.speaker]}`
        return `${style('dim', label)}  ${describe(block)}`
      }),
    )
    view.print(lines.join('\n'))
  },
}

export const clear: ChatCommand = {
  name: 'clear',
  operand: '',
  summary: 'begin a new conversation; this one stays stored',
  async run(_operand, { session, newFile, view }) {
    const { path, contents } = session
    await session.replace(newFile(), [])
    const kept = contents.length === 0 ? '' : ` /load ${conversationName(path)} goes back.`
    view.print(`A new conversation.${kept}`)
  },
}

const speakers: Readonly<Record<Content['speaker'], string>> = { human: 'you  ', ai: 'model', tool: 'tool ' }

/** Describes a block in one line. */
function describe(block: Block): string {
  switch (block.type) {
    case 'text':
      return short(block.text)
    case 'thinking':
      return `(thought) ${short(block.thought)}`
    case 'tool_call':
      return `→ ${short(`${block.name} ${JSON.stringify(block.parameters)}`)}`
    case 'tool_response':
      return `${block.isError === true ? '✗' : '✓'} ${short(`${block.toolName}: ${textOf(block.result)}`)}`
    case 'media':
      return short(`[${block.mimeType}]`)
  }
}

function short(text: string): string {
  return shortened(printable(text), LONGEST)
}

function textOf(result: unknown): string {
  return typeof result === 'string' ? result : (JSON.stringify(result) ?? '')
}
