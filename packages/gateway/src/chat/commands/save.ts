import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { firstLine, type StoredLine } from '../store/conversation-lines.ts'
import { CommandError, type ChatCommand } from './chat-command.ts'

export const save: ChatCommand = {
  name: 'save',
  operand: '[FILE]',
  summary: 'write the conversation to a file; it is stored anyway',
  async run(operand, { session, view, folder }) {
    if (operand === '') {
      view.print(
        session.contents.length === 0 ? 'There is nothing to store yet.' : `It is stored in ${session.path}`,
      )
      return
    }
    const path = resolve(folder.path, operand)
    const contents = session.contents.map((content): StoredLine => ({
      type: 'content',
      model: session.model,
      ...content,
    }))
    const lines = [firstLine(new Date(), folder.path), ...contents]
    try {
      // A file that exists is not overwritten.
      await writeFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''), {
        flag: 'wx',
        mode: 0o600,
      })
    } catch (error) {
      const reason =
        error instanceof Error && 'code' in error && error.code === 'EEXIST' ? exists : String(error)
      throw new CommandError(`${path} was not written: ${reason}`)
    }
    view.print(`Saved to ${path}`)
  },
}

const exists = 'there is such a file already, and nothing is overwritten'
