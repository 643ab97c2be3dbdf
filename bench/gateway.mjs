import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { median } from './measure.mjs'
import { file, start, startGateway } from './program.mjs'
import { printTable, short } from './table.mjs'

const STREAMS = 1000
const STARTS = 7

/** How long does the gateway take to start, and what does an open stream cost it in memory? */
export async function gateway() {
  const upstream = start([file('./slow-upstream.mjs')])
  try {
    const url = `http://127.0.0.1:${await upstream.line(/^(\d+)$/m)}/v1`
    const rows = [['from the start to the address', 'ms', short(await startTime(url))]]
    if (process.platform === 'linux') rows.push(...(await memory(url)))
    printTable('The gateway', ['', '', ''], rows)
  } finally {
    upstream.end()
  }
}

async function startTime(url) {
  const times = []
  for (let round = 0; round < STARTS; round++) {
    const before = performance.now()
    const { end } = await serve(url)
    times.push(performance.now() - before)
    end()
  }
  return median(times)
}

/** Both dialects at once, half of the streams each. */
async function memory(url) {
  const { address, pid, end } = await serve(url)
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity })
  const open = []
  try {
    const fresh = residentKilobytes(pid)
    // The first streams also pay for code that is loaded once.
    await openStreams(address, agent, STREAMS / 10, open)
    const before = residentKilobytes(pid)
    await openStreams(address, agent, (STREAMS * 9) / 10, open)
    const after = residentKilobytes(pid)
    return [
      ['memory before any request', 'MB', short(fresh / 1024)],
      [`memory at ${open.length.toLocaleString('en')} open streams`, 'MB', short(after / 1024)],
      ['each further stream', 'KB', short((after - before) / ((STREAMS * 9) / 10))],
    ]
  } finally {
    for (const each of open) each.destroy()
    agent.destroy()
    end()
  }
}

async function openStreams(address, agent, count, open) {
  await Promise.all(Array.from({ length: count }, (_, at) => openStream(address, agent, at, open)))
}

function openStream(address, agent, at, open) {
  const messages = [{ role: 'user', content: 'Hello' }]
  const body = JSON.stringify({ model: 'kimi-k2', stream: true, max_tokens: 100, messages, tools: [] })
  const path = at % 2 === 0 ? '/v1/messages' : '/v1/chat/completions'
  const headers = { 'content-type': 'application/json' }
  return new Promise((resolve, fail) => {
    const sent = request(`${address}${path}`, { agent, method: 'POST', headers }, (response) => {
      response.once('data', resolve)
      response.resume()
    })
    sent.on('error', fail)
    sent.end(body)
    open.push(sent)
  })
}

async function serve(url) {
  const { address, pid, end } = startGateway('--upstream', url)
  return { address: await address(), pid, end }
}

function residentKilobytes(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
}
