import { spawn, type ChildProcess } from 'node:child_process'
import { HeadAndTail } from './head-and-tail.ts'
import { textArgument, ToolError, wholeArgument, type ChatTool, type ToolWorld } from './tool.ts'

const USUAL_SECONDS = 120
const MOST_SECONDS = 600
const KEPT_BYTES = 32 * 1024
/** How long a command may take to end after SIGTERM, before it is killed. */
const KILL_MS = 2000
/** How long the output may take to arrive after the command has ended. */
const DRAIN_MS = 300

export const runCommand: ChatTool = {
  definition: {
    name: 'run_command',
    description: 'Run a command of the shell in the working folder. The user sees it and is asked first.',
    parameters: {
      type: 'object',
      properties: {
        command: { type: 'string', description: 'The command, as for sh -c.' },
        timeout_seconds: { type: 'integer', description: `${USUAL_SECONDS} if not given.` },
      },
      required: ['command'],
    },
  },
  permission: { to: 'run', describe: async (given) => `Run ${textArgument(given, 'command')}` },
  async run(given, world) {
    const command = textArgument(given, 'command')
    const seconds = Math.min(wholeArgument(given, 'timeout_seconds', USUAL_SECONDS), MOST_SECONDS)
    const { output, end } = await execute(command, seconds, world)
    const shown = output === '' ? '[no output]' : output.trimEnd()
    if (end === 0) return shown
    throw new ToolError(`${shown}\n[${typeof end === 'number' ? `exit code ${end}` : end}]`)
  },
}

interface Executed {
  readonly output: string
  /** The exit code, or a text that says why there is none. */
  readonly end: number | string
}

async function execute(
  command: string,
  seconds: number,
  { folder, env, signal }: ToolWorld,
): Promise<Executed> {
  signal.throwIfAborted()
  // The command runs in a process group of its own. A Ctrl-C in the terminal then reaches it only through us, and
  // ends everything that it started.
  const child = spawn(command, {
    shell: true,
    cwd: folder.path,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = new HeadAndTail(KEPT_BYTES)
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => output.push(chunk))
  const group = new ProcessGroup(child)
  let reason: string | undefined
  const stop = (why: string): void => {
    reason ??= why
    group.end()
  }
  const onAbort = (): void => stop('stopped by the user')
  const timer = setTimeout(() => stop(`stopped after ${seconds} seconds`), seconds * 1000)
  signal.addEventListener('abort', onAbort)
  try {
    const end = await endOf(child)
    return { output: output.toString(), end: reason ?? end }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
    group.end()
    child.stdout.destroy()
    child.stderr.destroy()
  }
}

function endOf(child: ChildProcess): Promise<number | string> {
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new ToolError(`The shell cannot be started: ${error.message}`)))
    child.once('exit', (code, killedBy) => {
      const end = code ?? `ended by ${killedBy}`
      // A process that the command left in the background may keep the pipes open for ever.
      const timer = setTimeout(() => resolve(end), DRAIN_MS)
      child.once('close', () => {
        clearTimeout(timer)
        resolve(end)
      })
    })
  })
}

/** A command and everything that it started. Nothing of it survives, even when this program ends first. */
class ProcessGroup {
  private readonly child: ChildProcess
  private readonly onExit = (): void => void this.kill('SIGKILL')
  private killTimer: NodeJS.Timeout | undefined

  constructor(child: ChildProcess) {
    this.child = child
    process.once('exit', this.onExit)
  }

  end(): void {
    if (this.killTimer !== undefined) return
    if (!this.kill('SIGTERM')) {
      process.off('exit', this.onExit)
      return
    }
    this.killTimer = setTimeout(() => {
      process.off('exit', this.onExit)
      this.kill('SIGKILL')
    }, KILL_MS)
    // The timer does not keep the program alive; at its exit the group is killed.
    this.killTimer.unref()
  }

  /** Returns false where no process of the group is left. */
  private kill(signal: NodeJS.Signals): boolean {
    const { pid } = this.child
    if (pid === undefined) return false
    try {
      return process.kill(-pid, signal)
    } catch {
      // Some systems have no process groups; there the command itself is killed.
      return this.child.kill(signal)
    }
  }
}
