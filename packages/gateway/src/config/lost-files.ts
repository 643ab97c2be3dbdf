import type { LoadedConfig } from './load.ts'
import type { ConfigIssue } from './origin.ts'

/**
 * The files that are in force and say nothing in a configuration that was read after them. A file can be gone, or
 * empty, while somebody writes it; taken over like that, the gateway would do without its keys and its upstreams.
 */
export function lostFiles(inForce: readonly string[], next: LoadedConfig): ConfigIssue[] {
  return inForce
    .filter((file) => !next.tellingFiles.includes(file))
    .map((file) => {
      const fate = next.files.includes(file) ? 'is empty' : 'is gone'
      const message = `${file}: ${fate}; the gateway does without it after a restart only`
      return { origin: { from: 'default' }, path: '', message }
    })
}
