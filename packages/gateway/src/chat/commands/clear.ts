import { conversationName } from '../store/conversation-folder.ts'
import type { ChatCommand } from './chat-command.ts'

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
