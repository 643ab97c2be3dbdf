import type { IncomingHttpHeaders } from 'node:http'
import { type buildConnector, Client, type Dispatcher, errors, Pool } from 'undici'
import { allowedLookup } from './allowed-lookup.ts'
import { connectWithin } from './punctual-connect.ts'
import { faultOf, type UpstreamFault } from './upstream-fault.ts'

export type { UpstreamFault } from './upstream-fault.ts'

/** One server that we call. */
export interface UpstreamTarget {
  readonly origin: string
  readonly connectTimeout: number
  /** Makes the connections, where they are not direct. */
  readonly connect?: buildConnector.connector
  /** The proxy that they lead through. */
  readonly proxy?: string
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

export interface UpstreamCall {
  pause(): void
  resume(): void
  abort(): void
}

/** Keeps connections to one upstream and makes calls on them. Redirects are never followed. */
export class UpstreamClient {
  private readonly origin: string
  private readonly address: string
  private readonly connecting: Client.Options
  private readonly pool: Pool

  constructor({ origin, connectTimeout, connect, proxy }: UpstreamTarget) {
    this.origin = origin
    const route = proxy === undefined ? '' : ` (through the proxy at ${hostAndPort(proxy)})`
    this.address = hostAndPort(origin) + route
    this.connecting = {
      connect: noteErrors(connect ?? connectWithin(connectTimeout, { lookup: allowedLookup() })),
      // Servers keep connections longer than this. If a server closed a connection while we use it, a request would
      // be lost.
      keepAliveTimeout: 4000,
      pipelining: 1,
    }
    this.pool = new Pool(origin, this.connecting)
  }

  call(options: UpstreamCallOptions, listener: UpstreamListener): UpstreamCall {
    const handler = new CallHandler(listener, options, this.address)
    const isNew = options.connection === 'new'
    const dispatcher = isNew ? new Client(this.origin, this.connecting) : this.pool
    dispatcher.dispatch(
      {
        path: options.path,
        method: options.method,
        headers: options.headers,
        body: options.body,
        // The timers of `undici` may be late by a second, so the handler has its own.
        headersTimeout: 0,
        bodyTimeout: 0,
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

type CallLimits = Pick<UpstreamCallOptions, 'headersTimeout' | 'idleTimeout'>

class CallHandler implements Dispatcher.DispatchHandler, UpstreamCall {
  private readonly listener: UpstreamListener
  private readonly limits: CallLimits
  private readonly address: string
  private controller: Dispatcher.DispatchController | undefined
  private state: 'waiting' | 'open' | 'paused' | 'over' = 'waiting'
  /** Fires when the upstream was silent for too long. */
  private silence: NodeJS.Timeout | undefined

  constructor(listener: UpstreamListener, limits: CallLimits, address: string) {
    this.listener = listener
    this.limits = limits
    this.address = address
  }

  /** The silence of an upstream that may not send is not counted. */
  pause(): void {
    if (this.state === 'open') {
      this.state = 'paused'
      clearTimeout(this.silence)
    }
    this.controller?.pause()
  }

  resume(): void {
    if (this.state === 'paused') {
      this.state = 'open'
      this.awaitMore()
    }
    this.controller?.resume()
  }

  abort(): void {
    if (this.state === 'over') return
    this.over()
    this.controller?.abort(new errors.RequestAbortedError())
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller
    // The call was aborted while it waited for a connection.
    if (this.state === 'over') {
      controller.abort(new errors.RequestAbortedError())
      return
    }
    const { headersTimeout } = this.limits
    this.silence = setTimeout(() => {
      this.giveUp(new errors.HeadersTimeoutError(`no answer within ${headersTimeout} ms`))
    }, headersTimeout)
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    // They are parts of the first 64 KB that came, which would not be freed before the answer is over.
    controller.rawHeaders = null
    if (this.state === 'over' || status < 200) return
    this.state = 'open'
    clearTimeout(this.silence)
    this.awaitMore()
    this.listener.onHeaders(status, headers)
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    // What was on its way when the call was paused comes nevertheless.
    if (this.state !== 'open' && this.state !== 'paused') return
    if (this.state === 'open') this.silence?.refresh()
    this.listener.onData(chunk)
  }

  onResponseEnd(): void {
    if (this.state === 'over') return
    this.over()
    this.listener.onEnd()
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.state === 'over') return
    const hadHeaders = this.state !== 'waiting'
    this.over()
    const bytesBefore = bytesReadBefore(error)
    this.listener.onError(faultOf(error, { address: this.address, hadHeaders, bytesBefore }))
  }

  private awaitMore(): void {
    const { idleTimeout } = this.limits
    this.silence = setTimeout(() => {
      this.giveUp(new errors.BodyTimeoutError(`nothing for ${idleTimeout} ms`))
    }, idleTimeout)
  }

  private giveUp(error: Error): void {
    const { controller } = this
    if (controller === undefined) return
    // The listener is told before the abort comes back to us as an error of its own.
    this.onResponseError(controller, error)
    controller.abort(error)
  }

  private over(): void {
    this.state = 'over'
    clearTimeout(this.silence)
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

function bytesReadBefore(error: Error): number {
  if (error instanceof errors.SocketError) return error.socket?.bytesRead ?? 0
  return bytesBefore.get(error) ?? 0
}

/** `localhost:8000`: without user names and passwords, and with the port in any case. */
function hostAndPort(url: string): string {
  const { protocol, hostname, port } = new URL(url)
  return `${hostname}:${port === '' ? (protocol === 'https:' ? '443' : '80') : port}`
}
