import type { Logger } from '../../src/observe/logger.ts'
import { createMetrics } from '../../src/observe/metrics.ts'
import type { Recorder } from '../../src/recorder/recorder.ts'
import { Gateway } from '../../src/runtime/gateway.ts'
import { createRedactor } from '../../src/security/redact.ts'
import { accepted } from '../config/fake-world.ts'

export interface RunningGateway {
  readonly url: string
  /** What the log said of the requests that are over. */
  readonly requests: readonly Readonly<Record<string, unknown>>[]
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>
  close(): Promise<void>
}

interface Answer {
  readonly status: number
  readonly text: string
}

/** The gateway itself, on a free port, with this configuration. */
export async function runningGateway(
  yaml: string,
  secrets: readonly string[] = [],
  recorder?: Recorder,
): Promise<RunningGateway> {
  const config = await accepted({ yaml: `listen: { port: 0 }\n${yaml}` })
  const requests: Record<string, unknown>[] = []
  const take = (fields: object, message: string): void => {
    if (message === 'request') requests.push({ ...fields })
  }
  const logger: Logger = { debug: take, info: take, warn: take, error: take }
  const gateway = new Gateway(config, {
    logger,
    metrics: createMetrics('0.0.0'),
    now: () => performance.now(),
    redact: createRedactor(secrets),
    ...(recorder === undefined ? {} : { recorder }),
  })
  const url = await gateway.listen()
  return {
    url,
    requests,
    post: async (path, body, headers = {}) => {
      const response = await fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
      return { status: response.status, text: await response.text() }
    },
    close: () => gateway.drain(),
  }
}
