import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { withFile } from '../cli/run-cli.ts'
import { type RunningProgram, startProgram, stopPrograms } from '../cli/running-program.ts'
import { ask, at } from '../server/ask.ts'
import { chunk, sse, startUpstream, stopUpstreams, type Script } from '../server/scripted-upstream.ts'
import { jumpingClock } from './jumping-clock.ts'

vi.setConfig({ testTimeout: 30_000 })

afterEach(() => {
  stopPrograms()
  stopUpstreams()
})

const HOUR_MS = 3_600_000

interface Served {
  readonly program: RunningProgram
  /** Sets its wall clock: an hour ahead, then an hour behind. */
  readonly jump: () => void
}

async function serve(
  script: Script,
  timeouts: string,
  use: (served: Served) => Promise<void>,
): Promise<void> {
  const upstream = await startUpstream(script)
  const yaml = `upstreams: { lab: { url: "${upstream.url}" } }\nlisten: { port: 0 }\ntimeouts: ${timeouts}\n`
  await withFile('dragoman.yaml', yaml, async (file) => {
    const program = await startProgram(['--config', file], { env: jumpingClock })
    await use({ program, jump: () => program.child.kill('SIGUSR2') })
  })
}

interface LoggedRequest {
  /** The wall clock. */
  readonly time: number
  readonly ms: number
  readonly firstByteMs: number | null
}

/** The lines of requests, once there are so many. */
async function logged({ stderr }: RunningProgram, count: number): Promise<LoggedRequest[]> {
  const lines = () =>
    stderr()
      .split('\n')
      .filter((line) => line.startsWith('{') && line.includes('"ms":'))
  await expect.poll(() => lines().length, { timeout: 3000 }).toBe(count)
  return lines().map((line) => {
    const fields: unknown = JSON.parse(line)
    const firstByteMs = at(fields, 'firstByteMs')
    return {
      time: Date.parse(String(at(fields, 'time'))),
      ms: Number(at(fields, 'ms')),
      firstByteMs: firstByteMs === null ? null : Number(firstByteMs),
    }
  })
}

const slowly: Script = async (response) => {
  sse(response, chunk({ content: 'Paris' }))
  await sleep(700)
  sse(response, chunk({ content: ' is fine.' }), chunk({}, 'stop'), '[DONE]')
  response.end()
}

const stalled: Script = (response) => sse(response, chunk({ content: 'Paris' }))

describe('a wall clock that is set an hour ahead and then back', () => {
  it('cuts no stream, and no duration in the log is odd', async () => {
    const timeouts = '{ idle: 5s, headers: 5s, clientStall: 5s, ping: 10s }'
    await serve(slowly, timeouts, async ({ program, jump }) => {
      const jumpSoon = async (): Promise<void> => {
        await sleep(300)
        jump()
      }
      const whole = { text: 'Paris is fine.', isMarkedDone: true, error: undefined }
      const [ahead] = await Promise.all([ask(program.address, 'openai'), jumpSoon()])
      expect(ahead).toMatchObject(whole)
      const [behind] = await Promise.all([ask(program.address, 'anthropic'), jumpSoon()])
      expect(behind).toMatchObject(whole)

      const [first, second] = await logged(program, 2)
      // The clock did jump: without this the test would say nothing.
      expect((first?.time ?? 0) - Date.now()).toBeGreaterThan(0.9 * HOUR_MS)
      expect((second?.time ?? 0) - Date.now()).toBeLessThan(-0.9 * HOUR_MS)
      for (const line of [first, second]) {
        expect(line?.ms).toBeGreaterThanOrEqual(690)
        expect(line?.ms).toBeLessThan(5000)
        expect(line?.firstByteMs).toBeGreaterThanOrEqual(0)
        expect(line?.firstByteMs).toBeLessThan(690)
      }
      const metrics = await (await fetch(`${program.address}/metrics`)).text()
      const sums = [...metrics.matchAll(/^dragoman_\w+_seconds_sum\{route="\/v1\/[^}]*\} (\S+)$/gm)]
      expect(sums.length).toBeGreaterThanOrEqual(4)
      for (const [, sum] of sums) {
        expect(Number(sum)).toBeGreaterThanOrEqual(0)
        expect(Number(sum)).toBeLessThan(10)
      }
    })
  })

  it('does not keep a time-out from coming when it is due', async () => {
    await serve(stalled, '{ idle: 1s }', async ({ program, jump }) => {
      const timed = async (): Promise<number> => {
        const started = performance.now()
        const answer = ask(program.address, 'openai')
        await sleep(200)
        jump()
        expect(await answer).toMatchObject({ text: 'Paris', error: { code: 'upstream_idle_timeout' } })
        return performance.now() - started
      }
      const [ahead, behind] = [await timed(), await timed()]
      for (const ms of [ahead, behind]) {
        expect(ms).toBeGreaterThan(900)
        expect(ms).toBeLessThan(3500)
      }
    })
  })

  it('closes no connection of a client that is slow, or waits for its next request', async () => {
    await serve(stalled, '{ clientHeaders: 20s, keepAlive: 20s }', async ({ program, jump }) => {
      const { port } = new URL(program.address)
      const socket = connect(Number(port), '127.0.0.1').setEncoding('utf8')
      const healthy = async (): Promise<void> => {
        const [answer] = await once(socket, 'data')
        expect(String(answer)).toMatch(/^HTTP\/1.1 200 /)
      }
      socket.write('GET /health HTTP/1.1\r\nhost: local')
      await sleep(100)
      jump()
      // Connections are looked at once a second.
      await sleep(1500)
      socket.write('host\r\n\r\n')
      await healthy()
      jump()
      await sleep(1500)
      socket.write('GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n')
      await healthy()
      socket.destroy()
    })
  })
})
