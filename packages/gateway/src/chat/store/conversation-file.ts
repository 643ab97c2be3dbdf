import { createReadStream } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { readLines } from '../../terminal/lines.ts'
import { makeFolder } from '../../base/make-folder.ts'
import { readConversation, type StoredConversation, type StoredLine } from './conversation-lines.ts'

export function loadConversation(path: string): Promise<StoredConversation> {
  return readConversation(readLines(createReadStream(path)))
}

/**
 * A file that only grows, by whole lines. Whatever happens, at most the line that is being written is lost. The file
 * is created with its first line.
 */
export class ConversationFile {
  readonly path: string
  private readonly start: StoredLine
  private file: Promise<FileHandle> | undefined
  /** Whether the file may end in half a line. Then the next line must not be appended to it. */
  private endsInHalfLine = false
  private last: Promise<void> = Promise.resolve()

  /** `start` becomes the first line of a new file. */
  constructor(path: string, start: StoredLine) {
    this.path = path
    this.start = start
  }

  /** Resolves when the line is on the disk. Lines are written one after the other. */
  append(line: StoredLine): Promise<void> {
    const written = this.last.then(() => this.write(line))
    this.last = written.catch(() => undefined)
    return written
  }

  async close(): Promise<void> {
    await this.last
    const file = await this.file?.catch(() => undefined)
    this.file = undefined
    await file?.close()
  }

  private async write(line: StoredLine): Promise<void> {
    this.file ??= this.open()
    const file = await this.file.catch((error: unknown) => {
      this.file = undefined
      throw error
    })
    const text = `${this.endsInHalfLine ? '\n' : ''}${JSON.stringify(line)}\n`
    this.endsInHalfLine = true
    await file.appendFile(text)
    this.endsInHalfLine = false
    await file.datasync()
  }

  private async open(): Promise<FileHandle> {
    await makeFolder(dirname(this.path))
    const file = await open(this.path, 'a+', 0o600)
    const { size } = await file.stat()
    if (size === 0) {
      await file.appendFile(`${JSON.stringify(this.start)}\n`)
    } else {
      const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1)
      this.endsInHalfLine = buffer[0] !== 0x0a
    }
    return file
  }
}
