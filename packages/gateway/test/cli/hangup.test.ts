import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { childrenOf } from './child-processes.ts'
import { binary } from './run-cli.ts'

vi.setConfig({ testTimeout: 30_000 })

const terminals: ChildProcess[] = []

afterEach(() => {
  for (const terminal of terminals.splice(0)) terminal.kill('SIGKILL')
})

/** Starts the program on a terminal of its own, which is closed when the process that holds it ends. */
async function onTerminal(args: string) {
  const cwd = await mkdtemp(join(tmpdir(), 'dragoman-'))
  const command = `exec ${process.execPath} ${binary} --port 0 ${args}`
  const terminal = spawn('sh', ['-c', 'exec script -qec "$0" /dev/null', command], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { PATH: process.env['PATH'], HOME: cwd, NO_COLOR: '1' },
    cwd,
  })
  terminals.push(terminal)
  let written = ''
  terminal.stdout.setEncoding('utf8').on('data', (text: string) => (written += text))
  const screen = (): string => written
  await expect.poll(screen, { timeout: 10_000 }).toContain('claude')
  const address = /listening on (\S+)/.exec(written)?.[1] ?? ''
  return { terminal, screen, address, program: childrenOf(terminal.pid)[0] ?? 0 }
}

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const canHaveTerminal =
  process.platform === 'linux' && spawnSync('sh', ['-c', 'script --version']).status === 0

describe.runIf(canHaveTerminal).each([['1'], ['2']])('on a terminal, %s processes', (workers) => {
  it('SIGHUP is a wish to read the configuration again, and the end where the terminal was closed', async () => {
    const { terminal, screen, address, program } = await onTerminal(`--workers ${workers}`)
    process.kill(program, 'SIGHUP')
    await expect.poll(screen, { timeout: 5000 }).toContain('configuration read again')
    expect((await fetch(`${address}/health`)).status).toBe(200)
    const processes = [program, ...childrenOf(program)]
    expect(processes).toHaveLength(workers === '1' ? 1 : 3)
    terminal.kill('SIGKILL')
    await expect.poll(() => processes.filter(isRunning), { timeout: 5000 }).toEqual([])
    await expect(fetch(`${address}/health`)).rejects.toThrow()
  })
})
