import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { type Failure, failureFromResponse } from '@dragoman/core'
import type { UpstreamCall, UpstreamFault, UpstreamListener } from '../upstream/client.ts'
import type { Pipeline } from '../routes/pipeline.ts'

/** The most of an error's body that is read. */
const ERROR_BYTES = 65_536

export interface ExchangeTimeouts {
  readonly idle: number
  readonly finishGrace: number
  readonly ping: number
  readonly clientStall: number
}

export interface ExchangeOptions {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly timeouts: ExchangeTimeouts
  readonly responseBytes: number
  readonly wantsStream: boolean
  /** Makes the upstream call; a second time only where the first reached nobody. */
  readonly call: (listener: UpstreamListener) => UpstreamCall
  readonly open: (source: 'sse' | 'json') => Pipeline
  /** Answers with a failure, before anything was sent. */
  readonly refuse: (failure: Failure, headers?: Readonly<Record<string, string>>) => void
  readonly onFirstByte: () => void
  readonly onDone: () => void
}

type State = 'waiting' | 'refused-upstream' | 'answering' | 'done'

/**
 * One request on its way to an upstream and back. Whatever ends first ends the rest: a client that
 * leaves, an upstream that stalls, a client that takes nothing.
 */
export class Exchange implements UpstreamListener {
  private readonly options: ExchangeOptions
  private call: UpstreamCall | undefined
  private pipeline: Pipeline | undefined
  private state: State = 'waiting'
  private hasRetried = false
  private received = 0
  private pending: Buffer[] = []
  private isFlushing = false
  private error: { status: number; headers: IncomingHttpHeaders; chunks: Buffer[]; size: number } | undefined
  private pingTimer: NodeJS.Timeout | undefined
  private stallTimer: NodeJS.Timeout | undefined
  private graceTimer: NodeJS.Timeout | undefined

  constructor(options: ExchangeOptions) {
    this.options = options
    options.response.on('close', () => this.clientGone())
    options.response.on('drain', () => this.clientTook())
  }

  start(): void {
    this.call = this.options.call(this)
  }

  /** Ends it with a failure, because we have to. */
  cut(failure: Failure): void {
    if (this.state === 'done') return
    this.call?.abort()
    this.giveUp(failure)
  }

  onHeaders(status: number, headers: IncomingHttpHeaders): void {
    const type = String(headers['content-type'] ?? '').toLowerCase()
    if (status >= 300 && status < 400) {
      this.call?.abort()
      this.giveUp(upstreamFailure('upstream_redirect', 'The upstream answered with a redirect.'))
    } else if (status >= 400) {
      this.state = 'refused-upstream'
      this.error = { status, headers, chunks: [], size: 0 }
    } else if (type.includes('text/html')) {
      this.call?.abort()
      this.giveUp(upstreamFailure('upstream_protocol_error', 'The upstream answered with a web page.'))
    } else {
      this.state = 'answering'
      this.pipeline = this.options.open(type.includes('text/event-stream') ? 'sse' : 'json')
      this.schedulePing()
    }
  }

  onData(chunk: Buffer): void {
    if (this.error !== undefined) {
      if (this.error.size < ERROR_BYTES) this.error.chunks.push(chunk)
      this.error.size += chunk.length
      return
    }
    this.received += chunk.length
    if (!this.options.wantsStream && this.received > this.options.responseBytes) {
      this.cut(upstreamFailure('upstream_limit', 'The answer of the upstream is too long.'))
      return
    }
    this.pending.push(chunk)
    if (this.isFlushing) return
    this.isFlushing = true
    // All slices of one turn of the event loop go through the pipeline together: one write, no delay.
    process.nextTick(() => this.flush())
  }

  onEnd(): void {
    if (this.error !== undefined) {
      this.refuseAsUpstream(this.error)
      return
    }
    this.flush()
    this.pipeline?.end()
  }

