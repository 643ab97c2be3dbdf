import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/**
 * Where a file of this package lies, wherever the package is installed. Here, compiled and joined to the program, this
 * file is two folders below.
 */
function packageFile(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url))
}

export async function packageVersion(): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(packageFile('package.json'), 'utf8'))
  const hasVersion = typeof manifest === 'object' && manifest !== null && 'version' in manifest
  return hasVersion ? String(manifest.version) : 'unknown'
}
