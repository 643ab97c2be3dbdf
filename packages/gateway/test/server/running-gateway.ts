import { createHash } from 'node:crypto'
import type { DialectId } from '@dragoman/core'
import { packageFile } from '../../src/cli/package-files.ts'
import { startSimulator } from '../../src/cli/built-in-simulator.ts'
import { createMetrics } from '../../src/observe/metrics.ts'
import type { LogFields, Logger } from '../../src/observe/logger.ts'
import type { Recorder } from '../../src/recorder/recorder.ts'
import { Gateway } from '../../src/server/gateway.ts'
import { createRedactor } from '../../src/security/redact.ts'
import type { GatewayConfig } from '../../src/config/config.ts'
import { accepted } from '../config/fake-world.ts'

export interface RunningGateway {
  readonly address: string
  readonly gateway: Gateway
  /** Every log line so far, as it would be written. */
  readonly lines: readonly LogLine[]
  /** The latest line of a request. */
  readonly requestLine: () => LogLine | undefined
  /** The value of one series of `/metrics`; 0 where there is none. */
  readonly metric: (series: string) => Promise<number>
}

export type LogLine = LogFields & { readonly level: string; readonly msg: string }

export interface GatewaySetup {
  /** The base address of the one upstream, which every model name goes to. */
  readonly upstream: string
  readonly dialect?: DialectId
  /** Which server it is. Default `other`, which is asked nothing but for answers. */
  readonly kind?: string
  readonly apiKey?: string
  readonly recorder?: Recorder
  /** Variables of the environment. */
  readonly env?: Readonly<Record<string, string>>
  /** The rest of the configuration, as in a file. */
  readonly settings?: Readonly<Record<string, unknown>>
}

/** The configuration of a gateway that is shared, and what a client sends to be let in. */
export const oneKey = {
  keys: [{ name: 'ada', sha256: createHash('sha256').update('the-key-of-ada').digest('hex') }],
  headers: { authorization: 'Bearer the-key-of-ada' },
}

const running: Gateway[] = []

/** A gateway on a free port. */
export async function startGateway(setup: GatewaySetup): Promise<RunningGateway> {
  const config = await configFor(setup)
  const redact = createRedactor(setup.apiKey === undefined ? [] : [setup.apiKey])
  const lines: LogLine[] = []
  const metrics = createMetrics('0.0.0')
  const world = {
    logger: collectingLogger(lines, redact),
    metrics,
    now: () => performance.now(),
    redact,
    recorders: { current: setup.recorder },
    startSimulator,
    inspector: {
      version: '0.0.0',
      instance: null,
      pageFolder: packageFile('dist/inspector'),
      sessionSecret: 'signed with this in every test',
    },
  }
  const gateway = new Gateway({ ...config, listen: { ...config.listen, port: 0 } }, world)
  running.push(gateway)
  return {
    address: await gateway.listen(),
    gateway,
    lines,
    requestLine: () => lines.findLast(({ msg }) => msg === 'request'),
    metric: async (series) => {
      const { text } = await metrics.expose()
      const line = text.split('\n').find((each) => each.startsWith(`${series} `))
      return Number(line?.slice(series.length + 1) ?? 0)
    },
  }
}

export async function stopGateways(): Promise<void> {
  await Promise.all(running.splice(0).map((gateway) => gateway.drain()))
}

export function configFor({
  upstream,
  dialect = 'openai-chat',
  kind = 'other',
  apiKey,
  settings,
  env = {},
}: GatewaySetup): Promise<GatewayConfig> {
  const lab = { url: upstream, dialect, kind, ...(apiKey === undefined ? {} : { apiKey }) }
  const base = { upstreams: { lab }, models: [{ match: '*', upstream: 'lab' }], ...settings }
  const timeouts = { drain: '300ms', ...Object(settings?.['timeouts']) }
  return accepted({ yaml: JSON.stringify({ ...base, timeouts }), env })
}

function collectingLogger(lines: LogLine[], redact: (text: string) => string): Logger {
  const at =
    (level: string) =>
    (fields: LogFields, msg: string): void => {
      lines.push(JSON.parse(redact(JSON.stringify({ level, msg, ...fields }))))
    }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}
