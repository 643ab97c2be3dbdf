import { constants } from 'node:fs'
import { type ChatTool, fileError, textArgument, ToolError, wholeArgument } from './tool.ts'
import type { WorkFolder } from './work-folder.ts'

const USUAL_LINES = 1000
const MOST_CHARACTERS = 64_000

export const readFileTool: ChatTool = {
  definition: {
    name: 'read_file',
    description: 'Read a text file of the working folder.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'The path, from the working folder.' },
        first_line: { type: 'integer', description: 'Where to begin; 1 is the first line.' },
        line_count: { type: 'integer', description: `How many lines; ${USUAL_LINES} if not given.` },
      },
      required: ['path'],
    },
  },
  async run(given, { folder }) {
    const path = textArgument(given, 'path')
    const first = wholeArgument(given, 'first_line', 1)
    const count = wholeArgument(given, 'line_count', USUAL_LINES)
    const { text, isCut } = await readText(folder, await folder.existing(path)).catch((error: unknown) => {
      throw fileError(path, error)
    })
    return excerpt(text, first, count, isCut)
  },
}

function excerpt(text: string, first: number, count: number, isCut: boolean): string {
  const lines = text.split('\n')
  if (lines.at(-1) === '' && !isCut) lines.pop()
  const total = isCut ? `more than ${lines.length}` : String(lines.length)
  if (lines.length === 0) return '[the file is empty]'
  if (first > lines.length) return `[there are ${total} lines]`

  const chosen = lines.slice(first - 1, first - 1 + count)
  const shown = chosen.join('\n').slice(0, MOST_CHARACTERS)
  const shownLines = shown.split('\n').length
  const last = first + shownLines - 1
  const isLineCut = shown.length < chosen.join('\n').length
  if (first === 1 && last === lines.length && !isLineCut && !isCut) return shown
  const cut = isLineCut ? `; line ${last} is cut off` : ''
  return `${shown}\n[lines ${first} to ${last} of ${total}${cut}]`
}

/** The most bytes of a file that are read. */
const MOST_BYTES = 8 * 1024 * 1024

export interface TextOfFile {
  readonly text: string
  /** Whether the file is longer than the text. */
  readonly isCut: boolean
}

/** Reads the text of a regular file. Reading a device or a pipe might never end. */
export async function readText(
  folder: WorkFolder,
  path: string,
  mostBytes = MOST_BYTES,
): Promise<TextOfFile> {
  const file = await folder.openFile(path, constants.O_RDONLY)
  try {
    const { size } = await file.stat()
    const length = Math.min(size, mostBytes)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0)
    const bytes = buffer.subarray(0, bytesRead)
    if (bytes.includes(0)) throw new ToolError('It holds bytes that are no text.')
    return { text: bytes.toString('utf8'), isCut: size > length }
  } finally {
    await file.close()
  }
}
