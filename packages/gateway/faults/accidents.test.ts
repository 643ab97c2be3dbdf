import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { childrenOf } from '../test/cli/child-processes.ts'
import { jumpingClock } from '../test/reliability/jumping-clock.ts'
import { until, untilStill } from '../test/server/scripted-upstream.ts'
import { answered, half, readiness, rest, startWorld, stopWorlds, streamsIn } from './begun-streams.ts'
import { dialectNames, readers, requests } from './dialects.ts'
import { type FaultWorld, receivedIn, slack } from './fault-world.ts'
import type { Wire } from './raw-upstream.ts'

// What happens to the program and its machine, while clients of every dialect have streams: a bug in one answer, a clock
// that is set, no descriptors, a worker that is killed, no room for the log.

afterEach(stopWorlds)

/** Decoding some bytes throws: a bug of ours in the midst of one answer. */
const planted = `
  const { decode } = TextDecoder.prototype
  TextDecoder.prototype.decode = function (bytes, options) {
    const text = decode.call(this, bytes, options)
    if (text.includes('planted-bug')) throw new TypeError('planted')
    return text
  }`

describe('a bug of ours in one answer', () => {
  it('ends that answer with an error, and touches no other', async () => {
    const hook = `--import=data:text/javascript,${encodeURIComponent(planted)}`
    const world = await startWorld({ timeouts: { idle: '20s' } }, { env: { NODE_OPTIONS: hook } })
    const beside = await streamsIn(world, 'beside')
    for (const client of dialectNames) {
      for (const wants of ['stream', 'whole'] as const) {
        const model = `openai-chat.bug-${client}-${wants}`
        world.upstream.play(model, (wire) => {
          wire.stream().send(...half)
          setTimeout(() => wire.send(': planted-bug\n\n', ...rest).end(), 100)
        })
        const { view, end, status } = await world.ask({ client, wants, model })
        expect(status, client).toBe(wants === 'stream' ? 200 : 500)
        expect(end, client).toBe('whole')
        expect(view, client).toMatchObject({ finish: null, failure: { message: expect.any(String) } })
        if (wants === 'stream') expect(view.text, client).toBe('Paris is ')
      }
    }
    for (const { finish } of beside) finish()
    for (const { client, got } of beside) {
      expect((await got).view, client).toMatchObject({
        text: 'Paris is sunny.',
        finish: 'stop',
        failure: null,
      })
    }
    expect(world.program.child.exitCode).toBeNull()
    expect(world.log()).toContain('planted')
  })
})

describe('a clock that is set an hour ahead, and then back', () => {
  it('ends no stream, and keeps no silence from being noticed', async () => {
    const world = await startWorld({ timeouts: { idle: '2s' } }, { env: jumpingClock })
    for (const turn of ['ahead', 'back']) {
      const ending = await streamsIn(world, `ending-${turn}`)
      const silent = await streamsIn(world, `silent-${turn}`)
      const jumped = performance.now()
      world.program.child.kill('SIGUSR2')
      await sleep(300)
      for (const { finish } of ending) finish()
      for (const { client, got } of ending) {
        expect((await got).view, client).toMatchObject({ text: 'Paris is sunny.', finish: 'stop' })
      }
      for (const { client, got } of silent) {
        expect((await got).view, client).toMatchObject({ text: 'Paris is ', failure: { kind: 'timeout' } })
      }
      expect(performance.now() - jumped).toBeGreaterThan(1500)
      expect(performance.now() - jumped).toBeLessThan(2000 + slack)
    }
  })
})

describe('a program without descriptors for more connections', () => {
  it('serves those whom it has, and everybody again when there is room', async () => {
    const world = await startWorld({ timeouts: { idle: '20s', clientHeaders: '60s' } }, { descriptors: 160 })
    const running = await streamsIn(world, 'running')
    const crowd = Array.from({ length: 200 }, () => connect(world.port, '127.0.0.1').on('error', () => {}))
    await untilStill(() => crowd.filter(({ destroyed }) => destroyed).length, 200)
    expect(crowd.filter(({ destroyed }) => destroyed).length).toBeGreaterThan(0)
    for (const { finish } of running) finish()
    for (const { client, got } of running) {
      expect((await got).view, client).toMatchObject({ text: 'Paris is sunny.', finish: 'stop' })
    }
    for (const socket of crowd) socket.destroy()
    world.upstream.play('openai-chat.after', answered)
    await expect.poll(() => readiness(world), { timeout: 5000 }).toBe(200)
    for (const client of dialectNames) {
      for (const wants of ['stream', 'whole'] as const) {
        const { view } = await world.ask({ client, wants, model: 'openai-chat.after' })
        expect(view, client).toMatchObject({ text: 'Sunny.', finish: 'stop' })
      }
    }
    await world.expectCalm()
  })
})

