import { mkdirSync, statSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

const OWNER_ONLY = 0o700

/**
 * Makes a folder and those above it that are missing, for their owner alone. Where the folder above is there and
 * none can be made in it (`/proc`), Node's own recursive way would try for ever.
 */
export async function makeFolder(path: string): Promise<void> {
  if (await makeOne(path)) return
  await makeFolder(dirname(path))
  if (!(await makeOne(path))) throw cannotMake(path)
}

export function makeFolderSync(path: string): void {
  if (makeOneSync(path)) return
  makeFolderSync(dirname(path))
  if (!makeOneSync(path)) throw cannotMake(path)
}

/** False where the folder above is missing. That it is there already is no fault: another process may make it too. */
async function makeOne(path: string): Promise<boolean> {
  try {
    await mkdir(path, OWNER_ONLY)
    return true
  } catch (error) {
    if (isCode(error, 'ENOENT') && dirname(path) !== path) return false
    if (isCode(error, 'EEXIST') && (await stat(path)).isDirectory()) return true
    throw error
  }
}

function makeOneSync(path: string): boolean {
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

function cannotMake(path: string): Error {
  return new Error(`no folder can be made at ${path}`)
}
