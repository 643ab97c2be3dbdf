import { stat } from 'node:fs/promises'
import { fileError, ToolError, type ChatTool } from './tool.ts'
import { walk, type FolderEntry } from './walk.ts'

const MOST_ENTRIES = 500

export const listFiles: ChatTool = {
  definition: {
    name: 'list_files',
    description:
      'List what is in a folder of the working folder, one path a line; folders end in "/". ' +
      'What is in .git and node_modules is left out.',
    parameters: {
      type: 'object',
      properties: {
        folder: { type: 'string', description: 'The folder; the working folder itself if not given.' },
        recursive: { type: 'boolean', description: 'Also what is in the folders below it.' },
      },
    },
  },
  async run(given, { folder, signal }) {
    const name = typeof given['folder'] === 'string' && given['folder'] !== '' ? given['folder'] : '.'
    const start = await folder.existing(name)
    if (!(await stat(start)).isDirectory()) throw new ToolError(`${name}: it is no folder.`)
    const lines: string[] = []
    try {
      for await (const found of walk(start, signal, given['recursive'] === true ? undefined : 1)) {
        if (lines.length === MOST_ENTRIES) return [...lines, `[more than ${MOST_ENTRIES}]`].join('\n')
        lines.push(folder.shown(found.path) + marks[found.kind])
      }
    } catch (error) {
      signal.throwIfAborted()
      throw fileError(name, error)
    }
    return lines.length === 0 ? '[the folder is empty]' : lines.join('\n')
  },
}

const marks: Readonly<Record<FolderEntry['kind'], string>> = { file: '', folder: '/', link: '@', other: '?' }
