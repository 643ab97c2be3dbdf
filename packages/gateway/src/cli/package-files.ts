import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/**
 * The path of a file of this package. Compiled alone or joined to the program, this module lies two folders below the
 * package.
 */
export function packageFile(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url))
}

export async function packageVersion(): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(packageFile('package.json'), 'utf8'))
  const hasVersion = typeof manifest === 'object' && manifest !== null && 'version' in manifest
  return hasVersion ? String(manifest.version) : 'unknown'
}
