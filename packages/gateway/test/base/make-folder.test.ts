import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeFolder, makeFolderSync } from '../../src/base/make-folder.ts'

let base = ''
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'dragoman-folder-'))
})
afterEach(() => rm(base, { recursive: true }))

const ways = [
  ['makeFolder', makeFolder],
  ['makeFolderSync', async (path: string) => makeFolderSync(path)],
] as const

describe.each(ways)('%s', (_name, make) => {
  it('makes what is missing, for its owner alone', async () => {
    const path = join(base, 'a', 'b', 'c')
    await make(path)
    expect((await stat(path)).mode & 0o777).toBe(0o700)
    expect((await stat(join(base, 'a'))).mode & 0o777).toBe(0o700)
  })

  it('leaves a folder that is there as it is', async () => {
    const before = await stat(base)
    await make(base)
    expect((await stat(base)).mode).toBe(before.mode)
  })

  it('makes a folder that somebody else makes at the same time', async () => {
    const path = join(base, 'x', 'y')
    await Promise.all([make(path), make(path), make(path)])
    expect((await stat(path)).isDirectory()).toBe(true)
  })

  it('fails where a file is in the way', async () => {
    const file = join(base, 'file')
    await writeFile(file, '')
    await expect(make(file)).rejects.toThrow(/EEXIST/)
    await expect(make(join(file, 'x'))).rejects.toThrow(/ENOTDIR/)
  })

  it.runIf(process.platform === 'linux')('fails, and soon, where no folder can be made', async () => {
    await expect(make('/proc/dragoman/x')).rejects.toThrow('/proc/dragoman')
  })
})
