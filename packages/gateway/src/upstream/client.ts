import type { IncomingHttpHeaders } from 'node:http'
import { buildConnector, Client, type Dispatcher, errors, Pool } from 'undici'
import { allowedLookup } from './allowed-lookup.ts'

/** One server that we call. */
export interface UpstreamTarget {
  readonly origin: string
  readonly connectTimeout: number
  /** Makes the connections, where they are not direct. */
  readonly connect?: buildConnector.connector
}

export interface UpstreamCallOptions {
  readonly path: string
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer | null
  readonly headersTimeout: number
  /** The longest time between two bytes of the answer. */
  readonly idleTimeout: number
  /** `new` avoids kept connections: where one of them was dead, the next may be dead too. */
  readonly connection?: 'kept' | 'new'
}

export interface UpstreamListener {
  onHeaders(status: number, headers: IncomingHttpHeaders): void
  onData(chunk: Buffer): void
  onEnd(): void
  onError(fault: UpstreamFault): void
}

/** Why a call failed. The client is told a failure that depends on it. */
export interface UpstreamFault {
  readonly code:
    | 'unreachable'
    /** This process has no file descriptor left for a connection. */
    | 'no-room'
    | 'tls'
    | 'connect-timeout'
    | 'headers-timeout'
    | 'idle-timeout'
    | 'cut'
    | 'aborted'
  readonly message: string
  /** A kept connection died before a single byte of the answer came, so that the request can safely be sent again. */
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
      // Servers keep connections longer than this. If a server closed a connection while we use it, a request would
      // be lost.
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
    // The client of a single call closes once the call is over.
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
    // The call was aborted while it waited for a connection.
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

/**
 * The bytes that were read from a connection before it broke. More than none means that the connection was a kept
 * one.
 */
const bytesBefore = new WeakMap<Error, number>()

/** Notes on which connection an error occurred, as the error itself does not tell. */
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
