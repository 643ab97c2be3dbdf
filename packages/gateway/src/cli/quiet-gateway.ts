import { createHash, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { GatewayConfig } from '../config/config.ts'
import { Secret } from '../config/secret.ts'
import type { Io } from '../terminal/io.ts'
import { packageVersion } from './package-files.ts'
import { prepareRecording, startGateway } from './start-gateway.ts'

/** How long an answer may still take when the client that asked for it is gone. */
const MOST_DRAIN_MS = 1000

/** A gateway for one client, inside this process. It writes nothing to the terminal, which is the client's. */
export interface QuietGateway {
  readonly base: string
  /** The key that it lets this client in with, where the configuration has keys. */
  readonly key: string | undefined
  /** Resolves to the lines of its log that warn of something, when everything is closed. */
  close(): Promise<readonly string[]>
}

/** Starts a gateway on a free port of this machine. `logFile` has its log, unless the configuration names a file. */
export async function startQuietGateway(
  configured: GatewayConfig,
  logFile: string,
  io: Io,
): Promise<QuietGateway> {
  const { createMetrics } = await import('../observe/metrics.ts')
  const key = configured.keys.length === 0 ? undefined : randomBytes(24).toString('hex')
  const config = forOneClient(configured, logFile, key)
  await prepareRecording(config)
  const metrics = createMetrics(await packageVersion())
  const service = await startGateway({ config, metrics, workers: 1, io })
  // An error that nobody catches would end the process, and take the client's gateway and its terminal with it.
  const onBug = (error: unknown): void =>
    service.logger.error({ error: error instanceof Error ? error.stack : String(error) }, 'our own bug')
  process.on('uncaughtException', onBug).on('unhandledRejection', onBug)
  return {
    base: service.address,
    key,
    async close() {
      await service.drain()
      process.off('uncaughtException', onBug).off('unhandledRejection', onBug)
      // A file that the user has named is there to be read; only the one that goes away has to be told of.
      return config.log.file === logFile ? warningsIn(logFile) : []
    },
  }
}

/** Nobody is told the port of this gateway, so that its inspector is served only where somebody asked for it. */
function forOneClient(config: GatewayConfig, logFile: string, key: string | undefined): GatewayConfig {
  const { listen, keys, log, timeouts, inspector } = config
  return {
    ...config,
    listen: { ...listen, host: '127.0.0.1', port: 0 },
    keys: key === undefined ? keys : [...keys, { name: 'run', sha256: digest(key), plain: new Secret(key) }],
    log: { ...log, file: log.file ?? logFile },
    inspector: { ...inspector, enabled: inspector.enabled ?? false },
    timeouts: { ...timeouts, drain: Math.min(timeouts.drain, MOST_DRAIN_MS), drainGrace: 0 },
  }
}

function digest(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}

/**
 * The lines that are worth showing. Some clients look for the server at paths that no gateway has, and do well
 * without: shown, each of their runs would end with a warning.
 */
async function warningsIn(file: string): Promise<readonly string[]> {
  const log = await readFile(file, 'utf8').catch(() => '')
  return log
    .split('\n')
    .filter((line) => /^\{"level":"(?:warn|error)"/.test(line) && !line.includes('"route":"unknown"'))
}
