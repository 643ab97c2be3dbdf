import type { IncomingHttpHeaders } from 'node:http'
import { buildConnector, Client, type Dispatcher, errors, Pool } from 'undici'
import { allowedLookup } from './allowed-lookup.ts'

/** One server that we call. */
export interface UpstreamTarget {
  readonly origin: string
  readonly connectTimeout: number
  /** How connections are made, where not directly. */
  readonly connect?: buildConnector.connector
}

export interface UpstreamCallOptions {
  readonly path: string
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer | null
  readonly headersTimeout: number
  /** Between two bytes of the answer. */
  readonly idleTimeout: number
  /** Where one kept connection was dead, the next may be too. */
  readonly connection?: 'kept' | 'new'
}

export interface UpstreamListener {
  onHeaders(status: number, headers: IncomingHttpHeaders): void
  onData(chunk: Buffer): void
  onEnd(): void
  onError(fault: UpstreamFault): void
}

/** Why a call came to nothing; what the client is told depends on it. */
export interface UpstreamFault {
  readonly code:
    | 'unreachable'
    /** We have no file descriptor left for a connection. */
    | 'no-room'
    | 'tls'
    | 'connect-timeout'
    | 'headers-timeout'
    | 'idle-timeout'
    | 'cut'
    | 'aborted'
  readonly message: string
  /** The connection was an old one and died without a single byte: asking once more is safe. */
  readonly isStaleSocket: boolean
}

export interface UpstreamCall {
  pause(): void
  resume(): void
  abort(): void
}

/** Keeps connections to one upstream and makes calls on them. Redirects are never followed. */
export class UpstreamClient {
  private readonly origin: string
  private readonly connecting: Client.Options
  private readonly pool: Pool

  constructor({ origin, connectTimeout, connect }: UpstreamTarget) {
    this.origin = origin
    this.connecting = {
      connect: noteErrors(connect ?? buildConnector({ timeout: connectTimeout, lookup: allowedLookup() })),
      // Shorter than what servers keep: a connection that they close as we use it costs a request.
      keepAliveTimeout: 4000,
      pipelining: 1,
    }
    this.pool = new Pool(origin, this.connecting)
  }

  call(options: UpstreamCallOptions, listener: UpstreamListener): UpstreamCall {
    const handler = new CallHandler(listener)
    const isNew = options.connection === 'new'
    const dispatcher = isNew ? new Client(this.origin, this.connecting) : this.pool
    dispatcher.dispatch(
      {
        path: options.path,
        method: options.method,
        headers: options.headers,
        body: options.body,
        headersTimeout: options.headersTimeout,
        bodyTimeout: options.idleTimeout,
      },
      handler,
    )
    // Closes once the call is over.
    if (isNew) dispatcher.close().catch(() => {})
    return handler
  }

  async close(): Promise<void> {
    await this.pool.destroy()
  }
}

class CallHandler implements Dispatcher.DispatchHandler, UpstreamCall {
  private readonly listener: UpstreamListener
  private controller: Dispatcher.DispatchController | undefined
  private state: 'waiting' | 'open' | 'over' = 'waiting'

  constructor(listener: UpstreamListener) {
    this.listener = listener
  }

  pause(): void {
    this.controller?.pause()
  }

  resume(): void {
    this.controller?.resume()
  }

  abort(): void {
    if (this.state === 'over') return
    this.state = 'over'
    this.controller?.abort(new errors.RequestAbortedError())
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller
    // Aborted while it waited for a connection.
    if (this.state === 'over') controller.abort(new errors.RequestAbortedError())
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (this.state === 'over' || status < 200) return
    this.state = 'open'
    this.listener.onHeaders(status, headers)
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.state === 'open') this.listener.onData(chunk)
  }

  onResponseEnd(): void {
    if (this.state === 'over') return
    this.state = 'over'
    this.listener.onEnd()
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.state === 'over') return
    const hadHeaders = this.state === 'open'
    this.state = 'over'
    this.listener.onError(faultOf(error, hadHeaders))
  }
}

/** How much had come over a connection when it broke: more than nothing means that it was not a new one. */
const bytesBefore = new WeakMap<Error, number>()

/** The error of a broken connection does not tell which connection it was. */
function noteErrors(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) => {
    connect(options, (...outcome) => {
      const [error, socket] = outcome
      if (error === null) {
        socket.on('error', (broken) => {
          bytesBefore.set(broken, socket.bytesRead)
        })
      }
      callback(...outcome)
    })
  }
}

function faultOf(error: Error, hadHeaders: boolean): UpstreamFault {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const { message } = error
  const fault = (kind: UpstreamFault['code']): UpstreamFault => ({
    code: kind,
    message,
    isStaleSocket: false,
  })
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return fault('connect-timeout')
  if (code === 'UND_ERR_HEADERS_TIMEOUT') return fault('headers-timeout')
  if (code === 'UND_ERR_BODY_TIMEOUT') return fault('idle-timeout')
  if (code === 'UND_ERR_ABORTED') return fault('aborted')
  if (hadHeaders) return fault('cut')
  if (code === 'EMFILE' || code === 'ENFILE') return fault('no-room')
  if (/TLS|CERT|SSL|EPROTO|LEAF_SIGNATURE/.test(code)) return fault('tls')
  const isBroken = code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE'
  return { code: 'unreachable', message, isStaleSocket: isBroken && bytesReadBefore(error) > 0 }
}

function bytesReadBefore(error: Error): number {
  if (error instanceof errors.SocketError) return error.socket?.bytesRead ?? 0
  return bytesBefore.get(error) ?? 0
}
