import { readFile, stat } from 'node:fs/promises'
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

export function processWorld(env: Environment): ConfigWorld {
  return {
    env,
    cwd: process.cwd(),
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
    const [text, { mode, gid }] = await Promise.all([readFile(path, 'utf8'), stat(path)])
    return { text, mode, group: gid }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw error
  }
}
