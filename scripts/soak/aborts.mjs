import { get } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { dialectNames, dialects, smallRequest } from './dialects.mjs'
import { percentile } from './figures.mjs'

/** How many clients are there at a time. */
const AT_ONCE = 50
/** After so many, a client waits until the gateway has taken everybody who came before. */
const IN_A_ROW = 4

/** Where a client leaves, and what the upstream is about to do then. */
const phases = [
  { phase: 'while it sends its request', script: {}, sends: 0.5 },
  { phase: 'before the upstream answers', script: { delay: 400 }, within: 60 },
  { phase: 'before the first word', script: { pieces: 5, pause: 150 }, within: 140 },
  { phase: 'in the middle of text', script: { pieces: 100, pause: 10 }, within: 400 },
  { phase: 'in the middle of a call', script: { pieces: 2, pause: 40, call: 1 }, within: 260 },
  { phase: 'at any time', script: { delay: 20, pieces: 10, pause: 20, call: 1 }, within: 400 },
]
/** Some megabytes pass before nothing more fits into the connections, so that a few of these keep everybody busy. */
const flood = {
  phase: 'in a flood that it does not read',
  script: { pieces: 3000, size: 4000 },
  within: 200,
  reads: false,
}
const FLOOD_EVERY = 50

/**
 * So many clients that leave in the middle. Resolves to what is left of them a second after the last has left, and to how long
 * it took until the upstream knew.
 */
export async function abortStreams(gateway, upstream, count) {
  const leftAt = new Map()
  const early = []
  let next = 0
  const client = async () => {
    for (let left = 1; next < count; left++) {
      await leaveOnce(gateway.port, next++, leftAt)
      if (left % IN_A_ROW === 0) await isTaken(gateway.port)
    }
  }
  await upstream.state()
  await Promise.all(Array.from({ length: AT_ONCE }, client))
  await isTaken(gateway.port)
  await upstream.state().then(({ cut }) => early.push(...cut))
  await sleep(1000)
  const { clients } = gateway.sockets
  const { open, cut } = await upstream.state()
  const late = [...early, ...cut].flatMap(([id, at]) => (leftAt.has(id) ? [at - leftAt.get(id)] : []))
  return {
    count,
    open,
    clients,
    noticed: late.length,
    median: percentile(late, 50),
    p99: percentile(late, 99),
    latest: Math.max(...late),
  }
}

/**
 * Resolves once the gateway has accepted every connection that was made before. Clients that are gone before it has got to them
 * would otherwise make an ever longer queue on a busy machine, and what they leave behind would say nothing.
 */
async function isTaken(port) {
  const headers = { connection: 'close' }
  await new Promise((resolve, fail) => {
    const asked = get(
      { host: '127.0.0.1', port, path: '/health/live', headers, agent: false },
      (response) => {
        response.resume().on('end', resolve)
      },
    )
    asked.on('error', fail)
  })
}

async function leaveOnce(port, id, leftAt) {
  const {
    script,
    within = 0,
    sends = 1,
    reads = true,
  } = id % FLOOD_EVERY === 0 ? flood : phases[id % phases.length]
  const dialect = dialectNames[Math.floor(id / phases.length) % dialectNames.length]
  const body = Buffer.from(smallRequest(dialect, { id, ...script }))
  const socket = connect(port, '127.0.0.1')
  const closed = new Promise((resolve) => socket.on('close', resolve))
  socket.on('error', () => {})
  if (reads) socket.resume()
  else socket.pause()
  const head = [
    `POST ${dialects[dialect].path} HTTP/1.1`,
    `host: 127.0.0.1:${port}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  socket.write(body.subarray(0, body.length * sends))
  await sleep(Math.random() * within)
  leftAt.set(id, Date.now())
  // Some take their leave, others are gone.
  if (id % 2 === 0) socket.destroy()
  else socket.resetAndDestroy()
  await closed
}
