// Gemini CLI: a task on text of three families, started by `dragoman run`, and on an upstream that breaks off.
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
  recordingsIn,
  requestsIn,
  start,
  startGateway,
  startListening,
  step,
  workshop,
  writeTask,
} from './workshop.mjs'

const release = '@google/gemini-cli@0.61.0'
const calls = ['read_file', 'run_shell_command']
const simulate = ['simulate', '--port', '0', '--pace', '0']

export async function tryGeminiCli(models) {
  const gemini = await step(`install ${release}`, () => install(release, 'bundle/gemini.js'))
  const task = writeTask(
    'for-gemini-cli',
    (one, two) => `First look at ${one} with read_file, then run \`cat ${two}\` with run_shell_command.`,
  )
  for (const model of models) await onGateway(gemini, task, model)
  await byDragomanRun(gemini, task, models[0])
  await onBrokenAnswer(gemini, task, models[0])
}

async function onGateway(gemini, task, model) {
  const simulator = await startListening(simulate)
  const gateway = await startGateway(`gemini-${model}`, simulator.address)
  const events = await step(`Gemini CLI on text of ${model}`, async () => {
    const run = startGemini(gemini, gateway.address, task, model)
    await end(run, limits.task, 'gemini')
    return jsonLines(run.stdout())
  })
  await gateway.stop()
  await simulator.stop()
  const read = lastTold(gateway.recordings())
  expectThoughts(read, model)
  judge({ calls: callsIn(gateway.requests()), read, answer: answerIn(events) }, task, calls)
}

async function byDragomanRun(gemini, task, model) {
  const simulator = await startListening(simulate)
  const log = join(workshop, 'gemini-cli.log')
  const record = join(workshop, 'gemini-cli-recordings')
  const options = ['--upstream', simulator.address, '--model', model, '--log', log, '--record', record]
  const args = [program, 'run', ...options, '--', linked('gemini', gemini), ...geminiArguments(task)]
  const events = await step('Gemini CLI by dragoman run', async () => {
    const run = start(process.execPath, args, { cwd: task.folder, env: closedEnvironment() })
    await end(run, limits.task, 'dragoman run -- gemini')
    return jsonLines(run.stdout())
  })
  await simulator.stop()
  const called = callsIn(requestsIn(readFileSync(log, 'utf8')))
  judge({ calls: called, read: lastTold(recordingsIn(record)), answer: answerIn(events) }, task, calls)
}

/** An answer without an end counts as a success behind the result of a tool, so the gateway has to be loud about it. */
async function onBrokenAnswer(gemini, task, model) {
  const simulator = await startListening(simulate)
  const breaking = await startBreaking(simulator.address, (number) => number > 1)
  const gateway = await startGateway('gemini-broken', breaking.address)
  const run = startGemini(gemini, gateway.address, task, model)
  await step('Gemini CLI on an upstream that breaks off behind the result of a tool', () =>
    failing(run, limits.task, 'gemini on a broken answer'),
  )
  await gateway.stop()
  breaking.stop()
  await simulator.stop()
  const events = jsonLines(run.stdout())
  const result = events.findLast(({ type }) => type === 'result')
  console.log(`  ${result?.status}: ${result?.error?.message}`)
  if (result !== undefined && result.status !== 'error') throw new Error('Gemini CLI reported a success')
  const ran = events.filter(({ type }) => type === 'tool_use').map(({ tool_name: name }) => name)
  if (ran.join() !== 'read_file') throw new Error(`Gemini CLI ran ${ran.join(', ')}`)
}

function startGemini(gemini, address, task, model) {
  const closed = closedEnvironment()
  const home = join(closed.HOME, `gemini-${new URL(address).port}`)
  const settings = {
    security: { auth: { selectedType: 'gemini-api-key' } },
    privacy: { usageStatisticsEnabled: false },
    general: { enableAutoUpdate: false },
  }
  mkdirSync(join(home, '.gemini'), { recursive: true })
  writeFileSync(join(home, '.gemini/settings.json'), JSON.stringify(settings))
  const env = {
    ...closed,
    GEMINI_CLI_HOME: home,
    GEMINI_API_KEY: 'no-key',
    GOOGLE_GEMINI_BASE_URL: address,
  }
  const args = [gemini, '-m', model, ...geminiArguments(task)]
  return start(process.execPath, args, { cwd: task.folder, env })
}

function geminiArguments({ prompt }) {
  return ['--yolo', '--skip-trust', '-o', 'stream-json', '-p', prompt]
}

/** What it said behind the last result of a tool. */
function answerIn(events) {
  const last = events.findLastIndex(({ type }) => type === 'tool_result')
  return events
    .slice(last + 1)
    .map(({ role, content }) => (role === 'assistant' ? content : ''))
    .join('')
}
