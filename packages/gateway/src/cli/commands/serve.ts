import { watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { GatewayConfig } from '../../config/config.ts'
import type { LoadedConfig, LoadResult } from '../../config/load.ts'
import type { CommandArguments } from '../arguments.ts'
import { failure } from '../cli-error.ts'
import type { Command } from '../command.ts'
import { configOptions, readConfigFlags } from '../config-options.ts'
import type { Io } from '../io.ts'
import { packageVersion } from '../package-files.ts'

/** Editors write a file in several steps. */
const SETTLE_MS = 200

export const serve: Command = {
  name: 'serve',
  summary: 'Start the gateway. This is what dragoman does without a command.',
  operands: '',
  operandCount: { min: 0, max: 0 },
  description: [
    'Clients speak Anthropic Messages or OpenAI Chat to it; it speaks to any OpenAI-compatible or',
    'Anthropic-compatible server. Without configuration it talks to the built-in simulator.',
  ],
  options: configOptions,
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
  const [{ loadConfig }, { processWorld }, { describeIssue }] = await Promise.all([
    import('../../config/load.ts'),
    import('../../config/world.ts'),
    import('../../config/origin.ts'),
  ])
  const load = () => loadConfig(processWorld(io.env), readConfigFlags(given))
  const loaded = await load()
  await io.stderr.write(loaded.warnings.map((each) => `dragoman: warning: ${describeIssue(each)}\n`).join(''))
  if (!loaded.ok) throw failure(loaded.errors.map(describeIssue).join('\n'))
  const gateway = await startGateway(loaded.config, io)
  const stopWatching = await followConfig(loaded, load, gateway, io)
  await io.stdout.line(`dragoman listening on ${gateway.address}`)
  await io.stderr.write(hints(callableAddress(gateway.address), loaded.config, io))
  await endOfService()
  stopWatching()
  await gateway.drain()
  return 0
}

interface RunningGateway {
  readonly address: string
  reconfigure(config: GatewayConfig): void
  drain(): Promise<void>
}

async function startGateway(config: GatewayConfig, { stderr, now }: Io): Promise<RunningGateway> {
  const [{ Gateway }, { createLogger }, { createMetrics }, { createRedactor }, { createRecorder }] =
    await Promise.all([
      import('../../runtime/gateway.ts'),
      import('../../observe/logger.ts'),
      import('../../observe/metrics.ts'),
      import('../../security/redact.ts'),
      import('../../recorder/recorder.ts'),
    ])
  const metrics = createMetrics(await packageVersion())
  const secrets = new Set(secretsOf(config))
  let redactor = createRedactor([...secrets])
  const redact = (text: string): string => redactor(text)
  const logger = createLogger({
    config: config.log,
    redact,
    isTerminal: stderr.isTerminal,
    onDrop: () => metrics.dropped('log'),
  })
  const recorder =
    config.record === null
      ? undefined
      : createRecorder({
          config: config.record,
          redact,
          now: Date.now,
          onDrop: () => metrics.dropped('record'),
          onFault: (message) => logger.warn({ message }, 'recordings cannot be written'),
        })
  const gateway = new Gateway(config, {
    logger,
    metrics,
    now,
    redact,
    ...(recorder === undefined ? {} : { recorder }),
  })
  let address: string
  try {
    address = await gateway.listen()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw failure(`cannot listen on ${config.listen.host}:${config.listen.port}: ${reason}`, error)
  }
  return {
    address,
    reconfigure: (next) => {
      // Requests under way still use the old secrets.
      for (const secret of secretsOf(next)) secrets.add(secret)
      redactor = createRedactor([...secrets])
      gateway.reconfigure(next)
    },
    drain: async () => {
      await gateway.drain()
      await recorder?.close()
      logger.flush()
    },
  }
}

function secretsOf({ upstreams }: GatewayConfig): string[] {
  if (upstreams === 'simulator') return []
  const secrets: string[] = []
  for (const { apiKey, headers } of upstreams.values()) {
    if (apiKey !== null) secrets.push(apiKey.reveal())
    for (const value of headers.values()) secrets.push(value.reveal())
  }
  return secrets
}

/** Reads the configuration again on SIGHUP and when a file changes; a wrong one changes nothing. */
async function followConfig(
  initial: LoadedConfig,
  load: () => Promise<LoadResult>,
  gateway: RunningGateway,
  io: Io,
): Promise<() => void> {
  const [{ createConfigWatcher }, { describeIssue }] = await Promise.all([
    import('../../config/watcher.ts'),
    import('../../config/origin.ts'),
  ])
  const watcher = createConfigWatcher({
    initial,
    load,
    onChange: (loaded, { needsRestart }) => {
      gateway.reconfigure(loaded.config)
      const rest = needsRestart.length === 0 ? '' : `; a restart is needed for ${needsRestart.join(', ')}`
      void io.stderr.line(`dragoman: configuration read again${rest}`)
    },
    onError: ({ errors }) => {
      const faults = errors.map(describeIssue).join('\n')
      void io.stderr.line(`dragoman: the new configuration is wrong; the old one stays\n${faults}`)
    },
    delay: (run) => {
      const timer = setTimeout(run, SETTLE_MS)
      return () => clearTimeout(timer)
    },
  })
  const onHangup = (): void => void watcher.reload()
  process.on('SIGHUP', onHangup)
  const watchers = initial.watched.flatMap((path) => {
    try {
      return [watch(dirname(path), (_event, name) => name === basename(path) && watcher.fileChanged())]
    } catch {
      // The folder of a file that nobody made need not exist.
      return []
    }
  })
  return () => {
    process.off('SIGHUP', onHangup)
    watcher.stop()
    for (const each of watchers) each.close()
  }
}

/** Resolves at the first signal to end; the second ends the process at once. */
async function endOfService(): Promise<void> {
  await new Promise<void>((resolve) => {
    let signals = 0
    const onSignal = (): void => {
      if (++signals > 1) process.exit(1)
      resolve()
    }
    process.on('SIGINT', onSignal).on('SIGTERM', onSignal)
  })
}

/** Nobody can call 0.0.0.0: on this machine the loopback address is the one to try. */
function callableAddress(address: string): string {
  return address.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}

function hints(address: string, config: GatewayConfig, { stderr }: Io): string {
  const schema = '{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}'
  const question = '"messages":[{"role":"user","content":"What is the weather in Paris?"}]'
  const chat = `{"model":"kimi-k2","stream":true,${question},"tools":[{"type":"function","function":{"name":"get_weather","parameters":${schema}}}]}`
  const anthropic = `{"model":"kimi-k2","stream":true,"max_tokens":1024,${question},"tools":[{"name":"get_weather","input_schema":${schema}}]}`
  const key = config.keys.length === 0 ? '' : "-H 'authorization: Bearer KEY' "
  const lines = [
    config.upstreams === 'simulator'
      ? 'No upstream is configured: a built-in simulator answers, no model runs. See dragoman init.'
      : `Upstreams: ${[...config.upstreams.keys()].join(', ')}`,
    '',
    stderr.style('bold', 'OpenAI clients'),
    `  curl -N ${address}/v1/chat/completions ${key}-H 'content-type: application/json' -d '${chat}'`,
    stderr.style('bold', 'Anthropic clients'),
    `  curl -N ${address}/v1/messages ${key}-H 'content-type: application/json' -d '${anthropic}'`,
    stderr.style('bold', 'Claude Code'),
    `  ANTHROPIC_BASE_URL=${address} ANTHROPIC_AUTH_TOKEN=${key === '' ? 'any' : 'KEY'} ANTHROPIC_MODEL=kimi-k2 claude`,
    '',
  ]
  return lines.join('\n')
}
