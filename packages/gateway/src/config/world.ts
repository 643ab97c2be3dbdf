import { readFile, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import type { Environment } from './interpolate.ts'

/** All that reading the configuration may touch of the world around it. */
export interface ConfigWorld {
  readonly env: Environment
  readonly cwd: string
  readonly home: string
  readonly platform: NodeJS.Platform
  /** Resolves to undefined where there is no such file. */
  readFile(path: string): Promise<ConfigFile | undefined>
}

export interface ConfigFile {
  readonly text: string
  /** The permission bits. */
  readonly mode: number
}

export function processWorld(env: Environment): ConfigWorld {
  return { env, cwd: process.cwd(), home: homedir(), platform: process.platform, readFile: readFromDisk }
}

async function readFromDisk(path: string): Promise<ConfigFile | undefined> {
  try {
    const [text, { mode }] = await Promise.all([readFile(path, 'utf8'), stat(path)])
    return { text, mode }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw error
  }
}
