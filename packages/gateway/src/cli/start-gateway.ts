import cluster from 'node:cluster'
import { randomBytes } from 'node:crypto'
import type { GatewayConfig } from '../config/config.ts'
import type { Metrics } from '../observe/metrics.ts'
import type { Service } from '../server/service.ts'
import { failure } from '../terminal/cli-error.ts'
import type { Io } from '../terminal/io.ts'
import { startSimulator } from './built-in-simulator.ts'
import { listenFailure } from './listen-failure.ts'
import { packageFile, packageVersion } from './package-files.ts'

export interface GatewayStart {
  readonly config: GatewayConfig
  readonly metrics: Metrics
  /** How many processes share the work. */
  readonly workers: number
  readonly io: Io
}

/** Starts a gateway in this process. A port that is taken ends the command. */
export async function startGateway({ config, metrics, workers, io }: GatewayStart): Promise<Service> {
  const [{ startService }, { sessionSecret }] = await Promise.all([
    import('../server/service.ts'),
    import('../server/worker-messages.ts'),
  ])
  const { isTerminal } = io.stderr
  const inspector = {
    version: await packageVersion(),
    instance: cluster.worker === undefined ? null : `worker ${cluster.worker.id}`,
    pageFolder: packageFile('dist/inspector'),
    sessionSecret: sessionSecret(io.env) ?? randomBytes(32).toString('base64url'),
  }
  try {
    return await startService(config, {
      metrics,
      now: io.now,
      isTerminal,
      workers,
      startSimulator,
      inspector,
      tracing: { env: io.env, version: packageVersion },
    })
  } catch (error) {
    throw await listenFailure(error, config.listen)
  }
}

/** Whoever asks for recordings should know at once when there will be none. */
export async function prepareRecording({ record }: GatewayConfig): Promise<void> {
  if (record === null) return
  const { prepareFolder } = await import('../recorder/recording-folder.ts')
  try {
    await prepareFolder(record.dir)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw failure(`cannot record in ${record.dir}: ${reason}`, error)
  }
}
