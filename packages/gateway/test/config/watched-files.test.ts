import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  watch as watchFolder,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { WatchedFiles } from '../../src/config/watched-files.ts'

const open: { close(): void }[] = []

afterEach(() => {
  for (const each of open.splice(0)) each.close()
})

let sentinels = 0

/**
 * Resolves when every change that was made before has been reported: the system reports the changes of all folders in
 * the order in which they were made.
 */
async function allReported(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-sentinel-'))
  const name = `sentinel-${sentinels++}`
  await new Promise<void>((resolve) => {
    const watcher = watchFolder(folder, (_event, changed) => {
      if (changed !== name) return
      watcher.close()
      resolve()
    })
    writeFileSync(join(folder, name), '')
  })
  rmSync(folder, { recursive: true, force: true })
}

interface Lab {
  readonly at: (...names: string[]) => string
  readonly watch: (...files: string[]) => void
  /** Whether a change is noticed; the links are followed anew after it, as they are when a file is read. */
  readonly notices: (change: () => void) => Promise<boolean>
}

function lab(): Lab {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'dragoman-')))
  const at = (...names: string[]): string => join(dir, ...names)
  const changes = vi.fn<() => void>()
  let files: WatchedFiles | undefined
  return {
    at,
    watch: (...paths) => {
      files = new WatchedFiles(
        paths.map((path) => at(path)),
        changes,
      )
      open.push(files, { close: () => rmSync(dir, { recursive: true, force: true }) })
    },
    notices: async (change) => {
      changes.mockClear()
      change()
      await allReported()
      const isNoticed = changes.mock.calls.length > 0
      files?.follow()
      await allReported()
      return isNoticed
    },
  }
}

describe.runIf(process.platform === 'linux')('a change is noticed', () => {
  it('of a file, of one that takes its place, and of one that appears', async () => {
    const { at, watch, notices } = lab()
    watch('c.yaml')
    expect(await notices(() => writeFileSync(at('c.yaml'), '1'))).toBe(true)
    expect(await notices(() => writeFileSync(at('c.yaml'), '2'))).toBe(true)
    writeFileSync(at('other'), '3')
    expect(await notices(() => renameSync(at('other'), at('c.yaml')))).toBe(true)
    expect(await notices(() => rmSync(at('c.yaml')))).toBe(true)
    expect(await notices(() => writeFileSync(at('c.yaml'), '4'))).toBe(true)
  })

  it('of the file that a link leads to, and of the link', async () => {
    const { at, watch, notices } = lab()
    for (const folder of ['a', 'b']) {
      mkdirSync(at(folder))
      writeFileSync(at(folder, 'd.yaml'), '1')
    }
    symlinkSync('a/d.yaml', at('c.yaml'))
    watch('c.yaml')
    expect(await notices(() => writeFileSync(at('a', 'd.yaml'), '2'))).toBe(true)
    symlinkSync('b/d.yaml', at('new'))
    expect(await notices(() => renameSync(at('new'), at('c.yaml')))).toBe(true)
    expect(await notices(() => writeFileSync(at('b', 'd.yaml'), '2'))).toBe(true)
    expect(await notices(() => writeFileSync(at('a', 'd.yaml'), '3'))).toBe(false)
  })

  it('of a link between the link and the file, time and again: the way of Kubernetes', async () => {
    const { at, watch, notices } = lab()
    mkdirSync(at('mounted'))
    const provide = (version: string): void => {
      mkdirSync(at('mounted', version))
      writeFileSync(at('mounted', version, 'c.yaml'), version)
      symlinkSync(version, at('mounted', '..data_tmp'))
    }
    const swap = (): void => renameSync(at('mounted', '..data_tmp'), at('mounted', '..data'))
    provide('..1')
    swap()
    symlinkSync('..data/c.yaml', at('mounted', 'c.yaml'))
    symlinkSync('mounted/c.yaml', at('c.yaml'))
    watch('c.yaml')
    for (const version of ['..2', '..3']) {
      expect(await notices(() => provide(version))).toBe(false)
      expect(await notices(swap)).toBe(true)
    }
    expect(await notices(() => rmSync(at('mounted', '..1'), { recursive: true }))).toBe(false)
  })

  it('of a folder above it that is a link, or that another takes the place of', async () => {
    const { at, watch, notices } = lab()
    for (const release of ['1', '2', '3']) {
      mkdirSync(at(release))
      writeFileSync(at(release, 'c.yaml'), release)
    }
    symlinkSync('1', at('current'))
    watch('current/c.yaml')
    symlinkSync('2', at('new'))
    expect(await notices(() => renameSync(at('new'), at('current')))).toBe(true)
    expect(await notices(() => renameSync(at('2'), at('old')))).toBe(true)
    expect(await notices(() => renameSync(at('3'), at('2')))).toBe(true)
    expect(await notices(() => writeFileSync(at('2', 'c.yaml'), '4'))).toBe(true)
  })
})

describe('no change is noticed', () => {
  it('where others write into the same folder', async () => {
    const { at, watch, notices } = lab()
    writeFileSync(at('c.yaml'), '1')
    watch('c.yaml')
    await allReported()
    expect(await notices(() => writeFileSync(at('gateway.log'), '1'))).toBe(false)
    expect(await notices(() => mkdirSync(at('recordings')))).toBe(false)
  })

  it('where the links lead nowhere, or in a circle, or the folder was never made', async () => {
    const { at, watch, notices } = lab()
    symlinkSync('b', at('a'))
    symlinkSync('a', at('b'))
    watch('a', 'nobody/made/c.yaml')
    expect(await notices(() => mkdirSync(at('nobody')))).toBe(false)
  })
})
