import { lstat, realpath } from 'node:fs/promises'
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
