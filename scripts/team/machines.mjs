import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer, request } from 'node:http'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const binary = join(root, 'packages/gateway/bin/dragoman.js')

const folder = mkdtempSync(join(tmpdir(), 'dragoman-team-'))
chmodSync(folder, 0o755)
const running = new Set()

/** A program that can be killed and started again at the same place. */
class Machine {
  #command
  #port
  #child
  output = ''

  constructor(command, port) {
    this.#command = command
    this.#port = port
  }

  async start() {
    const [program, ...args] = this.#command
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], cwd: folder })
    this.#child = child
    running.add(child)
    child.once('exit', () => running.delete(child))
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => (this.output = (this.output + text).slice(-20_000)))
    }
    await listens(this.#port, this.#child, () => this.output)
    return this
  }

  /** Ends it, and waits until it has. */
  async end(signal = 'SIGTERM') {
    const child = this.#child
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }
}

/** nginx ends its own processes when it is asked to; killed, it would leave them. */
export async function endAll() {
  const ends = Array.from(running, async (child) => {
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), 3000)
    await ended
    clearTimeout(timer)
  })
  await Promise.all(ends)
  rmSync(folder, { recursive: true, force: true })
}

async function listens(port, child, output) {
  for (let tries = 0; tries < 300; tries++) {
    const isThere = await new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy()
        resolve(true)
      }).on('error', () => resolve(false))
    })
    if (isThere) return
    if (child.exitCode !== null) break
    await sleep(50)
  }
  throw new Error(`nothing listens on ${port}: ${output()}`)
}

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

export function simulator(port) {
  const settings = ['--port', String(port), '--pace', '30', '--strict']
  return new Machine([process.execPath, binary, 'simulate', ...settings], port)
}

export function gateway(name, port, config) {
  const file = join(folder, `${name}.json`)
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 })
  return new Machine([process.execPath, binary, 'serve', '--config', file, '--port', String(port)], port)
}

/** What is counted survives a restart: each change is written before it is answered. */
export function redis(port) {
  const data = join(folder, 'redis')
  mkdirSync(data, { recursive: true })
  const durable = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', '']
  return new Machine(
    ['redis-server', '--port', String(port), '--bind', '127.0.0.1', '--dir', data, ...durable],
    port,
  )
}

/** nginx with the files of deploy/, without TLS and with these ports. It says which gateway answers. */
export function nginx(port, gateways) {
  const site = readFileSync(join(root, 'deploy/nginx/dragoman.conf'), 'utf8')
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
    .replaceAll(/^ *ssl_.*\n/gm, '')
  let next = 0
  const upstream = readFileSync(join(root, 'deploy/nginx/upstream.conf'), 'utf8').replaceAll(
    /server 127\.0\.0\.1:\d+/g,
    () => `server 127.0.0.1:${gateways[next++]}`,
  )
  if (next !== gateways.length) throw new Error(`deploy/nginx/upstream.conf names ${next} gateways`)
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${join(folder, `nginx-${name}`)};`)
    .join('\n')
  const file = join(folder, 'nginx.conf')
  writeFileSync(
    file,
    `daemon off; pid ${join(folder, 'nginx.pid')}; error_log stderr warn; worker_processes 1;
events { worker_connections 1024; }
http {\naccess_log off;\nadd_header x-gateway $upstream_addr always;\n${places}\n${upstream}\n${site}\n}\n`,
  )
  return new Machine(['nginx', '-c', file, '-p', folder], port)
}

/** HAProxy with the file of deploy/, without TLS and with these ports. It says which gateway answers. */
export function haproxy(port, gateways) {
  let next = 0
  const settings = readFileSync(join(root, 'deploy/haproxy/haproxy.cfg'), 'utf8')
    .replace(/bind :443 .*/, `bind 127.0.0.1:${port}`)
    .replace('backend gateways\n', 'backend gateways\n    http-response set-header x-gateway %[srv_name]\n')
    .replaceAll(/server gateway-\d 127\.0\.0\.1:\d+/g, () => {
      const address = `127.0.0.1:${gateways[next++]}`
      return `server ${address} ${address}`
    })
  if (next !== gateways.length) throw new Error(`deploy/haproxy/haproxy.cfg names ${next} gateways`)
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, settings)
  return new Machine(['haproxy', '-db', '-f', file], port)
}

/** A server that passes requests on to another, until it is told to have no time. */
export async function busyAtTimes(target) {
  const state = { isBusy: false, refused: 0 }
  const server = createHttpServer((asked, answer) => {
    if (state.isBusy && asked.method === 'POST') {
      state.refused++
      asked.resume()
      answer.writeHead(429, { 'content-type': 'application/json', 'retry-after': '5' })
      answer.end(
        JSON.stringify({ error: { message: 'Too many requests.', type: 'rate_limit_error', code: 429 } }),
      )
      return
    }
    const { method, url, headers } = asked
    const passed = request({ host: '127.0.0.1', port: target, method, path: url, headers }, (response) => {
      answer.writeHead(response.statusCode, response.headers)
      response.pipe(answer)
    })
    passed.on('error', () => answer.destroy())
    answer.on('close', () => passed.destroy())
    asked.pipe(passed)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: server.address().port,
    state,
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}
