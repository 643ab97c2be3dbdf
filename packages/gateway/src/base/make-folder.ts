import { mkdirSync, statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'

const OWNER_ONLY = 0o700

/** Makes a folder where it is missing. The usual case, in which the folder exists, does not block the process. */
export async function makeFolder(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  if (found?.isDirectory() !== true) makeFolderSync(path)
}

/**
 * Makes a folder and the missing ones above it, for their owner alone. Node's own `recursive` option is not used: in
 * a folder that exists but takes no new ones, such as `/proc`, it retries for ever.
 */
export function makeFolderSync(path: string): void {
  if (makeOne(path)) return
  makeFolderSync(dirname(path))
  if (!makeOne(path)) throw new Error(`no folder can be made at ${path}`)
}

/**
 * Returns false where the folder above is missing. A folder that exists is fine, as another process may make it at
 * the same time.
 */
function makeOne(path: string): boolean {
  try {
    mkdirSync(path, OWNER_ONLY)
    return true
  } catch (error) {
    if (isCode(error, 'ENOENT') && dirname(path) !== path) return false
    if (isCode(error, 'EEXIST') && statSync(path).isDirectory()) return true
    throw error
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
