import { join, resolve } from 'node:path'
import { printable } from '../../base/printable.ts'
import type { GatewayConfig, Upstream } from '../../config/config.ts'
import { exampleName, matchModel } from '../../config/match-model.ts'
import type { ConfigFlags } from '../../config/overlays.ts'
import type { Obstacle } from '../../doctor/obstacle.ts'
import type { Client } from '../../launch/client.ts'
import { clientNamed, clients, installCommand, isServed, modelList } from '../../launch/clients.ts'
import { didYouMean } from '../../base/did-you-mean.ts'
import type { CommandArguments } from '../arguments.ts'
import { CliError, failure, usageError } from '../../terminal/cli-error.ts'
import type { Command } from '../command.ts'
import { configOptions, readConfigFlags } from '../config-options.ts'
import type { Io } from '../../terminal/io.ts'
import { startSimulator } from '../built-in-simulator.ts'
import { readConfig } from '../read-config.ts'
import { callableAddress } from '../serve-hints.ts'

/** What a shell answers where there is no such program. */
const NOT_INSTALLED = 127
/** How many warnings of the gateway are shown when the client has ended. */
const SHOWN_WARNINGS = 5

export const run: Command = {
  name: 'run',
  summary: 'Start a coding agent on the gateway, and the gateway with it.',
  operands: '-- CLIENT [ARGUMENTS]',
  operandCount: { min: 0, max: Infinity },
  operandsEndOptions: true,
  description: [
    'Starts a gateway on a free port, or takes the one that runs already, tells the client where it is',
    'and which model to ask for, and runs the client with its own arguments. The settings of the client',
    'and the rest of its environment stay as they are. Its exit code is that of the command. Clients:',
    '',
    ...clientTable(),
  ],
  options: {
    ...configOptions,
    port: { ...configOptions.port, help: 'The port of a gateway that runs already. Default 12377.' },
    host: { ...configOptions.host, help: 'The address of a gateway that runs already.' },
    model: { ...configOptions.model, help: 'The model to ask for. Default: the first that is known.' },
    'key-env': { type: 'string', value: 'NAME', help: 'The variable with the key for a gateway that runs.' },
    log: { type: 'string', value: 'FILE', help: 'Keep the log of the gateway in FILE.' },
    list: { type: 'boolean', help: 'List the clients.' },
  },
  examples: [
    {
      command: 'run --upstream http://127.0.0.1:8000/v1 -- claude',
      does: 'Claude Code on the model of a server of yours.',
    },
    { command: 'run --model kimi-k2 -- opencode run "What is in this folder?"', does: 'With its arguments.' },
    { command: 'run -- ./node_modules/.bin/qwen', does: 'A client by its path.' },
  ],
  async run(given, io) {
    if (given.flag('list')) {
      await io.stdout.write(clientTable().join('\n') + '\n')
      return 0
    }
    const [named, ...args] = given.operands
    if (named === undefined) throw usageError('run needs a client after the options', knownClients())
    const client = clientNamed(named)
    if (client === undefined) throw unknownClient(named)
    if (!isServed(client)) throw failure(notServed(client))
    const { findProgram } = await import('../../launch/find-program.ts')
    const path = findProgram(named, io.env)
    if (path === undefined) {
      await io.stderr.line(`dragoman: ${named} is not installed, or not on PATH. To install it:`)
      await io.stderr.line(`  ${installCommand(client)}`)
      return NOT_INSTALLED
    }
    return launch({ client, path, args, given, io })
  },
}

function clientTable(): string[] {
  return Object.entries(clients).map(([name, client]) => {
    const remark = isServed(client) ? '' : '  (not served by this version)'
    return `${name.padEnd(10)} ${client.title.padEnd(12)} ${installCommand(client)}${remark}`
  })
}

function knownClients(): string {
  return `Known: ${Object.keys(clients).join(', ')}`
}

function unknownClient(named: string): Error {
  const meant = didYouMean(named, Object.keys(clients))
  const question = meant === undefined ? '' : ` Did you mean ${meant}?`
  return usageError(`unknown client "${named}".${question}`, knownClients())
}

function notServed({ title, asks }: Client): string {
  return `${title} asks at ${asks}, in a dialect that this version does not serve.`
}

interface Launch {
  readonly client: Client
  readonly path: string
  readonly args: readonly string[]
  readonly given: CommandArguments
  readonly io: Io
}

