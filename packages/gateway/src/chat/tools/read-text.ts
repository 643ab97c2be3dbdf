import { open } from 'node:fs/promises'
import { ToolError } from './tool.ts'

/** The most of a file that is looked at. */
const MOST_BYTES = 8 * 1024 * 1024

export interface TextOfFile {
  readonly text: string
  /** Whether there is more in the file. */
  readonly isCut: boolean
}

/** The text of a regular file. A device or a pipe would never end. */
export async function readText(path: string, mostBytes = MOST_BYTES): Promise<TextOfFile> {
  const file = await open(path)
  try {
    const stat = await file.stat()
    if (stat.isDirectory()) throw new ToolError('It is a folder: list_files shows what is in it.')
    if (!stat.isFile()) throw new ToolError('It is no ordinary file.')
    const length = Math.min(stat.size, mostBytes)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0)
    const bytes = buffer.subarray(0, bytesRead)
    if (bytes.includes(0)) throw new ToolError('It holds bytes that are no text.')
    return { text: bytes.toString('utf8'), isCut: stat.size > length }
  } finally {
    await file.close()
  }
}