describe('a worker that is killed', () => {
  it('takes its own streams with it, none of which looks whole, and another takes its place', async () => {
    const world = await startWorld({ timeouts: { idle: '60s' } }, { args: ['--workers', '2'] })
    const answers = dialectNames.flatMap((client) =>
      [1, 2, 3].map((nth) => {
        const model = `openai-chat.worker-${client}-${nth}`
        let wire: Wire | null = null
        world.upstream.play(model, (own) => {
          wire = own.stream().send(...half)
        })
        const answer = world.send(requests[client](model, 'stream'))
        return { client, model, answer, finish: () => wire?.send(...rest).end() }
      }),
    )
    await until(() => answers.every(({ model }) => world.upstream.countOf(model) === 1), 5000)
    await sleep(100)
    const [worker = 0] = childrenOf(world.program.child.pid)
    process.kill(worker, 'SIGKILL')
    await sleep(200)
    for (const { finish } of answers) finish()
    const ends = await Promise.all(
      answers.map(async ({ client, answer }) => {
        const got = await answer
        const { status, end, body } = got
        expect(status).toBe(200)
        if (end === 'cut')
          expect(body).not.toMatch(/\[DONE\]|message_stop|response\.completed|"finishReason"|event: error/)
        else
          expect(readers[client](receivedIn(got))).toMatchObject({ text: 'Paris is sunny.', finish: 'stop' })
        return end
      }),
    )
    expect(new Set(ends)).toEqual(new Set(['cut', 'whole']))
    await expect.poll(() => childrenOf(world.program.child.pid).length, { timeout: 5000 }).toBe(2)
    world.upstream.play('openai-chat.after', answered)
    for (const client of dialectNames) {
      const { view } = await world.ask({ client, wants: 'stream', model: 'openai-chat.after' })
      expect(view, client).toMatchObject({ text: 'Sunny.', finish: 'stop' })
    }
  })
})

describe('a program whose log finds no room', () => {
  it.each(['/dev/full', '/proc/no-such-folder/dragoman.log'])('serves all the same: %s', async (file) => {
    const world = await startWorld({ log: { level: 'debug', file } })
    await expectServed(world)
    expect(world.program.child.exitCode).toBeNull()
    if (file === '/dev/full')
      await expect.poll(() => droppedLines(world), { timeout: 3000 }).toBeGreaterThan(0)
  })

  it.runIf(canMount())('goes on logging when a full disk has room again', async () => {
    const disk = mkdtempSync(join(tmpdir(), 'dragoman-disk-'))
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk])
    try {
      const file = join(disk, 'dragoman.log')
      const world = await startWorld({ log: { level: 'debug', file } })
      writeFileSync(join(disk, 'filler'), Buffer.alloc(48 * 1024))
      for (let round = 0; round < 20 && (await droppedLines(world)) === 0; round++) await expectServed(world)
      expect(await droppedLines(world)).toBeGreaterThan(0)
      await expectServed(world)
      rmSync(join(disk, 'filler'))
      const before = statSync(file).size
      await expectServed(world)
      await expect.poll(() => statSync(file).size, { timeout: 3000 }).toBeGreaterThan(before)
      expect(world.program.child.exitCode).toBeNull()
    } finally {
      await stopWorlds()
      execFileSync('umount', [disk])
      rmSync(disk, { recursive: true })
    }
  })
})

async function expectServed(world: FaultWorld): Promise<void> {
  world.upstream.play('openai-chat.unlogged', answered)
  for (const client of dialectNames) {
    const { view } = await world.ask({ client, wants: 'stream', model: 'openai-chat.unlogged' })
    expect(view, client).toMatchObject({ text: 'Sunny.', finish: 'stop' })
  }
}

async function droppedLines(world: FaultWorld): Promise<number> {
  const { body } = await world.send({ method: 'GET', path: '/metrics', body: '' })
  return Number(/^dragoman_dropped_total\{[^}]*"log"[^}]*\} (\d+)$/m.exec(body)?.[1] ?? 0)
}

/** Small disks can be had only by who may mount them. */
function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-mount-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder], { stdio: 'ignore' })
    execFileSync('umount', [folder], { stdio: 'ignore' })
    return true
  } catch {
    return false
  } finally {
    rmSync(folder, { recursive: true })
  }
}
