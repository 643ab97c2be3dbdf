import { constants } from 'node:fs'
import { access, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { RecordConfig } from '../config/config.ts'
import { makeFolder } from '../base/make-folder.ts'

/** A sweep makes room for several recordings, as looking through the folder for each one would be slow. */
const KEPT_SHARE = 0.9

/** A partial file that is older than this was given up by its process. */
const PARTIAL_MS = 3_600_000

/** The names of recordings. No file with another name is ever removed. */
const recordingName = /^(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\d\.\d{3}Z)-[\w-]+\.json(\.partial)?$/

/** When an exchange was recorded and which one it is, as the name of its file says; undefined for any other name. */
export function recordingPlace(name: string): { readonly time: string; readonly id: string } | undefined {
  const [, day, hours, minutes, rest, partial] = recordingName.exec(name) ?? []
  if (day === undefined || partial !== undefined) return undefined
  const id = name.slice('2026-03-04T05-06-07.008Z-'.length, -'.json'.length)
  return { time: `${day}${hours}:${minutes}:${rest}`, id }
}

/** The names of the recordings in a folder, oldest first. */
export async function recordingsIn(dir: string): Promise<string[]> {
  const names = await readdir(dir)
  return names.filter((name) => recordingName.test(name) && !name.endsWith('.partial')).toSorted()
}

/** Makes the folder, or throws where nothing can be recorded in it. */
export async function prepareFolder(dir: string): Promise<void> {
  await makeFolder(dir)
  await access(dir, constants.W_OK | constants.X_OK)
}

/** The folder of the recordings, and how much it may hold. */
export class RecordingFolder {
  private readonly config: RecordConfig
  private readonly now: () => number
  private readonly writers: number
  /** The bytes in the folder, as far as we know. The other processes are assumed to write as much as this one. */
  private size = 0

  constructor(config: RecordConfig, now: () => number, writers = 1) {
    this.config = config
    this.now = now
    this.writers = writers
  }

  async open(): Promise<void> {
    await this.make()
    await this.sweep()
  }

  async write(time: string, requestId: string, text: string): Promise<void> {
    await this.make()
    const path = join(this.config.dir, `${time.replaceAll(':', '-')}-${requestId}.json`)
    // The file gets its name when it is complete, so that nobody reads half a recording.
    const partial = `${path}.partial`
    try {
      await writeFile(partial, text, { mode: 0o600, flag: 'wx' })
      await rename(partial, path)
    } catch (error) {
      await rm(partial, { force: true })
      throw error
    }
    this.size += Buffer.byteLength(text) * this.writers
    if (this.size > this.config.maxBytes) await this.sweep()
  }

  /** Removes recordings that are too old, and the oldest ones while the folder is too large. */
  async sweep(): Promise<void> {
    const { maxBytes, maxAge } = this.config
    const found = await this.look()
    let size = found.reduce((sum, file) => sum + file.size, 0)
    const goal = size > maxBytes ? maxBytes * KEPT_SHARE : maxBytes
    const removed = found.filter((file) => {
      const age = this.now() - file.time
      const isStale = age > maxAge || (file.isPartial && age > PARTIAL_MS)
      if (!isStale && size <= goal) return false
      size -= file.size
      return true
    })
    await inSlices(removed, ({ name }) => rm(join(this.config.dir, name), { force: true }))
    this.size = size
  }

  private async make(): Promise<void> {
    await makeFolder(this.config.dir)
  }

  private async look(): Promise<FoundFile[]> {
    const names = (await readdir(this.config.dir)).toSorted()
    const files = await inSlices(names, (name) => this.lookAt(name))
    return files.filter((file) => file !== undefined)
  }

  private async lookAt(name: string): Promise<FoundFile | undefined> {
    const [, day, hours, minutes, rest, partial] = recordingName.exec(name) ?? []
    if (day === undefined) return undefined
    // Another process may have removed the file meanwhile.
    const size = await stat(join(this.config.dir, name)).then(
      (found) => found.size,
      () => 0,
    )
    return {
      name,
      size,
      time: Date.parse(`${day}${hours}:${minutes}:${rest}`),
      isPartial: partial !== undefined,
    }
  }
}

/** How many files are asked about at once. Thousands at once would keep every stream waiting until all are begun. */
const SLICE = 64

async function inSlices<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const next = async (from: number): Promise<Result[]> => {
    if (from >= items.length) return results
    results.push(...(await Promise.all(items.slice(from, from + SLICE).map(work))))
    await setImmediate()
    return next(from + SLICE)
  }
  return next(0)
}

interface FoundFile {
  readonly name: string
  readonly size: number
  readonly time: number
  readonly isPartial: boolean
}
