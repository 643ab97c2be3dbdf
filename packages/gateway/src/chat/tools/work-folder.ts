import { constants } from 'node:fs'
import { type FileHandle, lstat, open, realpath, stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { fileError, ToolError } from './tool.ts'

/** The folder that tools read and write in. No path, and no link in a path, leads out of it. */
export class WorkFolder {
  /** The real path. Links are resolved before paths are compared. */
  readonly path: string

  private constructor(path: string) {
    this.path = path
  }

  static async open(path: string): Promise<WorkFolder> {
    return new WorkFolder(await realpath(path))
  }

  /** The real path of something that exists. */
  async existing(given: string): Promise<string> {
    try {
      return this.inside(await realpath(this.lexical(given)), given)
    } catch (error) {
      throw fileError(given, error)
    }
  }

  /** The real path of something that may exist or not. */
  async future(given: string): Promise<string> {
    try {
      return await this.resolveFuture(this.lexical(given), given)
    } catch (error) {
      throw fileError(given, error)
    }
  }

  /**
   * Opens an ordinary file by its real path. A folder on the way may have been replaced by a link since the path was
   * resolved, so what was opened is compared with what stands there; and nothing is opened that could keep us waiting.
   */
  async openFile(path: string, flags: number): Promise<FileHandle> {
    const file = await open(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o666)
    try {
      const opened = await file.stat()
      if (opened.isDirectory()) throw new ToolError('It is a folder: list_files shows what is in it.')
      if (!opened.isFile()) throw new ToolError('It is no ordinary file.')
      const there = await stat(this.inside(await realpath(path), this.shown(path)))
      if (there.ino !== opened.ino || there.dev !== opened.dev) {
        throw new ToolError(`${this.shown(path)}: it was replaced while it was opened.`)
      }
      return file
    } catch (error) {
      await file.close()
      throw error
    }
  }

  /** The path from the folder on, as users are shown it. */
  shown(path: string): string {
    return relative(this.path, path) || '.'
  }

  private lexical(given: string): string {
    if (given.startsWith('~'))
      throw new ToolError(`${given}: paths begin in the working folder, without "~".`)
    return this.inside(resolve(this.path, given), given)
  }

  private async resolveFuture(path: string, given: string): Promise<string> {
    const real = await unlessMissing(realpath(path))
    if (real !== undefined) return this.inside(real, given)
    // A link whose target does not exist yet would be written through, to wherever it points.
    if ((await unlessMissing(lstat(path))) !== undefined)
      throw new ToolError(`${given}: it is a broken link.`)
    return join(await this.resolveFuture(dirname(path), given), basename(path))
  }

  private inside(path: string, given: string): string {
    const way = relative(this.path, path)
    const isOutside = way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)
    if (isOutside) throw new ToolError(`${given}: this is outside the working folder, which is not allowed.`)
    return path
  }
}

async function unlessMissing<Found>(found: Promise<Found>): Promise<Found | undefined> {
  try {
    return await found
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
