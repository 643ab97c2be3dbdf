import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import { failure } from '../terminal/cli-error.ts'

/** A terminal sends these to every program in its foreground, so the client has them already. */
const fromTerminal = ['SIGINT', 'SIGQUIT'] as const
/** These come to one process alone and have to be passed on. */
const forOneProcess = ['SIGTERM', 'SIGHUP'] as const

type Signal = (typeof fromTerminal)[number] | (typeof forOneProcess)[number]

export interface Program {
  readonly path: string
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
}

/**
 * The program in the foreground. Before it runs and after it, a signal ends this process; while it runs, signals are
 * its own affair, and this process lives until it has ended.
 */
export class Foreground {
  private child: ChildProcess | undefined
  private readonly listeners: (readonly [Signal, () => void])[]

  constructor() {
    this.listeners = [
      ...fromTerminal.map((signal) => [signal, () => this.end(signal)] as const),
      ...forOneProcess.map((signal) => [signal, () => this.pass(signal)] as const),
    ]
    for (const [signal, listener] of this.listeners) process.on(signal, listener)
  }

  /** Resolves to the exit code of the program: 128 and the number of the signal where one ended it. */
  async run({ path, args, env }: Program): Promise<number> {
    const child = spawn(path, args, { stdio: 'inherit', env })
    this.child = child
    try {
      const [code, signal]: unknown[] = await once(child, 'exit')
      return typeof code === 'number' ? code : codeOf(signal)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw failure(`cannot start ${path}: ${reason}`, error)
    } finally {
      this.child = undefined
    }
  }

  leave(): void {
    for (const [signal, listener] of this.listeners) process.off(signal, listener)
  }

  private pass(signal: Signal): void {
    if (this.child === undefined) this.end(signal)
    else this.child.kill(signal)
  }

  private end(signal: Signal): void {
    if (this.child === undefined) process.exit(codeOf(signal))
  }
}

function codeOf(signal: unknown): number {
  const number = Object.entries(constants.signals).find(([name]) => name === signal)?.[1]
  return 128 + (number ?? 0)
}
