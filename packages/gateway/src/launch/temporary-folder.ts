import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A folder for one run, which its owner alone can read. It is gone when the process ends, however it does. */
export class TemporaryFolder {
  readonly path: string

  constructor() {
    this.path = mkdtempSync(join(tmpdir(), 'dragoman-run-'))
    process.once('exit', this.remove)
  }

  write(files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) {
      const path = join(this.path, name)
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      writeFileSync(path, text, { mode: 0o600 })
    }
  }

  readonly remove = (): void => {
    process.off('exit', this.remove)
    rmSync(this.path, { recursive: true, force: true, maxRetries: 3 })
  }
}
