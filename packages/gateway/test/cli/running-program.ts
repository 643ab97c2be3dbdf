import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { binary } from './run-cli.ts'

export interface RunningProgram {
  readonly child: ChildProcess
  readonly address: string
  /** All that it has written so far. */
  readonly stdout: () => string
  readonly stderr: () => string
  /** Resolves to its exit code, or to the signal that ended it. */
  readonly exit: Promise<unknown>
}

export interface ProgramOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** `never`: what it writes to standard error fills the pipe. */
  readonly readsStderr?: 'always' | 'never'
  /** How many files and sockets it may have open. */
  readonly descriptors?: number
}

const running: ChildProcess[] = []

/** Starts the built program; resolves once it listens. */
export async function startProgram(
  args: readonly string[],
  { env = {}, cwd, readsStderr = 'always', descriptors }: ProgramOptions = {},
): Promise<RunningProgram> {
  const program = [process.execPath, binary, ...args]
  const limited = ['sh', '-c', `ulimit -n ${descriptors}; exec "$@"`, 'sh', ...program]
  const [command = '', ...rest] = descriptors === undefined ? program : limited
  const child = spawn(command, rest, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], ...env },
    cwd,
  })
  running.push(child)
  const written = { stdout: '', stderr: '' }
  if (readsStderr === 'always') {
    child.stderr.setEncoding('utf8').on('data', (text: string) => (written.stderr += text))
  }
  const exit = once(child, 'exit').then(([code, signal]: unknown[]) => code ?? signal)
  const address = await new Promise<string>((resolve, fail) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      written.stdout += text
      const found = /^dragoman listening on (\S+)\n/.exec(written.stdout)?.[1]
      if (found !== undefined) resolve(found)
    })
    void exit.then((code) => fail(new Error(`it ended with ${String(code)}: ${written.stderr}`)))
  })
  return { child, address, stdout: () => written.stdout, stderr: () => written.stderr, exit }
}

export function stopPrograms(): void {
  for (const child of running.splice(0)) child.kill('SIGKILL')
}
