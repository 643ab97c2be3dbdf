import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { connectionLimit } from '../../src/server/service.ts'
import { withFile } from '../cli/run-cli.ts'
import { type RunningProgram, startProgram, stopPrograms } from '../cli/running-program.ts'
import { ask, clientDialects, inTurn } from '../server/ask.ts'

vi.setConfig({ testTimeout: 60_000 })

const held: Socket[] = []
afterEach(() => {
  for (const socket of held.splice(0)) socket.destroy()
  stopPrograms()
})

/** On the simulator, with time enough for clients that have not said anything. */
function startPatient(): Promise<RunningProgram> {
  const yaml = 'listen: { port: 0 }\ntimeouts: { clientHeaders: 120s }\n'
  return withFile('dragoman.yaml', yaml, (file) => startProgram(['--config', file]))
}

/** Opens connections; some have asked once and stay for their next request, the others say nothing at all. */
async function openIdle(address: string, count: number): Promise<void> {
  const { port } = new URL(address)
  const open = async (_: unknown, at: number): Promise<void> => {
    const socket = connect(Number(port), '127.0.0.1').on('error', () => {})
    held.push(socket)
    await once(socket, 'connect')
    if (at % 4 > 0) return
    socket.write('GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n')
    await once(socket, 'data')
  }
  const batches = Array.from({ length: Math.ceil(count / 500) }, (_, at) => Math.min(500, count - at * 500))
  await inTurn(batches, async (size) => {
    await Promise.all(Array.from({ length: size }, open))
  })
}

async function residentBytes({ child }: RunningProgram): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

describe.runIf(process.platform === 'linux')('thousands of connections that say nothing', () => {
  it('take little memory, and a request beside them is answered as ever', async () => {
    // This process needs one descriptor for each too.
    const count = Math.min(10_000, (await connectionLimit()) - 100)
    expect(count).toBeGreaterThan(200)
    const program = await startPatient()
    const { address } = program
    await ask(address, 'openai', { stream: false })
    const before = await residentBytes(program)
    await openIdle(address, count)
    const during = await residentBytes(program)
    expect((during - before) / count).toBeLessThan(25_000)

    await inTurn(clientDialects, async (dialect) => {
      const ms = await timed(async () => {
        const answer = await ask(address, dialect, { stream: false }, { headers: { connection: 'close' } })
        expect(answer).toMatchObject({ status: 200, hasCall: true })
      })
      expect(ms).toBeLessThan(2000)
    })
    expect(held.filter(({ destroyed }) => destroyed)).toEqual([])
    program.child.kill('SIGTERM')
    const ending = await timed(() => program.exit)
    expect(await program.exit).toBe(0)
    expect(ending).toBeLessThan(5000)
  })
})
