import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

export interface ScriptedUpstream {
  readonly url: string
  /** Requests that came, with their bodies. */
  readonly requests: readonly Received[]
  /** Requests that are being answered. */
  readonly openRequests: number
}

interface Received {
  /** The path with its query. */
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** Answers a request; `nth` counts from 1. */
export type Script = (response: ServerResponse, nth: number) => unknown

const stops: (() => void)[] = []

/** An upstream that does exactly what a test says. */
export async function startUpstream(script: Script): Promise<ScriptedUpstream> {
  const requests: Received[] = []
  let open = 0
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    open++
    response.on('close', () => open--).on('error', () => {})
    const pieces: Buffer[] = []
    request
      .on('error', () => {})
      .on('data', (piece: Buffer) => pieces.push(piece))
      .on('end', () => {
        const body = Buffer.concat(pieces).toString('utf8')
        requests.push({ path: request.url ?? '', headers: request.headers, body })
        script(response, requests.length)
      })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  stops.push(() => {
    server.close()
    server.closeAllConnections()
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    get openRequests() {
      return open
    },
  }
}

export function stopUpstreams(): void {
  for (const stop of stops.splice(0)) stop()
}

export function sse(response: ServerResponse, ...data: readonly (object | string)[]): void {
  if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.flushHeaders()
  for (const each of data) {
    response.write(`data: ${typeof each === 'string' ? each : JSON.stringify(each)}\n\n`)
  }
}

export function json(response: ServerResponse, status: number, body: unknown, headers: object = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}

/** One chunk of a chat stream. */
export function chunk(delta: object, finish: string | null = null): object {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: finish }],
  }
}

export function completion(content: string): object {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
  }
}

/** Resolves as soon as the condition holds, or throws after `longest` milliseconds. */
export async function until(condition: () => boolean, longest = 5000): Promise<void> {
  const end = performance.now() + longest
  const look = async (): Promise<void> => {
    if (condition()) return
    if (performance.now() > end) throw new Error(`not within ${longest} ms: ${condition.toString()}`)
    await sleep(5)
    await look()
  }
  await look()
}

/** Resolves once a value has stayed the same for `quiet` milliseconds: no event tells that nothing more happens. */
export async function untilStill(value: () => unknown, quiet: number, longest = 10_000): Promise<void> {
  let last = value()
  let since = performance.now()
  const isStill = (): boolean => {
    const now = value()
    if (now !== last) since = performance.now()
    last = now
    return performance.now() - since >= quiet
  }
  await until(isStill, longest)
}
