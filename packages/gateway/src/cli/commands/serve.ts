import cluster from 'node:cluster'
import type { LoadedConfig, LoadResult } from '../../config/load.ts'
import type { OwnTerminal } from '../../server/own-terminal.ts'
import type { CommandArguments } from '../arguments.ts'
import { failure } from '../../terminal/cli-error.ts'
import type { Command } from '../command.ts'
import { configOptions, readConfigFlags } from '../config-options.ts'
import type { Io } from '../../terminal/io.ts'
import { packageVersion } from '../package-files.ts'
import { readConfig } from '../read-config.ts'
import { startSimulator } from '../built-in-simulator.ts'
import { serveHints } from '../serve-hints.ts'
import { type AskedUpstreams, survey } from '../survey.ts'
import { prepareRecording, startGateway } from '../start-gateway.ts'
import { workerCount, workersOption } from '../shared-options.ts'
import { storeIssues } from '../store-issues.ts'

export const serve: Command = {
  name: 'serve',
  summary: 'Start the gateway. This is what dragoman does without a command.',
  operands: '',
  operandCount: { min: 0, max: 0 },
  description: [
    'Clients speak Anthropic Messages or OpenAI Chat to it; it speaks to any OpenAI-compatible or',
    'Anthropic-compatible server. Without configuration it talks to the built-in simulator.',
  ],
  options: {
    ...configOptions,
    workers: workersOption,
  },
  examples: [
    { command: 'serve', does: 'On the simulator, or on what ./dragoman.yaml says.' },
    {
      command: 'serve --upstream http://127.0.0.1:8000/v1 --model Qwen/Qwen3-Coder-30B',
      does: 'In front of one server.',
    },
  ],
  run: runServe,
}

async function runServe(given: CommandArguments, io: Io): Promise<0 | 1> {
  try {
    return await loadAndServe(given, io)
  } finally {
    // The open channel to its parent would keep a worker alive. `process.disconnect` would end the worker at once and
    // lose what it still has to write.
    cluster.worker?.disconnect()
  }
}

async function loadAndServe(given: CommandArguments, io: Io): Promise<0 | 1> {
  const workers = workerCount(given, 'serve')
  const warnings = cluster.isPrimary ? 'shown' : 'hidden'
  const { loaded, load } = await readConfig(readConfigFlags(given), io, warnings)
  const { OwnTerminal } = await import('../../server/own-terminal.ts')
  const terminal = new OwnTerminal()
  const code = await serveUntilTheEnd({ loaded, load, workers, terminal, io })
  terminal.endIfGone()
  return code
}

async function serveUntilTheEnd(serving: Serving): Promise<0 | 1> {
  if (cluster.isWorker) {
    await checkFiles(serving)
    return serveAsWorker(serving)
  }
  await prepareRecording(serving.loaded.config)
  await prepareStore(serving)
  return serving.workers === 1 ? serveAlone(serving) : serveWithWorkers(serving)
}

/** Whoever wants use to be counted should know at once where it is not. */
async function prepareStore({ loaded, workers, io }: Serving): Promise<void> {
  if (loaded.config.accounting === undefined) return
  const { describeIssue } = await import('../../config/origin.ts')
  const { errors, warnings } = await storeIssues(loaded, workers, 'asked')
  await io.stderr.write(warnings.map((each) => `dragoman: warning: ${describeIssue(each)}\n`).join(''))
  if (errors.length > 0) throw failure(errors.map(describeIssue).join('\n'))
}

/** A worker starts with the files that the others have, or not at all. */
async function checkFiles({ loaded, io }: Serving): Promise<void> {
  const [{ lostFiles }, { describeIssue }, { filesInForce }] = await Promise.all([
    import('../../config/watcher.ts'),
    import('../../config/origin.ts'),
    import('../../server/worker-messages.ts'),
  ])
  const lost = lostFiles(filesInForce(io.env), loaded)
  if (lost.length > 0) throw failure(lost.map(describeIssue).join('\n'))
}

interface Serving {
  readonly loaded: LoadedConfig
  readonly load: () => Promise<LoadResult>
  readonly workers: number
  readonly terminal: OwnTerminal
  readonly io: Io
}