  onError(fault: UpstreamFault): void {
    if (this.state === 'done') return
    if (fault.isStaleSocket && !this.hasRetried && this.state === 'waiting') {
      this.hasRetried = true
      this.start()
      return
    }
    this.flush()
    this.giveUp(failureOf(fault))
  }

  /** The answer is whole: nothing more is to come from anybody. */
  finish(): void {
    if (this.state === 'done') return
    this.state = 'done'
    this.clearTimers()
    this.call?.abort()
    this.options.onDone()
  }

  /** Sends text of the answer; a client that does not take it stops the upstream. */
  write(text: string): void {
    const { response, timeouts } = this.options
    if (this.state === 'done' || text === '') return
    this.options.onFirstByte()
    this.schedulePing()
    if (response.write(text)) return
    this.call?.pause()
    this.stallTimer ??= setTimeout(() => {
      this.call?.abort()
      response.destroy()
    }, timeouts.clientStall)
  }

  private flush(): void {
    this.isFlushing = false
    const { pending } = this
    if (pending.length === 0 || this.pipeline === undefined) return
    this.pending = []
    const [only] = pending
    this.pipeline.push(pending.length === 1 && only !== undefined ? only : Buffer.concat(pending))
    if (this.pipeline.isOver) this.call?.abort()
    else if (this.pipeline.isFinishing) this.awaitEnd()
  }

  /** Some upstreams keep the connection open behind their last word. */
  private awaitEnd(): void {
    this.graceTimer ??= setTimeout(() => {
      this.call?.abort()
      this.pipeline?.end()
    }, this.options.timeouts.finishGrace)
  }

  private giveUp(failure: Failure): void {
    if (this.pipeline === undefined) this.options.refuse(failure)
    else this.pipeline.fail(failure)
  }

  private refuseAsUpstream(error: NonNullable<Exchange['error']>): void {
    const body = Buffer.concat(error.chunks).toString('utf8')
    const headers: Record<string, string> = {}
    for (const name of passedHeaders) {
      const value = error.headers[name]
      if (typeof value === 'string') headers[name] = value
    }
    this.options.refuse(failureFromResponse({ status: error.status, body }), headers)
  }

  private clientTook(): void {
    clearTimeout(this.stallTimer)
    this.stallTimer = undefined
    this.call?.resume()
  }

  private clientGone(): void {
    if (this.state === 'done') return
    this.state = 'done'
    this.clearTimers()
    this.call?.abort()
    this.options.onDone()
  }

  private schedulePing(): void {
    if (!this.options.wantsStream) return
    clearTimeout(this.pingTimer)
    this.pingTimer = setTimeout(() => {
      if (!this.options.response.writableNeedDrain) this.pipeline?.keepAlive()
      this.schedulePing()
    }, this.options.timeouts.ping)
  }

  private clearTimers(): void {
    clearTimeout(this.pingTimer)
    clearTimeout(this.stallTimer)
    clearTimeout(this.graceTimer)
  }
}

const passedHeaders = ['retry-after', 'retry-after-ms', 'x-should-retry'] as const

function upstreamFailure(code: string, message: string): Failure {
  return { kind: 'upstream', code, message }
}

function failureOf(fault: UpstreamFault): Failure {
  switch (fault.code) {
    case 'connect-timeout':
      return {
        kind: 'timeout',
        code: 'upstream_connect_timeout',
        message: 'The upstream could not be reached in time.',
      }
    case 'headers-timeout':
      return { kind: 'timeout', code: 'upstream_timeout', message: 'The upstream did not answer in time.' }
    case 'idle-timeout':
      return {
        kind: 'timeout',
        code: 'upstream_idle_timeout',
        message: 'The upstream stopped in the middle of its answer.',
      }
    case 'tls':
      return upstreamFailure('upstream_tls', 'The upstream could not prove who it is.')
    case 'cut':
    case 'aborted':
      return upstreamFailure('upstream_truncated', 'The upstream broke off its answer.')
    case 'unreachable':
      return upstreamFailure('upstream_unreachable', 'The upstream cannot be reached.')
  }
}
