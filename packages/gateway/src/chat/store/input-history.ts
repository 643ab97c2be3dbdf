import { appendFile, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeFolder } from '../../base/make-folder.ts'

const KEPT = 1000

/** The inputs of all chats, as one JSON text for each line, since an input may have several lines. */
export class InputHistory {
  private readonly path: string

  constructor(folder: string) {
    this.path = join(folder, 'history')
  }

  /** Loads the inputs, the latest first, as line editors expect them. */
  async load(): Promise<string[]> {
    const lines = (await readFile(this.path, 'utf8').catch(() => '')).split('\n')
    const inputs = lines.flatMap(readInput)
    if (inputs.length > 2 * KEPT) await this.shorten(inputs.slice(-KEPT)).catch(() => undefined)
    return inputs.slice(-KEPT).toReversed()
  }

  /** Errors are ignored: a history that cannot be written is no reason to stop. */
  async add(input: string): Promise<void> {
    try {
      await makeFolder(dirname(this.path))
      await appendFile(this.path, `${JSON.stringify(input)}\n`, { mode: 0o600 })
    } catch {
      return
    }
  }

  private async shorten(inputs: readonly string[]): Promise<void> {
    const shorter = `${this.path}.new`
    await writeFile(shorter, inputs.map((input) => `${JSON.stringify(input)}\n`).join(''), { mode: 0o600 })
    await rename(shorter, this.path)
  }
}

function readInput(line: string): string[] {
  try {
    const input: unknown = JSON.parse(line)
    return typeof input === 'string' && input !== '' ? [input] : []
  } catch {
    return []
  }
}
