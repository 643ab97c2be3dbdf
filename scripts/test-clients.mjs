// Lets released Claude Code do a task of two rounds through the gateway, on a simulator that writes as Kimi does: once on
// a gateway that runs, once started by `dragoman run`, and once on each of a row of servers with a small window.
// Needs a build, and npm to install from. Everything happens in a temporary folder: Claude Code gets a home of
// its own there, no key that is worth anything, and no way to the network but this machine.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const release = '@anthropic-ai/claude-code@2.1.197'
const model = 'kimi-k2'
const limits = { install: 100_000, start: 10_000, task: 50_000 }

const small = ['--window', '40000']
const smallServers = [
  ...[
    'vllm-0.9',
    'vllm-0.12',
    'vllm-0.17',
    'vllm-0.27',
    'sglang',
    'tgi',
    'openrouter',
    'lm-studio',
    'llama.cpp',
  ].map((server) => ({ server, kind: 'other', options: small, isRefused: refusesSums(server) })),
  { server: 'vllm-0.21', kind: 'auto', options: small, isRefused: false },
  { server: 'ollama', kind: 'auto', options: ['--abilities', 'tools'], isRefused: false },
  { server: 'ollama', kind: 'other', options: ['--abilities', 'tools'], isRefused: false },
]

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const program = join(root, 'packages/gateway/bin/dragoman.js')
const workshop = mkdtempSync(join(tmpdir(), 'dragoman-clients-'))
const running = new Set()
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    cleanUp()
    process.exit(1)
  })
}
try {
  await main()
} catch (error) {
  console.error(`\nFAILED: ${error.message}`)
  process.exitCode = 1
} finally {
  cleanUp()
}

async function main() {
  const claude = await step(`install ${release}`, installClaudeCode)
  const task = writeTask()
  await onRunningGateway(claude, task)
  await byDragomanRun(claude, task)
  for (const server of smallServers) await onServer(claude, task, server)
}

async function onRunningGateway(claude, task) {
  const gateway = await step('start the gateway on the simulator', () =>
    startListening(['serve', '--port', '0']),
  )
  const events = await step(`claude -p "${task.prompt}"`, () => runClaudeCode(claude, gateway.address, task))
  await step('stop the gateway', gateway.stop)
  judge(events, requestsIn(gateway.stderr()), task)
  console.log('\nClaude Code finished the task.\n')
}

async function byDragomanRun(claude, task) {
  const simulator = await step('start a simulator that writes as Kimi does', () =>
    startListening(['simulate', '--port', '0', '--format', 'kimi']),
  )
  const log = join(workshop, 'gateway.log')
  const options = ['--upstream', simulator.address, '--model', model, '--log', log]
  const events = await step('the same by dragoman run', () => runByDragoman(claude, options, task))
  await step('stop the simulator', simulator.stop)
  judge(events, requestsIn(readFileSync(log, 'utf8')), task)
  const left = readdirSync(workshop).filter((name) => name.startsWith('dragoman-run-'))
  if (left.length > 0) throw new Error(`dragoman run left ${left.join(', ')} behind`)
  console.log('\nClaude Code finished the task by dragoman run.')
}

/** These two write until their window is full, whatever a client allows. */
function refusesSums(server) {
  return server !== 'lm-studio' && server !== 'llama.cpp'
}

/**
 * Claude Code asks for answers of 32,000 tokens. In a window of 40,000 that does not fit, and each of these servers has
 * other words for it. `other` keeps the gateway from asking them for their window: it has to learn it from the refusal.
 */
async function onServer(claude, task, { server, kind, options = [], isRefused }) {
  const imitation = ['--format', 'qwen', '--server', server, ...options]
  const simulator = await startListening(['simulate', '--port', '0', ...imitation])
  const config = join(workshop, `${server}-${kind}.yaml`)
  writeFileSync(
    config,
    `upstreams: { lab: { url: ${JSON.stringify(simulator.address)}, kind: ${kind} } }\n` +
      `models: [{ match: "*", upstream: lab }]\n`,
  )
  const gateway = await startListening(['serve', '--port', '0', '--config', config])
  const title = `Claude Code on ${server}, which is ${kind === 'other' ? 'asked nothing' : 'asked what it is'}`
  const events = await step(title, () => runClaudeCode(claude, gateway.address, task, 'qwen3-coder'))
  await gateway.stop()
  await simulator.stop()
  const requests = requestsIn(gateway.stderr())
  const again = requests.flatMap((request) => request.again ?? [])
  console.log(`  ${again[0] ?? 'nothing had to be asked again'}`)
  judge(events, requests, task)
  if (again.length > 0 !== isRefused) throw new Error(`asked again: ${JSON.stringify(again)}`)
  const failed = requests.filter(({ failure }) => failure !== undefined && failure !== null)
  if (failed.length > 0) throw new Error(failed.map(({ failure }) => failure).join('\n'))
}

function judge(events, requests, task) {
  const calls = requests.map((request) => request.calls ?? [])
  console.log(`  calls in the answers of the gateway: ${JSON.stringify(calls)}`)
  const faults = [...faultsIn(events, task), ...faultsInCalls(calls)]
  if (faults.length > 0) throw new Error(faults.join('\n'))
}

