import { Output } from './output.ts'

/** All that a command may touch of the world around it. */
export interface Io {
  readonly stdin: NodeJS.ReadStream & { readonly fd: number }
  readonly stdout: Output
  readonly stderr: Output
  readonly env: NodeJS.ProcessEnv
  readonly now: () => number
}

export function processIo(): Io {
  return {
    stdin: process.stdin,
    stdout: new Output(process.stdout, process.env, 'stop'),
    stderr: new Output(process.stderr, process.env, 'ignore'),
    env: process.env,
    now: () => performance.now(),
  }
}
