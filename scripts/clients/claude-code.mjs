// Claude Code: once on a gateway that runs, once started by `dragoman run`, and once on each of a row of servers with a
// small window.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { callsIn, judge } from './judge.mjs'
import {
  closedEnvironment,
  end,
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

const release = '@anthropic-ai/claude-code@2.1.197'
const model = 'kimi-k2'
const calls = ['Read', 'Bash']

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

export async function tryClaudeCode() {
  const wrapper = await step(`install ${release}`, () => install(release, 'cli-wrapper.cjs'))
  const task = writeTask(
    'for-claude-code',
    (one, two) => `First look at ${one} with the Read tool, then run \`cat ${two}\` with the Bash tool.`,
  )
  await onRunningGateway(wrapper, task)
  await byDragomanRun(wrapper, task)
  for (const server of smallServers) await onServer(wrapper, task, server)
}

async function onRunningGateway(wrapper, task) {
  const gateway = await startListening(['serve', '--port', '0'])
  const events = await step('Claude Code on the gateway with its own simulator', () =>
    runClaudeCode(wrapper, gateway.address, task),
  )
  await gateway.stop()
  judge({ ...doneIn(events), calls: callsIn(gateway.requests()) }, task, calls)
}

async function byDragomanRun(wrapper, task) {
  const simulator = await startListening(['simulate', '--port', '0', '--format', 'kimi'])
  const log = join(workshop, 'claude-code.log')
  const options = ['--upstream', simulator.address, '--model', model, '--log', log]
  const events = await step('Claude Code by dragoman run', () => runByDragoman(wrapper, options, task))
  await simulator.stop()
  judge({ ...doneIn(events), calls: callsIn(requestsIn(readFileSync(log, 'utf8'))) }, task, calls)
  const left = readdirSync(workshop).filter((name) => name.startsWith('dragoman-run-'))
  if (left.length > 0) throw new Error(`dragoman run left ${left.join(', ')} behind`)
}

/** These two write until their window is full, whatever a client allows. */
function refusesSums(server) {
  return server !== 'lm-studio' && server !== 'llama.cpp'
}

/**
 * Claude Code asks for answers of 32,000 tokens. In a window of 40,000 that does not fit, and each of these servers has
 * other words for it. `other` keeps the gateway from asking them for their window: it has to learn it from the refusal.
 */
async function onServer(wrapper, task, { server, kind, options = [], isRefused }) {
  const imitation = ['--format', 'qwen', '--server', server, ...options]
  const simulator = await startListening(['simulate', '--port', '0', ...imitation])
  const gateway = await startGateway(`${server}-${kind}`, simulator.address, kind)
  const title = `Claude Code on ${server}, which is ${kind === 'other' ? 'asked nothing' : 'asked what it is'}`
  const events = await step(title, () => runClaudeCode(wrapper, gateway.address, task, 'qwen3-coder'))
  await gateway.stop()
  await simulator.stop()
  const requests = gateway.requests()
  const again = requests.flatMap((request) => request.again ?? [])
  console.log(`  ${again[0] ?? 'nothing had to be asked again'}`)
  judge({ ...doneIn(events), calls: callsIn(requests) }, task, calls)
  if (again.length > 0 !== isRefused) throw new Error(`asked again: ${JSON.stringify(again)}`)
}

async function runClaudeCode(wrapper, address, task, asked = model) {
  const args = [wrapper, ...claudeArguments(task), '--model', asked]
  const env = {
    ...claudeEnvironment(),
    ANTHROPIC_BASE_URL: address,
    ANTHROPIC_AUTH_TOKEN: 'no-key',
    ANTHROPIC_MODEL: asked,
    ANTHROPIC_SMALL_FAST_MODEL: asked,
    ANTHROPIC_DEFAULT_HAIKU_MODEL: asked,
    ANTHROPIC_DEFAULT_SONNET_MODEL: asked,
    ANTHROPIC_DEFAULT_OPUS_MODEL: asked,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  }
  const claude = start(process.execPath, args, { cwd: task.folder, env })
  await end(claude, limits.task, 'claude')
  return jsonLines(claude.stdout())
}

/** Nothing tells Claude Code where the gateway is, but `dragoman run`. */
async function runByDragoman(wrapper, options, task) {
  const args = [program, 'run', ...options, '--', linked('claude', wrapper), ...claudeArguments(task)]
  const run = start(process.execPath, args, { cwd: task.folder, env: claudeEnvironment() })
  await end(run, limits.task, 'dragoman run -- claude')
  return jsonLines(run.stdout())
}

function claudeArguments({ folder, prompt }) {
  const output = ['--output-format', 'stream-json', '--verbose']
  const bounds = ['--allowedTools', 'Bash,Read', '--add-dir', folder, '--max-turns', '10']
  return ['-p', prompt, ...output, ...bounds]
}

function claudeEnvironment() {
  const closed = closedEnvironment()
  return {
    ...closed,
    CLAUDE_CONFIG_DIR: join(closed.HOME, '.claude'),
    API_TIMEOUT_MS: '20000',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    IS_SANDBOX: '1',
  }
}

function doneIn(events) {
  const result = events.findLast(({ type }) => type === 'result')
  if (result?.is_error !== false) throw new Error(`the result is an error: ${JSON.stringify(result)}`)
  return {
    read: JSON.stringify(events.filter(({ type }) => type === 'user')),
    answer: String(result.result),
  }
}