function cleanUp() {
  for (const { pid } of running) {
    try {
      // The group: the wrapper of Claude Code would leave the program behind that it started.
      process.kill(-pid, 'SIGKILL')
    } catch {
      // It ended just now.
    }
  }
  rmSync(workshop, { recursive: true, force: true, maxRetries: 5 })
}

async function step(title, act) {
  const began = performance.now()
  const result = await act()
  console.log(`ok    ${title} (${((performance.now() - began) / 1000).toFixed(1)} s)`)
  return result
}

async function installClaudeCode() {
  const folder = join(workshop, 'claude-code')
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  // Whether npm runs scripts of packages is a matter of its settings. The wrapper finds the program without them.
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
  const npm = start('npm', ['install', ...options, release], { cwd: folder })
  await end(npm, limits.install, 'npm install')
  return join(folder, 'node_modules/@anthropic-ai/claude-code/cli-wrapper.cjs')
}

/** Starts a server of the program; resolves once it listens. */
async function startListening(command) {
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
    stderr: server.stderr,
  }
}

function requestsIn(log) {
  return jsonLines(log).filter(({ msg }) => msg === 'request')
}

/** Two files that the model cannot know, and a prompt that the simulator takes for one call after the other. */
function writeTask() {
  const folder = join(workshop, 'project')
  mkdirSync(folder)
  const contents = ['one', 'two'].map((name) => `content-${name}-${crypto.randomUUID()}`)
  const paths = contents.map((content, index) => {
    const path = join(folder, `file-${index}.txt`)
    writeFileSync(path, `${content}\n`)
    return path
  })
  const prompt = `First look at ${paths[0]} with the Read tool, then run \`cat ${paths[1]}\` with the Bash tool.`
  return { folder, contents, prompt }
}

async function runClaudeCode(wrapper, address, task, asked = model) {
  const args = [wrapper, ...claudeArguments(task), '--model', asked]
  const env = claudeEnvironment(address, asked)
  const claude = start(process.execPath, args, { cwd: task.folder, env })
  await end(claude, limits.task, 'claude')
  return jsonLines(claude.stdout())
}

/** Nothing tells Claude Code where the gateway is, but `dragoman run`. */
async function runByDragoman(wrapper, options, task) {
  // npm links the wrapper under this name where it runs the scripts of the package.
  const claude = join(workshop, 'claude')
  writeFileSync(claude, `#!/bin/sh\nexec '${process.execPath}' '${wrapper}' "$@"\n`, { mode: 0o755 })
  const args = [program, 'run', ...options, '--', claude, ...claudeArguments(task)]
  const run = start(process.execPath, args, { cwd: task.folder, env: closedEnvironment() })
  await end(run, limits.task, 'dragoman run')
  return jsonLines(run.stdout())
}

function claudeArguments({ folder, prompt }) {
  const output = ['--output-format', 'stream-json', '--verbose']
  const bounds = ['--allowedTools', 'Bash,Read', '--add-dir', folder, '--max-turns', '10']
  return ['-p', prompt, ...output, ...bounds]
}

function claudeEnvironment(address, asked) {
  return {
    ...closedEnvironment(),
    ANTHROPIC_BASE_URL: address,
    ANTHROPIC_AUTH_TOKEN: 'no-key',
    ANTHROPIC_MODEL: asked,
    ANTHROPIC_SMALL_FAST_MODEL: asked,
    ANTHROPIC_DEFAULT_HAIKU_MODEL: asked,
    ANTHROPIC_DEFAULT_SONNET_MODEL: asked,
    ANTHROPIC_DEFAULT_OPUS_MODEL: asked,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  }
}

/** For Claude Code, with no way to the network but this machine. */
function closedEnvironment() {
  const { HOME } = bareEnvironment()
  const nowhere = 'http://127.0.0.1:9'
  return {
    ...bareEnvironment(),
    CLAUDE_CONFIG_DIR: join(HOME, '.claude'),
    API_TIMEOUT_MS: '20000',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    IS_SANDBOX: '1',
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

function faultsIn(events, { contents }) {
  const result = events.findLast(({ type }) => type === 'result')
  if (result === undefined) return ['claude wrote no result']
  console.log(`  result: ${JSON.stringify(result.result)}`)
  const read = JSON.stringify(events.filter(({ type }) => type === 'user'))
  return [
    ...(result.is_error === false ? [] : [`the result is an error: ${JSON.stringify(result)}`]),
    ...contents.filter((content) => !read.includes(content)).map((content) => `no tool read ${content}`),
    ...(String(result.result).includes(contents.at(-1)) ? [] : ['the answer does not quote the last result']),
    ...(/history problem|<\|/.test(JSON.stringify(events))
      ? ['a history problem or a marker came through']
      : []),
  ]
}

function faultsInCalls(calls) {
  const called = calls.flat().join(', ')
  return called === 'Read, Bash' ? [] : [`the gateway passed on the calls: ${called || 'none'}`]
}

/** A process whose output is kept. */
function start(command, args, options) {
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

async function end(started, limit, title) {
  const [code, signal] = await within(limit, title, started.closed)
  if (code === 0) return
  const output = `${started.stdout()}\n${started.stderr()}`.trim().slice(-4000)
  throw new Error(`${title} ended with ${signal ?? code}:\n${output}`)
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

function jsonLines(text) {
  return text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
}
