// Codex: a task on text of three families, started by `dragoman run`, on an upstream that breaks off a call or wants fewer
// requests, and on a model whose window is too small for it.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startBreaking } from './breaking-server.mjs'
import { callsIn, expectThoughts, judge, lastTold } from './judge.mjs'
import {
  closedEnvironment,
  end,
  failing,
  install,
  jsonLines,
  limits,
  linked,
  program,
  requestsIn,
  start,
  startGateway,
  startListening,
  step,
  workshop,
  writeTask,
} from './workshop.mjs'

const release = '@openai/codex@0.166.0'
const calls = ['exec_command', 'exec_command']
/** It has one tool for files and commands, so the prompt names no other: the simulator is told how often to call. */
const twoRounds = ['simulate', '--port', '0', '--pace', '0', '--rounds', '2']

export async function tryCodex(models) {
  const codex = await step(`install ${release}`, () => install(release, 'bin/codex.js'))
  const task = writeTask(
    'for-codex',
    (one, two) => `First run \`cat ${one}\` with exec_command, then run \`cat ${two}\` with it.`,
  )
  for (const model of models) await onGateway(codex, task, model)
  await byDragomanRun(codex, task, models[0])
  await onBrokenCall(codex, task, models[0])
  await onSmallWindow(codex, task, models[0])
  await onRateLimit(codex, task, models[0])
}

async function onGateway(codex, task, model) {
  const simulator = await startListening(twoRounds)
  const gateway = await startGateway(`codex-${model}`, simulator.address)
  const events = await step(`Codex on text of ${model}`, () => runCodex(codex, gateway.address, task, model))
  await gateway.stop()
  await simulator.stop()
  const read = lastTold(gateway.recordings())
  expectThoughts(read, model)
  judge({ calls: callsIn(gateway.requests()), read, answer: answerIn(events) }, task, calls)
  expectCommands(events, 2)
}

async function byDragomanRun(codex, task, model) {
  const simulator = await startListening(twoRounds)
  const log = join(workshop, 'codex.log')
  const options = ['--upstream', simulator.address, '--model', model, '--log', log]
  const args = [program, 'run', ...options, '--', linked('codex', codex), ...codexArguments(task)]
  const events = await step('Codex by dragoman run', async () => {
    const run = start(process.execPath, args, { cwd: task.folder, env: codexEnvironment('by-run', '') })
    await end(run, limits.task, 'dragoman run -- codex')
    return jsonLines(run.stdout())
  })
  await simulator.stop()
  const found = { calls: callsIn(requestsIn(readFileSync(log, 'utf8'))), read: JSON.stringify(events) }
  judge({ ...found, answer: answerIn(events) }, task, calls)
}

/** Codex runs a call when it is told that the call is done. It must not be told so of a half one. */
async function onBrokenCall(codex, task, model) {
  const simulator = await startListening(twoRounds)
  const breaking = await startBreaking(simulator.address, (number) => number === 2)
  const gateway = await startGateway('codex-broken', breaking.address)
  const events = await step('Codex on an upstream that breaks off the second call', () =>
    runCodex(codex, gateway.address, task, model),
  )
  await gateway.stop()
  breaking.stop()
  await simulator.stop()
  if (breaking.count() !== 4) throw new Error(`there were ${breaking.count()} requests, not 4`)
  if (!events.some(({ type, message }) => type === 'error' && /broke off/.test(message))) {
    throw new Error('Codex told nobody that the answer broke off')
  }
  expectCommands(events, 2)
  judge({ calls, read: lastTold(gateway.recordings()), answer: answerIn(events) }, task, calls)
}

async function onSmallWindow(codex, task, model) {
  const simulator = await startListening([...twoRounds, '--server', 'vllm-0.21', '--window', '8000'])
  const gateway = await startGateway('codex-small', simulator.address, 'auto')
  const run = startCodex(codex, gateway.address, task, model)
  await step('Codex on a window that is too small for it', () =>
    failing(run, limits.task, 'codex on a full window'),
  )
  await gateway.stop()
  await simulator.stop()
  const failed = jsonLines(run.stdout()).find(({ type }) => type === 'turn.failed')
  console.log(`  ${failed?.error?.message}`)
  if (!/context window/.test(failed?.error?.message))
    throw new Error('Codex did not see that the window is full')
  const asked = gateway.requests().length
  if (asked !== 1) throw new Error(`Codex asked ${asked} times for what cannot fit`)
}

/** A plain 429 ends the task of Codex at once. */
async function onRateLimit(codex, task, model) {
  const simulator = await startListening(twoRounds)
  const gateway = await startGateway('codex-limited', simulator.address)
  const run = startCodex(codex, gateway.address, task, `${model}+429`)
  await step('Codex on an upstream that wants fewer requests', () =>
    failing(run, limits.task, 'codex on a rate limit'),
  )
  await gateway.stop()
  await simulator.stop()
  const asked = gateway.requests().length
  console.log(`  it asked ${asked} times`)
  if (asked !== 3) throw new Error(`Codex may ask three times, and asked ${asked} times`)
}

async function runCodex(codex, address, task, model) {
  const run = startCodex(codex, address, task, model)
  await end(run, limits.task, 'codex')
  return jsonLines(run.stdout())
}

function startCodex(codex, address, task, model) {
  const env = {
    ...codexEnvironment(new URL(address).port, providerAt(address, model)),
    GATEWAY_KEY: 'no-key',
  }
  return start(process.execPath, [codex, ...codexArguments(task)], { cwd: task.folder, env })
}

function codexArguments({ folder, prompt }) {
  const bounds = ['--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox']
  return ['exec', '--json', ...bounds, '-C', folder, prompt]
}

function providerAt(address, model) {
  return `model = "${model}"
model_provider = "gateway"
[model_providers.gateway]
name = "Gateway"
base_url = "${address}/v1"
env_key = "GATEWAY_KEY"
wire_api = "responses"
stream_max_retries = 2
`
}

function codexEnvironment(name, config) {
  const closed = closedEnvironment()
  const home = join(closed.HOME, `codex-${name}`)
  mkdirSync(home, { recursive: true })
  const quiet = 'check_for_update_on_startup = false\nanalytics = { enabled = false }\n'
  writeFileSync(join(home, 'config.toml'), quiet + config)
  return { ...closed, CODEX_HOME: home }
}

function answerIn(events) {
  const said = events.filter(({ item }) => item?.type === 'agent_message').map(({ item }) => item.text)
  return said.at(-1) ?? ''
}

function expectCommands(events, count) {
  const commands = events.filter(
    ({ type, item }) => type === 'item.completed' && item.type === 'command_execution',
  )
  if (commands.length !== count || commands.some(({ item }) => item.exit_code !== 0)) {
    throw new Error(`Codex ran: ${JSON.stringify(commands)}`)
  }
}
