import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { Agent, get, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { failureOf } from '../../src/upstream/upstream-failures.ts'
import { UpstreamClient, type UpstreamFault } from '../../src/upstream/client.ts'
import { type RunningProgram, startProgram, stopPrograms } from '../cli/running-program.ts'
import { ask, clientDialects, inTurn } from '../server/ask.ts'
import { chunk, sse, startUpstream, stopUpstreams, untilStill } from '../server/scripted-upstream.ts'

vi.setConfig({ testTimeout: 30_000 })

/** Fewer would not do for the start of the program, which reads its modules at once. */
const DESCRIPTORS = 160
const oneRequest = { headers: { connection: 'close' } }

const held: Socket[] = []
afterEach(() => {
  for (const socket of held.splice(0)) socket.destroy()
  stopPrograms()
  stopUpstreams()
})

async function serveWithFew(): Promise<RunningProgram> {
  const upstream = await startUpstream((response) => {
    sse(response, chunk({ content: 'Fine.' }), chunk({}, 'stop'), '[DONE]')
    response.end()
  })
  return startProgram(['--port', '0', '--upstream', upstream.url], { descriptors: DESCRIPTORS })
}

/** Connections that say nothing; resolves when each is open, or was closed by the gateway. */
async function openIdle(address: string, count: number): Promise<void> {
  const { port } = new URL(address)
  const sockets = Array.from({ length: count }, () =>
    connect(Number(port), '127.0.0.1').on('error', () => {}),
  )
  held.push(...sockets)
  await Promise.all(sockets.map((socket) => once(socket, 'connect').catch(() => undefined)))
  await untilStill(() => openSockets().length, 200)
}

function openSockets(): Socket[] {
  return held.filter((socket) => !socket.destroyed)
}

async function descriptorsOf({ child }: RunningProgram): Promise<number> {
  return (await readdir(`/proc/${child.pid}/fd`)).length
}

/** Milliseconds of processor time so far. */
async function processorTime({ child }: RunningProgram): Promise<number> {
  const fields = (await readFile(`/proc/${child.pid}/stat`, 'utf8')).split(' ')
  return (Number(fields[13]) + Number(fields[14])) * 10
}

async function healthOver(agent: Agent, address: string): Promise<number | undefined> {
  const asked = get(`${address}/health`, { agent })
  const [response]: IncomingMessage[] = await once(asked, 'response')
  response?.resume()
  return response?.statusCode
}

/** What a new client is sent before its connection ends. */
async function sentTo(address: string): Promise<string> {
  const { port } = new URL(address)
  const socket = connect(Number(port), '127.0.0.1').setEncoding('utf8')
  let text = ''
  socket.on('data', (piece: string) => (text += piece)).on('error', () => {})
  socket.write('GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n')
  await new Promise((resolve) => {
    socket.on('close', resolve)
  })
  return text
}

describe.runIf(process.platform === 'linux')('a gateway with few file descriptors', () => {
  it('refuses connections beyond half of them, serves those it has, and others again when there is room', async () => {
    const program = await serveWithFew()
    const { address } = program
    const client = new Agent({ keepAlive: true, maxSockets: 1 })
    expect(await healthOver(client, address)).toBe(200)
    await openIdle(address, DESCRIPTORS + 40)
    const open = openSockets().length
    expect(open).toBeGreaterThan(10)
    expect(await descriptorsOf(program)).toBeLessThan(DESCRIPTORS * 0.75)

    const started = performance.now()
    await inTurn([1, 2, 3], async () => expect(await sentTo(address)).toBe(''))
    expect(await healthOver(client, address)).toBe(200)
    expect(performance.now() - started).toBeLessThan(3000)
    expect(openSockets()).toHaveLength(open)
    const before = await processorTime(program)
    // What it takes of the processor in a second in which nothing is asked.
    await sleep(1000)
    expect((await processorTime(program)) - before).toBeLessThan(400)

    for (const socket of held.splice(0)) socket.destroy()
    client.destroy()
    await expect.poll(() => descriptorsOf(program), { timeout: 3000 }).toBeLessThan(40)
    expect(await sentTo(address)).toMatch(/^HTTP\/1.1 200 /)
    await inTurn(clientDialects, async (dialect) => {
      expect(await ask(address, dialect, {}, oneRequest)).toMatchObject({ text: 'Fine.', isMarkedDone: true })
    })
    program.child.kill('SIGTERM')
    expect(await program.exit).toBe(0)
  })

  it('has one left for the upstream of each client', async () => {
    const program = await serveWithFew()
    await openIdle(program.address, DESCRIPTORS + 40)
    const room = openSockets().slice(0, 12)
    const before = await descriptorsOf(program)
    for (const socket of room) socket.destroy()
    await expect
      .poll(() => descriptorsOf(program), { timeout: 5000 })
      .toBeLessThanOrEqual(before - room.length)
    const answers = await Promise.all(room.map(() => ask(program.address, 'openai', {}, oneRequest)))
    for (const answer of answers) expect(answer).toMatchObject({ text: 'Fine.', isMarkedDone: true })
  })
})

describe.each(['EMFILE', 'ENFILE'])('a connection to an upstream that ends with %s', (code) => {
  it('is our own lack of room, and not the fault of the upstream', async () => {
    const client = new UpstreamClient({
      origin: 'http://127.0.0.1:1',
      connectTimeout: 1000,
      connect: (_options, callback) => callback(Object.assign(new Error('too many'), { code }), null),
    })
    const call = {
      path: '/',
      method: 'GET',
      headers: {},
      body: null,
      headersTimeout: 1,
      idleTimeout: 1,
    } as const
    const fault = await new Promise<UpstreamFault>((resolve) => {
      client.call(call, { onHeaders: () => {}, onData: () => {}, onEnd: () => {}, onError: resolve })
    })
    await client.close()
    expect(failureOf(fault)).toMatchObject({ kind: 'overloaded', code: 'out_of_connections' })
  })
})