async function launch(started: Launch): Promise<number> {
  const [{ Foreground }, { TemporaryFolder }, { OwnTerminal }] = await Promise.all([
    import('../../launch/foreground.ts'),
    import('../../launch/temporary-folder.ts'),
    import('../../server/own-terminal.ts'),
  ])
  const terminal = new OwnTerminal()
  const foreground = new Foreground()
  const folder = new TemporaryFolder()
  try {
    const { client, path, args, io } = started
    const gateway = await openGateway(started, folder.path)
    try {
      const [{ limitsOf }, { clientEnvironment }] = await Promise.all([
        import('../../launch/known-gateway.ts'),
        import('../../launch/environment.ts'),
      ])
      const model = await chooseModel(gateway, started)
      const limits = await limitsOf(gateway, model)
      await warnOfWindow(limits.window, io)
      const { base, key = 'dragoman' } = gateway
      const models = modelList(client, model, limits)
      const prepared = client.prepare({ base, model, key, folder: folder.path, models, ...limits })
      folder.write(prepared.files)
      await io.stderr.line(`dragoman: ${client.title} on ${model} through ${gateway.described}`)
      const env = clientEnvironment(io.env, client, prepared, base)
      const code = await foreground.run({ path, args: [...prepared.args, ...args], env })
      const warnings = await gateway.close()
      await showWarnings(warnings, io)
      if (code !== 0) await tellOverflow(warnings, limits.window, io)
      return code
    } finally {
      await gateway.close()
    }
  } finally {
    folder.remove()
    foreground.leave()
    terminal.endIfGone()
  }
}

/** The gateway that the client is to use. */
interface UsedGateway {
  readonly base: string
  readonly key: string | undefined
  readonly config: GatewayConfig
  readonly described: string
  /** Whether it was started for this client, or runs already. */
  readonly is: 'own' | 'running'
  /** Resolves to what it warned of. It may be called again. */
  close(): Promise<readonly string[]>
}

/** These say what a gateway of one's own is to do, which one that runs already cannot be told. */
const forOwnGateway = ['upstream', 'upstream-key-env', 'format', 'record', 'log-level', 'log']

async function openGateway({ given, io }: Launch, folder: string): Promise<UsedGateway> {
  const { config, running } = await findGateway(given, io)
  if (running !== undefined) return running
  const { startQuietGateway } = await import('../quiet-gateway.ts')
  const kept = given.text('log')
  const log = kept === undefined ? config.log : { ...config.log, file: resolve(kept) }
  const gateway = await startQuietGateway({ ...config, log }, join(folder, 'gateway.log'), io)
  const remark = config.upstreams === 'simulator' ? ' (a simulator answers: no upstream is configured)' : ''
  let closed: Promise<readonly string[]> | undefined
  const close = (): Promise<readonly string[]> => (closed ??= gateway.close())
  return { ...gateway, config, described: `${gateway.base}${remark}`, is: 'own', close }
}

interface FoundGateway {
  readonly config: GatewayConfig
  /** The one that runs at the address of the configuration, if it may be used. */
  readonly running: UsedGateway | undefined
}

async function findGateway(given: CommandArguments, io: Io): Promise<FoundGateway> {
  try {
    const { config } = (await readConfig(configFlags(given), io, 'shown')).loaded
    return { config, running: await runningGateway(config, given, io) }
  } catch (error) {
    const config = await configWithoutKey(given, io)
    const running = config === undefined ? undefined : await runningGateway(config, given, io)
    if (config === undefined || running === undefined) throw error
    return { config, running }
  }
}

async function runningGateway(
  config: GatewayConfig,
  given: CommandArguments,
  io: Io,
): Promise<UsedGateway | undefined> {
  if (forOwnGateway.some((option) => given.text(option) !== undefined)) return undefined
  const { isGatewayAt } = await import('../../launch/known-gateway.ts')
  const base = configuredAddress(config)
  if (!(await isGatewayAt(base))) return undefined
  const described = `the gateway that runs at ${base}`
  return { base, key: givenKey(given, io), config, described, is: 'running', close: async () => [] }
}

/** To a gateway that runs the key is only shown: whether it is long enough for one of our own does not matter. */
async function configWithoutKey(given: CommandArguments, io: Io): Promise<GatewayConfig | undefined> {
  const { DRAGOMAN_API_KEY: key, ...env } = io.env
  if (key === undefined) return undefined
  const read = readConfig(configFlags(given), { ...io, env }, 'hidden')
  return read.then(
    ({ loaded }) => loaded.config,
    () => undefined,
  )
}

