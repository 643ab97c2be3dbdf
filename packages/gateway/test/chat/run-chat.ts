import { type ChildProcess, spawn } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { dragoman } from '../cli/in-process.ts'
import { binary, type Finished } from '../cli/run-cli.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** A working folder and a state folder for chats of the built program. */
export class ChatPlace {
  readonly folder: string
  readonly state: string

  private constructor(folder: string, state: string) {
    this.folder = folder
    this.state = state
  }

  static async make(): Promise<ChatPlace> {
    return new ChatPlace(await temporaryFolder(), await temporaryFolder())
  }

  /** The same state, in a folder below. */
  in(folder: string): ChatPlace {
    return new ChatPlace(join(this.folder, folder), this.state)
  }

  start(args: readonly string[], env: Record<string, string> = {}): RunningChat {
    return new RunningChat(
      spawn(process.execPath, [binary, 'chat', ...args], {
        cwd: this.folder,
        env: { PATH: process.env['PATH'], HOME: this.state, XDG_STATE_HOME: this.state, ...env },
      }),
    )
  }

  /** Runs a chat with these inputs, to its end. Prompts take nothing from its standard input, which is no pipe. */
  run(args: readonly string[], ...inputs: readonly string[]): Promise<Finished> {
    return dragoman(['chat', ...args], {
      input: inputs.map((input) => `${input}\n`).join(''),
      env: { HOME: this.state, XDG_STATE_HOME: this.state },
      cwd: this.folder,
    })
  }

  /** The same in a process of its own. */
  runProgram(args: readonly string[], ...inputs: readonly string[]): Promise<Finished> {
    const chat = this.start(args)
    chat.type(...inputs)
    return chat.end()
  }

  /** The stored conversations: their paths, and their lines. */
  async stored(): Promise<{ path: string; text: string }[]> {
    const folder = join(this.state, 'dragoman', 'conversations')
    const names = await readdir(folder).catch(() => [])
    const paths = names.map((name) => join(folder, name))
    return Promise.all(paths.map(async (path) => ({ path, text: await readFile(path, 'utf8') })))
  }
}

export class RunningChat {
  stdout = ''
  stderr = ''
  readonly child: ChildProcess
  private readonly code: Promise<number | null>

  constructor(child: ChildProcess) {
    this.child = child
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.stdout += text))
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text))
    child.stdin?.on('error', () => undefined)
    this.code = new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('close', resolve)
    })
  }

  type(...inputs: readonly string[]): void {
    for (const input of inputs) this.child.stdin?.write(`${input}\n`)
  }

  async end(): Promise<Finished> {
    this.child.stdin?.end()
    return { code: await this.code, stdout: this.stdout, stderr: this.stderr }
  }
}
