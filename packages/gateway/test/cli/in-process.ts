import { Readable, Writable } from 'node:stream'
import { runCommandLine } from '../../src/cli/main.ts'
import { Output } from '../../src/terminal/output.ts'
import type { Finished } from './run-cli.ts'

/** No file is open by this number, so that the streams below are no terminal. */
const noDescriptor = -1

interface Surroundings {
  readonly input?: string | Uint8Array
  readonly env?: Record<string, string>
  readonly cwd?: string
}

/**
 * Runs the command line to its end inside this process, with this input, environment and working folder. A process for each
 * would take a hundred times as long to start as most commands take to run. What a process of its own changes (signals,
 * pipes that close, memory) needs the program in run-cli.ts.
 */
export async function dragoman(
  args: readonly string[],
  { input = '', env = {}, cwd = process.cwd() }: Surroundings = {},
): Promise<Finished> {
  const stdin = Readable.from(input.length === 0 ? [] : [Buffer.from(input)], { objectMode: false })
  const written = { stdout: '', stderr: '' }
  const output = (name: keyof typeof written, unread: 'stop' | 'ignore'): Output => {
    const stream = new Writable({
      decodeStrings: false,
      write(text: string, _encoding, done) {
        written[name] += text
        done()
      },
    })
    return new Output(Object.assign(stream, { fd: noDescriptor }), env, unread)
  }
  const code = await runCommandLine(args, {
    stdin: Object.assign(stdin, { fd: noDescriptor, unref: () => undefined }),
    stdout: output('stdout', 'stop'),
    stderr: output('stderr', 'ignore'),
    env,
    cwd: () => cwd,
    now: () => performance.now(),
  })
  return { code, ...written }
}