function configFlags(given: CommandArguments): ConfigFlags {
  const { model, ...others } = readConfigFlags(given)
  // In front of one server, whatever name the client asks for means this model. With a file its rules decide.
  return model === undefined || others.upstream === undefined ? others : { ...others, model }
}

function configuredAddress(config: GatewayConfig): string {
  const { host, port } = config.listen
  return callableAddress(`http://${host.includes(':') ? `[${host}]` : host}:${port}`, config)
}

function givenKey(given: CommandArguments, { env }: Io): string | undefined {
  const named = given.text('key-env')
  const key = env[named ?? 'DRAGOMAN_API_KEY']
  if (named !== undefined && (key === undefined || key === '')) {
    throw failure(`--key-env: the environment variable ${named} is not set`)
  }
  return key === '' ? undefined : key
}

async function chooseModel(gateway: UsedGateway, { given, io }: Launch): Promise<string> {
  const { config } = gateway
  const known = given.text('model') ?? configuredModel(config)
  if (known !== undefined) {
    const upstream = matchModel(config, known)?.upstream
    const obstacle = upstream === undefined ? null : await obstacleTo(gateway, [upstream], io)
    // A server that has no list of models, or none for everybody, may answer all the same.
    if (obstacle?.is === 'unreached') throw blocked(obstacle)
    return known
  }
  const { listedModels } = await import('../../launch/known-gateway.ts')
  const [first] = await listedModels(gateway)
  if (first !== undefined) return first
  const upstreams = config.upstreams === 'simulator' ? [] : [...config.upstreams.values()]
  const obstacle = await obstacleTo(gateway, upstreams, io)
  if (obstacle !== null) throw blocked(obstacle)
  throw new CliError(1, 'no model is known: the upstream lists none.', 'Name one with --model.')
}

/** Nobody waits longer than this to learn why there is no answer. */
const OBSTACLE_MS = 5000

/** Why nothing can be asked, where the gateway is our own: one that runs already has its own upstreams. */
async function obstacleTo(
  { is, config }: UsedGateway,
  upstreams: readonly (Upstream | 'simulator')[],
  { now }: Io,
): Promise<Obstacle | null> {
  const asked = is === 'own' ? upstreams.filter((each) => each !== 'simulator') : []
  if (asked.length === 0) return null
  const { findObstacle } = await import('../../doctor/obstacle.ts')
  const world = { now, startSimulator }
  const found = await Promise.all(asked.map((each) => findObstacle(each, config, world, OBSTACLE_MS)))
  return found.find((each) => each !== null) ?? null
}

function blocked({ seen, advice }: Obstacle): CliError {
  return new CliError(1, `${printable(seen).replace(/\.+$/, '')}.`, advice)
}

function configuredModel({ models }: GatewayConfig): string | undefined {
  return models.map(exampleName).find((name) => name !== undefined)
}

/** A client whose first prompt does not fit ends with an error that says nothing of the window. */
async function warnOfWindow(window: number | null, { stderr }: Io): Promise<void> {
  const { isTooSmall, LEAST_WINDOW } = await import('../../doctor/agent-window.ts')
  if (window === null || !isTooSmall(window)) return
  const [has, needs] = [window, LEAST_WINDOW].map((tokens) => tokens.toLocaleString('en'))
  await stderr.line(`dragoman: the window has ${has} tokens, and coding agents need ${needs} and more.`)
}

/** Until now the terminal belonged to the client. */
async function showWarnings(lines: readonly string[], { stderr }: Io): Promise<void> {
  if (lines.length === 0) return
  const { warningSentences } = await import('../gateway-warnings.ts')
  const count = lines.length === 1 ? 'once' : `${lines.length} times`
  await stderr.line(`dragoman: the gateway warned ${count}; --log FILE keeps its log.`)
  const sentences = warningSentences(lines, SHOWN_WARNINGS)
  await stderr.write(sentences.map((sentence) => `  ${sentence}\n`).join(''))
}

async function tellOverflow(lines: readonly string[], window: number | null, { stderr }: Io): Promise<void> {
  const { holdsOverflow } = await import('../gateway-warnings.ts')
  if (!holdsOverflow(lines)) return
  const size = window === null ? '' : ` of ${window.toLocaleString('en')} tokens`
  await stderr.line(
    `dragoman: what the client sent did not fit into the window${size}. Start the server with a larger context.`,
  )
}
