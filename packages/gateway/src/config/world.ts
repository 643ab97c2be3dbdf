import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { homedir } from 'node:os'
import type { Environment } from './interpolate.ts'

/** All that reading the configuration may touch of the world around it. */
export interface ConfigWorld {
  readonly env: Environment
  readonly cwd: string
  readonly home: string
  readonly platform: NodeJS.Platform
  /** The groups that this process belongs to, as numbers. */
  readonly groups: readonly number[]
  /** Resolves to undefined where there is no such file. */
  readFile(path: string): Promise<ConfigFile | undefined>
}

export interface ConfigFile {
  readonly text: string
  /** The permission bits. */
  readonly mode: number
  /** The group of the file, as a number. */
  readonly group: number
}

export function processWorld(env: Environment, cwd: string): ConfigWorld {
  return {
    env,
    cwd,
    home: homedir(),
    platform: process.platform,
    groups: ownGroups(),
    readFile: readFromDisk,
  }
}

/** Windows has none of these. */
function ownGroups(): number[] {
  const { getegid, getgroups } = process
  return [...(getegid === undefined ? [] : [getegid()]), ...(getgroups === undefined ? [] : getgroups())]
}

async function readFromDisk(path: string): Promise<ConfigFile | undefined> {
  try {
    // A pipe that nobody writes to would keep whoever opens it waiting, and a later reload and the end of the process too.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const found = await file.stat()
      if (found.isDirectory()) throw new Error('it is a directory')
      if (!found.isFile()) throw new Error('it is no ordinary file')
      return { text: await file.readFile('utf8'), mode: found.mode, group: found.gid }
    } finally {
      await file.close()
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw error
  }
}
