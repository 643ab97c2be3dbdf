import { randomUUID } from 'node:crypto'
import { rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolder } from '../base/make-folder.ts'
import { CliError, failure } from '../terminal/cli-error.ts'

/** Writes a file that only the user can read. It replaces another file as a whole, never by half a file. */
export async function writePrivately(path: string, text: string, isReplacing: boolean): Promise<void> {
  const target = isReplacing ? `${path}.${randomUUID()}.tmp` : path
  try {
    await makeFolder(dirname(path))
    await writeFile(target, text, { flag: 'wx', mode: 0o600, flush: true })
    if (isReplacing) await rename(target, path)
  } catch (error) {
    if (isReplacing) await rm(target, { force: true })
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') {
      throw new CliError(1, `${path} is there already`, 'Use --force to replace it.', { cause: error })
    }
    throw failure(`cannot write ${path}: ${error instanceof Error ? error.message : String(error)}`, error)
  }
}
