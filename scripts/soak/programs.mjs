import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const running = new Set()
const folder = mkdtempSync(join(tmpdir(), 'dragoman-soak-'))

/** Starts the scripted upstream in a process of its own. */
export async function startUpstream() {
  const child = start([file('./upstream.mjs')])
  const port = Number(await lineOf(child, /^(\d+)$/m))
  const state = async () => (await fetch(`http://127.0.0.1:${port}/state`)).json()
  return { port, pid: child.pid, state }
}

/** Starts the built gateway in a process of its own. `settings` is what its configuration says beside the upstream. */
export async function startGateway(upstreamPort, settings = {}) {
  mkdirSync(folder, { recursive: true })
  const config = join(folder, `dragoman-${upstreamPort}-${running.size}.yaml`)
  const upstreams = { soak: { url: `http://127.0.0.1:${upstreamPort}/v1`, kind: 'other' } }
  const models = [{ match: '*', upstream: 'soak', model: 'kimi-k2' }]
  writeFileSync(config, JSON.stringify({ upstreams, models, log: { level: 'warn' }, ...settings }))
  const program = file('../../packages/gateway/bin/dragoman.js')
  const child = start([
    '--expose-gc',
    '--import',
    file('./probe.mjs'),
    program,
    'serve',
    '--port',
    '0',
    '--config',
    config,
  ])
  const address = new URL(await lineOf(child, /listening on (\S+)/))
  return new RunningGateway(child, Number(address.port), upstreamPort)
}

class RunningGateway {
  #child
  #upstreamPort
  port
  pid

  constructor(child, port, upstreamPort) {
    this.#child = child
    this.#upstreamPort = upstreamPort
    this.port = port
    this.pid = child.pid
  }

  /** What it writes when something goes wrong. */
  get complaints() {
    return this.#child.complaints
  }

  /** Asks it to end, and resolves to its exit code. */
  async end() {
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGTERM')
    const [code] = await ended
    return code
  }

  get isAlive() {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  /** The memory that it has, in MB. */
  get resident() {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${this.pid}/status`, 'utf8'))?.[1]) / 1024
  }

  /**
   * The memory after a collection, in MB. `held` is what somebody still needs; `resident` what the system counts, with what the
   * allocators keep for later.
   */
  async memory() {
    const { heap, external } = await this.look({ collect: true })
    // Pages that became free are given back a little later.
    await sleep(1500)
    return { held: heap + external, resident: this.resident }
  }

  /** The longest hold-up of its event loop since it was asked last, in milliseconds, and its heap, in MB. */
  async look({ collect = false } = {}) {
    const told = once(this.#child, 'message')
    this.#child.send({ probe: collect ? 'collect' : 'look' })
    const [{ longest, heapUsed, external }] = await told
    return { longest, heap: heapUsed / 1_048_576, external: external / 1_048_576 }
  }

  /** Its connections: those of clients and those to the upstream, and how many descriptors it holds. */
  get sockets() {
    const own = ownSockets(this.pid)
    const rows = readFileSync(`/proc/${this.pid}/net/tcp`, 'utf8').trim().split('\n').slice(1)
    const ends = rows.map((row) => row.trim().split(/\s+/)).filter((fields) => own.has(fields[9]))
    return {
      clients: ends.filter((fields) => portIn(fields[1]) === this.port && !isListening(fields)).length,
      upstream: ends.filter((fields) => portIn(fields[2]) === this.#upstreamPort).length,
      all: own.size,
    }
  }
}

function portIn(text) {
  return Number.parseInt(text.split(':')[1], 16)
}

function isListening(fields) {
  return fields[3] === '0A'
}

/** The numbers by which the system knows the sockets of a process. */
function ownSockets(pid) {
  const found = readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${name}`))?.[1] ?? []
    } catch {
      return []
    }
  })
  return new Set(found)
}

export async function endAll() {
  await Promise.all(
    Array.from(running, async (child) => {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    }),
  )
  rmSync(folder, { recursive: true, force: true })
}

function start(command) {
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  running.add(child)
  child.once('exit', () => running.delete(child))
  child.output = ''
  child.complaints = ''
  child.stdout.setEncoding('utf8').on('data', (text) => (child.output += text))
  child.stderr
    .setEncoding('utf8')
    .on('data', (text) => (child.complaints = (child.complaints + text).slice(-20_000)))
  return child
}

/** What the pattern finds in what a program writes. */
function lineOf(child, pattern) {
  return new Promise((resolve, fail) => {
    const look = () => {
      const found = pattern.exec(child.output)?.[1] ?? pattern.exec(child.complaints)?.[1]
      if (found === undefined) return
      for (const stream of [child.stdout, child.stderr]) stream.off('data', look)
      resolve(found)
    }
    for (const stream of [child.stdout, child.stderr]) stream.on('data', look)
    child.once('exit', (code) => fail(new Error(`it ended with ${code}: ${child.complaints}`)))
    look()
  })
}

function file(path) {
  return fileURLToPath(new URL(path, import.meta.url))
}
