import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { RedisConnection } from '../src/quotas/redis-connection.ts'

export interface RunningRedis {
  readonly url: string
  /** Ends it. */
  stop(): Promise<void>
  /** Starts it again at the same port, with nothing in it. */
  start(): Promise<void>
  /** Stops it from answering, and lets it go on. */
  freeze(): void
  thaw(): void
  command(...words: string[]): Promise<unknown>
}

const running = new Set<ChildProcess>()

/** A real server on a port of its own, which keeps nothing on disk. */
export async function startRedis(...args: readonly string[]): Promise<RunningRedis> {
  const port = await freePort()
  let child = await launch(port, args)
  const url = `redis://127.0.0.1:${port}/0`
  return {
    url,
    stop: () => end(child),
    start: async () => {
      child = await launch(port, args)
    },
    freeze: () => child.kill('SIGSTOP'),
    thaw: () => child.kill('SIGCONT'),
    command: async (...words) => {
      const connection = new RedisConnection({ url })
      try {
        return await connection.command(words)
      } finally {
        connection.close()
      }
    },
  }
}

export async function stopRedis(): Promise<void> {
  await Promise.all([...running].map(end))
}

async function launch(port: number, args: readonly string[]): Promise<ChildProcess> {
  const settings = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--appendonly',
    'no',
    ...args,
  ]
  const child = spawn('redis-server', settings, { stdio: ['ignore', 'pipe', 'inherit'] })
  running.add(child)
  child.on('exit', () => running.delete(child))
  await new Promise<void>((resolve, fail) => {
    child.once('error', fail)
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (text.includes('Ready to accept connections')) resolve()
    })
  })
  return child
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const over = once(child, 'exit')
  child.kill('SIGCONT')
  child.kill('SIGKILL')
  await over
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}
