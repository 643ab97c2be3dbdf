import { constants } from 'node:fs'
import { lstat, mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import {
  fileError,
  textArgument,
  ToolError,
  type ChatTool,
  type ToolArguments,
  type ToolWorld,
} from './tool.ts'

const MOST_CHARACTERS = 4_000_000
const SHOWN_LINES = 12

export const writeFileTool: ChatTool = {
  definition: {
    name: 'write_file',
    description:
      'Write a text file in the working folder; one that is there is replaced. The user is asked first.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'The path, from the working folder.' },
        content: { type: 'string', description: 'The whole text of the file.' },
      },
      required: ['path', 'content'],
    },
  },
  permission: { to: 'write', describe, isGrave: runsByItself },
  async run(given, { folder }) {
    const content = contentOf(given)
    const name = textArgument(given, 'path')
    const path = await folder.future(name)
    try {
      await isFile(path, name)
      await mkdir(dirname(path), { recursive: true })
      const file = await folder.openFile(path, constants.O_WRONLY | constants.O_CREAT)
      try {
        // Only now is it known to be the file that was meant.
        await file.truncate()
        await file.writeFile(content)
      } finally {
        await file.close()
      }
    } catch (error) {
      throw fileError(name, error)
    }
    return `Wrote ${Buffer.byteLength(content)} bytes to ${folder.shown(path)}.`
  },
}

async function describe(given: ToolArguments, { folder }: ToolWorld): Promise<string> {
  const content = contentOf(given)
  const path = await folder.future(textArgument(given, 'path'))
  const isThere = await isFile(path, folder.shown(path))
  const lines = content.split('\n')
  const more = lines.length - SHOWN_LINES
  return [
    `${isThere ? 'Replace' : 'Write'} ${folder.shown(path)} (${Buffer.byteLength(content)} bytes)`,
    ...lines.slice(0, SHOWN_LINES).map((line) => `  ${line}`),
    ...(more > 0 ? [`  … and ${more} more lines`] : []),
  ].join('\n')
}

/**
 * Whether a program runs what is in the file without anybody asking for it: to write it is to run a command, which needs
 * the word of the user each time.
 */
async function runsByItself(given: ToolArguments, { folder }: ToolWorld): Promise<boolean> {
  const steps = folder
    .shown(await folder.future(textArgument(given, 'path')))
    .toLowerCase()
    .split(/[\\/]/)
  return steps.some((step) => runFolders.has(step)) || runFiles.has(steps.at(-1) ?? '')
}

const runFolders: ReadonlySet<string> = new Set([
  '.git',
  '.husky',
  '.githooks',
  '.vscode',
  '.idea',
  '.devcontainer',
  '.direnv',
  '.ssh',
])

const runFiles: ReadonlySet<string> = new Set([
  '.envrc',
  '.bashrc',
  '.bash_profile',
  '.profile',
  '.zshrc',
  '.zshenv',
  '.zprofile',
  '.gitconfig',
  '.gitmodules',
  '.gitattributes',
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  '.pre-commit-config.yaml',
  '.mcp.json',
])

/** The content may be empty: an empty file is a file too. */
function contentOf({ content }: ToolArguments): string {
  if (typeof content !== 'string') throw new ToolError('"content" is needed and must be a text.')
  if (content.length > MOST_CHARACTERS)
    throw new ToolError(`More than ${MOST_CHARACTERS} characters at once.`)
  return content
}

/** Returns false where nothing exists. Throws where something other than a file does. */
async function isFile(path: string, name: string): Promise<boolean> {
  try {
    const found = await lstat(path)
    if (!found.isFile()) throw new ToolError(`${name}: it is there, and is no file.`)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
    throw fileError(name, error)
  }
}
