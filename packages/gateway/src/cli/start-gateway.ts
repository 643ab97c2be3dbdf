import type { GatewayConfig } from '../config/config.ts'
import type { Metrics } from '../observe/metrics.ts'
import type { Service } from '../server/service.ts'
import { failure } from '../terminal/cli-error.ts'
import type { Io } from '../terminal/io.ts'
import { startSimulator } from './built-in-simulator.ts'
import { listenFailure } from './listen-failure.ts'
import { packageVersion } from './package-files.ts'

export interface GatewayStart {
  readonly config: GatewayConfig
  readonly metrics: Metrics
  /** How many processes share the work. */
  readonly workers: number
  readonly io: Io
}

/** Starts a gateway in this process. A port that is taken ends the command. */
export async function startGateway({ config, metrics, workers, io }: GatewayStart): Promise<Service> {
  const { startService } = await import('../server/service.ts')
  const { isTerminal } = io.stderr
  try {
    const tracing = { env: io.env, version: packageVersion }
    return await startService(config, { metrics, now: io.now, isTerminal, workers, startSimulator, tracing })
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
