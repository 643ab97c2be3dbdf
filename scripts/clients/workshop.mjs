// What every real client needs for its tasks: a temporary folder with a home of its own, no key that is worth anything,
// no way to the network but this machine, and programs that end with this one.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export const workshop = mkdtempSync(join(tmpdir(), 'dragoman-clients-'))
export const limits = { install: 150_000, start: 10_000, task: 60_000 }

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
export const program = join(root, 'packages/gateway/bin/dragoman.js')
const running = new Set()

export function cleanUp() {
  for (const { pid } of running) {
    try {
      // The group: the wrapper of a client would leave the program behind that it started.
      process.kill(-pid, 'SIGKILL')
    } catch {
      // It ended just now.
    }
  }
  rmSync(workshop, { recursive: true, force: true, maxRetries: 5 })
}

export async function step(title, act) {
  const began = performance.now()
  const result = await act()
  console.log(`ok    ${title} (${((performance.now() - began) / 1000).toFixed(1)} s)`)
  return result
}

/** Installs a release of a client from npm; returns the path of the file in it that is its program. */
export async function install(release, file) {
  const name = release.replace(/@[^@]*$/, '')
  const folder = join(workshop, 'installed', name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  // Whether npm runs scripts of packages is a matter of its settings. The clients work without theirs.
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
  const npm = start('npm', ['install', ...options, release], { cwd: folder })
  await end(npm, limits.install, `npm install ${release}`)
  return join(folder, 'node_modules', name, file)
}

/** A program of this name, as npm links it where it runs the scripts of the package: `dragoman run` knows clients by name. */
export function linked(name, file) {
  const path = join(workshop, name)
  writeFileSync(path, `#!/bin/sh\nexec '${process.execPath}' '${file}' "$@"\n`, { mode: 0o755 })
  return path
}

/** Starts a server of the program; resolves once it listens. */
export async function startListening(command) {
  const server = start(process.execPath, [program, ...command], { cwd: workshop, env: bareEnvironment() })
  const listening = new Promise((resolve) => {
    createInterface({ input: server.child.stdout }).on('line', (line) => {
      const address = /^dragoman (?:simulator )?listening on (\S+)$/.exec(line)?.[1]
      if (address !== undefined) resolve(address)
    })
  })
  const title = `dragoman ${command[0]}`
  return {
    address: await within(limits.start, title, Promise.race([listening, endedEarly(server, title)])),
    stop: async () => {
      server.child.kill('SIGTERM')
      await end(server, limits.start, title)
    },
    requests: () => requestsIn(server.stderr()),
  }
}

/** A gateway in front of one upstream. It records, so that a test can tell what the model was told. */
export async function startGateway(name, upstream, kind = 'other') {
  const config = join(workshop, `${name}.yaml`)
  const record = join(workshop, `${name}-recordings`)
  writeFileSync(
    config,
    `upstreams: { lab: { url: ${JSON.stringify(upstream)}, kind: ${kind} } }\n` +
      `models: [{ match: "*", upstream: lab }]\n`,
  )
  const gateway = await startListening(['serve', '--port', '0', '--config', config, '--record', record])
  return { ...gateway, recordings: () => recordingsIn(record) }
}

export function requestsIn(log) {
  return jsonLines(log).filter(({ msg }) => msg === 'request')
}

/** In the order in which they were made. */
export function recordingsIn(folder) {
  return readdirSync(folder)
    .toSorted()
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')))
}

/** Two files that the model cannot know, and a prompt that the simulator takes for one call after the other. */
export function writeTask(name, promptFor) {
  const folder = join(workshop, name)
  mkdirSync(folder)
  const contents = ['one', 'two'].map((number) => `content-${number}-${crypto.randomUUID()}`)
  const paths = contents.map((content, index) => {
    const path = join(folder, `file-${index}.txt`)
    writeFileSync(path, `${content}\n`)
    return path
  })
  return { folder, contents, prompt: promptFor(...paths) }
}

/** For a client, with no way to the network but this machine. */
export function closedEnvironment() {
  const nowhere = 'http://127.0.0.1:9'
  return {
    ...bareEnvironment(),
    HTTP_PROXY: nowhere,
    HTTPS_PROXY: nowhere,
    NO_PROXY: '127.0.0.1,localhost',
  }
}

/** Nothing of the caller's: a key or a setting of theirs would decide what is tested. */
function bareEnvironment() {
  const home = join(workshop, 'home')
  mkdirSync(home, { recursive: true })
  return { PATH: process.env.PATH, HOME: home, TMPDIR: workshop, LANG: 'C.UTF-8' }
}

/** A process whose output is kept. */
export function start(command, args, options) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true, ...options })
  running.add(child)
  const kept = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr']) {
    child[name].setEncoding('utf8').on('data', (text) => {
      kept[name] += text
    })
  }
  const closed = once(child, 'close').finally(() => running.delete(child))
  // Whoever waits for it hears of a failure; nobody may be waiting yet.
  closed.catch(() => {})
  return { child, closed, stdout: () => kept.stdout, stderr: () => kept.stderr }
}

export async function end(started, limit, title) {
  const [code, signal] = await within(limit, title, started.closed)
  if (code === 0) return
  const output = `${started.stdout()}\n${started.stderr()}`.trim().slice(-4000)
  throw new Error(`${title} ended with ${signal ?? code}:\n${output}`)
}

/** For a client that must not succeed. */
export async function failing(started, limit, title) {
  const [code] = await within(limit, title, started.closed)
  if (code === 0) throw new Error(`${title} reported success:\n${started.stdout().slice(-4000)}`)
}

async function endedEarly({ closed, stderr }, title) {
  await closed
  throw new Error(`${title} ended before it listened:\n${stderr()}`)
}

async function within(limit, title, promise) {
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${title} took longer than ${limit / 1000} s`)), limit)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

export function jsonLines(text) {
  return text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
}
