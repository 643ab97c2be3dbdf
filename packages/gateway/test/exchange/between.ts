import type { ServerResponse } from 'node:http'
import { type GatewaySetup, startGateway, stopGateways, type LogLine } from '../server/running-gateway.ts'
import { startUpstream, stopUpstreams } from '../server/scripted-upstream.ts'

export interface ScriptedAnswer {
  readonly status?: number
  readonly type?: string
  /** What is sent, piece by piece, in turns of the event loop of their own. */
  readonly pieces: readonly string[]
  /** Breaks the connection off behind the last piece. */
  readonly isCut?: boolean
}

export interface Between {
  /** What the log said of the requests that are over. */
  readonly requests: readonly LogLine[]
  /** The bodies that reached the upstream. */
  readonly asked: readonly string[]
  /** A text is sent as it is, anything else as JSON. */
  post(
    path: string,
    body: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<{ readonly status: number; readonly text: string }>
}

/** A gateway in front of an upstream that answers every request with the same bytes. */
export async function between(
  answer: ScriptedAnswer,
  setup: Omit<GatewaySetup, 'upstream'> = {},
): Promise<Between> {
  const upstream = await startUpstream((response) => send(response, answer))
  const settings = { models: [{ match: '*', upstream: 'lab', format: 'kimi' }], ...setup.settings }
  const { address, lines } = await startGateway({ ...setup, settings, upstream: upstream.url })
  return {
    get requests() {
      return lines.filter(({ msg }) => msg === 'request')
    },
    get asked() {
      return upstream.requests.map(({ body }) => body)
    },
    post: async (path, body, headers = {}) => {
      const response = await fetch(address + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      })
      return { status: response.status, text: await response.text() }
    },
  }
}

export async function stopAll(): Promise<void> {
  await stopGateways()
  stopUpstreams()
}

function send(
  response: ServerResponse,
  { status = 200, type = 'text/event-stream', pieces, isCut }: ScriptedAnswer,
): void {
  response.writeHead(status, { 'content-type': type }).flushHeaders()
  const [...rest] = pieces
  const sendNext = (): void => {
    const piece = rest.shift()
    if (piece !== undefined) {
      response.write(piece)
      setTimeout(sendNext, 5)
    } else if (isCut === true) {
      response.destroy()
    } else {
      response.end()
    }
  }
  sendNext()
}