async function serveAlone({ loaded, load, terminal, io }: Serving): Promise<0 | 1> {
  const [{ createMetrics }, { followConfig }, { hearHangups }, { Lifetime }, { PatientWriter, STDERR }] =
    await Promise.all([
      import('../../observe/metrics.ts'),
      import('../../config/follow-config.ts'),
      import('../../server/own-terminal.ts'),
      import('../../server/lifetime.ts'),
      import('../../observe/patient-writer.ts'),
    ])
  const lifetime = new Lifetime()
  const metrics = createMetrics(await packageVersion())
  const service = await startGateway({ config: loaded.config, metrics, workers: 1, io })
  const notices = new PatientWriter(STDERR, () => {})
  const following = followConfig({
    initial: loaded,
    load,
    onChange: ({ config }) => service.reconfigure(config),
    say: (text) => notices.write(`dragoman: ${text}\n`),
  })
  hearHangups(terminal, {
    onAsked: () => {
      service.logger.reopen()
      following.reload()
    },
    onClosed: () => lifetime.stop(),
  })
  await announce(service.address, loaded, service.upstreams, io)
  const end = await lifetime.end((error) => service.logger.error({ error }, 'our own bug'))
  following.stop()
  await service.drain()
  await notices.close()
  return end.code
}

async function serveWithWorkers(serving: Serving): Promise<0 | 1> {
  const { loaded, load, workers: count, terminal, io } = serving
  const [{ Workers }, { followConfig }, { hearHangups }, { Lifetime }, { PatientWriter, STDERR }] =
    await Promise.all([
      import('../../server/workers.ts'),
      import('../../config/follow-config.ts'),
      import('../../server/own-terminal.ts'),
      import('../../server/lifetime.ts'),
      import('../../observe/patient-writer.ts'),
    ])
  const notices = new PatientWriter(STDERR, (lines) => workers.linesDropped(lines))
  const say = (text: string): void => notices.write(`dragoman: ${text}\n`)
  let files = loaded.tellingFiles
  const workers = new Workers({
    count,
    files: () => files,
    onStderr: io.stderr.isTerminal ? null : (text) => notices.write(text),
    onLoss: (reason) => say(`a worker ended (${reason}); it is replaced`),
  })
  const lifetime = new Lifetime(() => workers.kill())
  const address = await workers.start().catch(async (error: unknown) => {
    await workers.drain()
    await notices.close()
    throw failure(error instanceof Error ? error.message : String(error), error)
  })
  const following = followConfig({
    initial: loaded,
    load,
    onChange: ({ tellingFiles }) => {
      files = tellingFiles
      workers.reload()
    },
    say,
  })
  hearHangups(terminal, {
    onAsked: () => {
      workers.reopenLogs()
      following.reload()
    },
    onClosed: () => lifetime.stop(),
  })
  await announceForWorkers(address, loaded, io)
  const end = await lifetime.end(say)
  following.stop()
  await workers.drain()
  await notices.close()
  return end.code
}

/** The parent process prints, watches the files and passes signals on. */
async function serveAsWorker({ loaded, load, workers, io }: Serving): Promise<0 | 1> {
  const [{ createConfigWatcher }, { createMetrics }, { ParentProcess }, { Lifetime }] = await Promise.all([
    import('../../config/watcher.ts'),
    import('../../observe/metrics.ts'),
    import('../../server/parent-process.ts'),
    import('../../server/lifetime.ts'),
  ])
  process.on('SIGHUP', () => {})
  const lifetime = new Lifetime()
  const parent = new ParentProcess()
  const metrics = createMetrics(await packageVersion(), { gather: () => parent.metrics() })
  const service = await startGateway({ config: loaded.config, metrics, workers, io })
  const watcher = createConfigWatcher({
    initial: loaded,
    load,
    onChange: ({ config }) => service.reconfigure(config),
    onError: () => {},
    delay: () => () => {},
  })
  parent.listen({
    onReload: () => void watcher.reload(),
    onReopenLog: () => service.logger.reopen(),
    onDrain: () => lifetime.stop(),
    onDropped: (lines) => metrics.dropped('log', lines),
  })
  parent.listening(service.address)
  const end = await lifetime.end((error) => service.logger.error({ error }, 'our own bug'))
  await service.drain()
  return end.code
}

/** Nobody waits longer than this for what the upstreams say of themselves. */
const SURVEY_MS = 1500

async function announce(
  address: string,
  { config }: LoadedConfig,
  asked: AskedUpstreams,
  io: Io,
): Promise<void> {
  const { stdout, stderr } = io
  await stdout.line(`dragoman listening on ${address}`)
  await stderr.write(serveHints(address, config, await survey(config, asked, SURVEY_MS, io), stderr))
}

/** The parent of workers has no gateway of its own. */
async function announceForWorkers(address: string, loaded: LoadedConfig, io: Io): Promise<void> {
  const { Upstreams } = await import('../../upstream/upstreams.ts')
  const { proxies } = loaded.config
  const upstreams = new Upstreams({ now: io.now, proxies, startSimulator })
  await announce(address, loaded, upstreams, io)
  await upstreams.close()
}
