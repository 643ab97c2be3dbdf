import { mkdirSync, statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'

const OWNER_ONLY = 0o700

/** Blocks nothing where the folder is there, as it nearly always is. */
export async function makeFolder(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  if (found?.isDirectory() !== true) makeFolderSync(path)
}

/**
 * Makes a folder and those above it that are missing, for their owner alone. Where the folder above is there and
 * none can be made in it (`/proc`), Node's own recursive way would try for ever.
 */
export function makeFolderSync(path: string): void {
  if (makeOne(path)) return
  makeFolderSync(dirname(path))
  if (!makeOne(path)) throw new Error(`no folder can be made at ${path}`)
}

/** False where the folder above is missing. That it is there already is no fault: another process may make it too. */
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
