import type { Readable } from 'node:stream'
import { Output } from './output.ts'

/** All that a command may touch of the world around it. */
export interface Io {
  readonly stdin: StandardInput
  readonly stdout: Output
  readonly stderr: Output
  readonly env: NodeJS.ProcessEnv
  /** The working folder. A process whose folder was removed throws here. */
  readonly cwd: () => string
  readonly now: () => number
}

/** A terminal, a pipe or a file. */
export interface StandardInput extends Readable {
  readonly fd: number
  readonly isTTY?: boolean
  unref(): unknown
}

export function processIo(): Io {
  return {
    stdin: process.stdin,
    stdout: new Output(process.stdout, process.env, 'stop'),
    stderr: new Output(process.stderr, process.env, 'ignore'),
    env: process.env,
    cwd: () => process.cwd(),
    now: () => performance.now(),
  }
}
