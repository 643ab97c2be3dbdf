import { EventEmitter, once } from 'node:events'
import { readdirSync, readlinkSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { childrenOf } from '../cli/child-processes.ts'
import { startProgram, stopPrograms } from '../cli/running-program.ts'
import { ask, clientDialects, paths, post, weatherRequest, inTurn } from '../server/ask.ts'
import { chunk, sse, startUpstream, stopUpstreams, until, untilStill } from '../server/scripted-upstream.ts'

vi.setConfig({ testTimeout: 30_000 })

afterEach(() => {
  stopPrograms()
  stopUpstreams()
})

interface Reading {
  text: string
  state: 'open' | 'ended' | 'broken'
}

/** Reads an answer to its end, whatever that is. */
function follow(response: Response): Reading {
  const reading: Reading = { text: '', state: 'open' }
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder()
    for await (const piece of response.body ?? []) reading.text += decoder.decode(piece, { stream: true })
  }
  read().then(
    () => (reading.state = 'ended'),
    () => (reading.state = 'broken'),
  )
  return reading
}

describe('a worker that is killed', () => {
  it('breaks the streams that it had, and no other; another takes its place', async () => {
    const gate = new EventEmitter()
    const finished = once(gate, 'open')
    const upstream = await startUpstream(async (response) => {
      sse(response, chunk({ content: 'Paris is' }))
      await finished
      sse(response, chunk({ content: ' fine.' }), chunk({}, 'stop'), '[DONE]')
      response.end()
    })
    const args = ['--port', '0', '--workers', '3', '--upstream', upstream.url]
    const { child, address, stderr, exit } = await startProgram(args)
    const asked = Array.from({ length: 12 }, async (_, at) => {
      const dialect = clientDialects[at % 2] ?? 'openai'
      return follow(await post(address, paths[dialect], weatherRequest(dialect)))
    })
    const streams = await Promise.all(asked)
    await until(() => streams.every(({ text }) => text.includes('Paris is')), 3000)

    const workers = childrenOf(child.pid)
    expect(workers).toHaveLength(3)
    process.kill(workers[1] ?? 0, 'SIGKILL')
    await until(() => streams.some(({ state }) => state === 'broken'), 2000)
    await untilStill(() => streams.map(({ state }) => state).join(' '), 200)
    const states = streams.map(({ state }) => state)
    // A stream that ends in order would look like a whole answer that is short.
    expect(states).not.toContain('ended')
    const broken = streams.filter(({ state }) => state === 'broken')
    const alive = streams.filter(({ state }) => state === 'open')
    // How many each worker has is for the busy machine to say.
    expect(alive.length).toBeGreaterThan(0)
    expect(broken.length + alive.length).toBe(streams.length)
    for (const { text } of broken) expect(text).not.toMatch(/\[DONE\]|message_stop|event: error/)
    await until(() => upstream.openRequests === alive.length, 2000)

    gate.emit('open')
    await inTurn(Array.from({ length: 10 }), async () => {
      expect(await ask(address, 'openai')).toMatchObject({ text: 'Paris is fine.', isMarkedDone: true })
    })
    await until(() => alive.every(({ state }) => state === 'ended'), 3000)
    for (const { text } of alive) expect(text).toMatch(/ fine\.[^]*(?:\[DONE\]|message_stop)/)

    await expect.poll(stderr, { timeout: 3000 }).toContain('a worker ended (SIGKILL); it is replaced')
    await expect.poll(() => childrenOf(child.pid).length, { timeout: 5000 }).toBe(3)
    child.kill('SIGTERM')
    expect(await exit).toBe(0)
  })

  it('leaves no connection behind that was on its way to it', async () => {
    const upstream = await startUpstream((response) => {
      sse(response, chunk({ content: 'Paris is fine.' }), chunk({}, 'stop'), '[DONE]')
      response.end()
    })
    const args = ['--port', '0', '--workers', '2', '--upstream', upstream.url]
    const { child, address } = await startProgram(args)
    const [frozen = 0] = childrenOf(child.pid)
    // It takes none of what is handed to it, as a process that is about to be killed.
    process.kill(frozen, 'SIGSTOP')
    const { port, host } = new URL(address)
    const sockets = Array.from({ length: 12 }, () => connect(Number(port), '127.0.0.1').on('error', () => {}))
    const outcomes = sockets.map((socket) => new Promise((resolve) => socket.on('close', resolve)))
    for (const socket of sockets) {
      socket.on('data', () => {})
      socket.write(`GET /health/live HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`)
    }
    await sleep(500)
    const before = descriptorsOf(child.pid)
    process.kill(frozen, 'SIGKILL')
    await Promise.all(outcomes)
    await expect.poll(() => descriptorsOf(child.pid), { timeout: 5000 }).toBeLessThan(before)
  })
})

/** How many sockets a process holds. */
function descriptorsOf(pid: number | undefined): number {
  return readdirSync(`/proc/${pid}/fd`).filter((name) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${name}`).startsWith('socket:')
    } catch {
      return false
    }
  }).length
}
