import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder for one run, which its owner alone can read. It is gone when the process ends, however it does. */
export class TemporaryFolder {
  readonly path: string

  constructor() {
    this.path = mkdtempSync(join(tmpdir(), 'dragoman-run-'))
    process.once('exit', this.remove)
  }

  write(files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(join(this.path, name), text, { mode: 0o600 })
    }
  }

  readonly remove = (): void => {
    process.off('exit', this.remove)
    rmSync(this.path, { recursive: true, force: true, maxRetries: 3 })
  }
}
