import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { processWorld } from '../../src/config/world.ts'
import { openLogFile } from '../../src/observe/patient-writer.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'dragoman-pipes-'))
  execFileSync('sh', ['-c', 'mkfifo "$0"', join(folder, 'pipe')])
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('a named pipe that nobody is at the other end of', () => {
  it('is no configuration file', async () => {
    await expect(processWorld({}, folder).readFile(join(folder, 'pipe'))).rejects.toThrow('no ordinary file')
  })

  it('is no log file', () => {
    expect(openLogFile(join(folder, 'pipe'))).toBeNull()
  })
})

describe('a configuration file', () => {
  it('that is a folder, or missing, is told apart', async () => {
    await expect(processWorld({}, folder).readFile(folder)).rejects.toThrow('it is a directory')
    expect(await processWorld({}, folder).readFile(join(folder, 'none'))).toBeUndefined()
  })
})
