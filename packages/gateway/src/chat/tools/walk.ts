import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

export interface FolderEntry {
  readonly path: string
  readonly kind: 'file' | 'folder' | 'link' | 'other'
}

const DEEPEST = 32

/** Folders that are never searched: they are large, and nobody means them. */
const skipped: ReadonlySet<string> = new Set(['.git', 'node_modules'])

/** Lists a folder by name, each folder before its contents. Links are listed and not followed. */
export async function* walk(
  folder: string,
  signal: AbortSignal,
  depth = DEEPEST,
): AsyncGenerator<FolderEntry> {
  const entries = await readdir(folder, { withFileTypes: true })
  const sorted = entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  for (const entry of sorted) {
    signal.throwIfAborted()
    const path = join(folder, entry.name)
    if (entry.isSymbolicLink()) yield { path, kind: 'link' }
    else if (entry.isFile()) yield { path, kind: 'file' }
    else if (!entry.isDirectory()) yield { path, kind: 'other' }
    else {
      yield { path, kind: 'folder' }
      if (depth > 1 && !skipped.has(entry.name)) yield* readable(walk(path, signal, depth - 1), signal)
    }
  }
}

/** A folder that may not be read must not keep the others from being listed. */
async function* readable(
  found: AsyncGenerator<FolderEntry>,
  signal: AbortSignal,
): AsyncGenerator<FolderEntry> {
  try {
    yield* found
  } catch (error) {
    signal.throwIfAborted()
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code !== 'EACCES' && code !== 'EPERM' && code !== 'ENOENT') throw error
  }
}
