import type { IncomingHttpHeaders } from 'node:http'
import type { Failure } from '@dragoman/core'
import type { Refusal } from '../base/refusal.ts'
import type { UpstreamCall, UpstreamFault, UpstreamListener } from '../upstream/client.ts'
import { rateLimitsIn } from '../upstream/rate-limits.ts'
import { failureOf, upstreamFailure, UpstreamRefusal } from '../upstream/upstream-failures.ts'
import type { AnswerWatcher } from './answer-watch.ts'
import type { ClientAnswer } from './client-answer.ts'
import type { Pipeline, PipelineOptions } from './pipeline.ts'

/**
 * How long an upstream may take to close its answer after the last event. If it does in time, its connection can be
 * used again.
 */
const LAST_WORD_MS = 100

/** The failure that a client is told for a bug of ours. Only the log says what went wrong. */
export const internalFailure: Failure = {
  kind: 'internal',
  code: 'internal_error',
  message: 'Something went wrong in the gateway.',
}

export interface ExchangeTimeouts {
  readonly finishGrace: number
  readonly ping: number
  readonly clientStall: number
}

export interface ExchangeOptions {
  readonly client: ClientAnswer
  readonly observer: ExchangeObserver
  readonly timeouts: ExchangeTimeouts
  readonly responseBytes: number
  readonly wantsStream: boolean
  /** Calls the upstream. It is called a second time only where the first call reached nobody. */
  readonly callUpstream: (listener: UpstreamListener, connection: 'kept' | 'new') => UpstreamCall
  /** Opens the pipeline that reads the answer. `source` is how the upstream answers. */
  readonly open: (source: 'sse' | 'json', output: AnswerOutput) => Pipeline
}

/** Where a pipeline writes what it makes of an answer. */
export type AnswerOutput = Pick<PipelineOptions, 'write' | 'streamed' | 'whole' | 'failed'>

/** Is told what happens to a request. */
export interface ExchangeObserver extends AnswerWatcher {
  upstreamCalled(): void
  /** The upstream has sent the headers of an answer. */
  upstreamAnswered(): void
  /** The first byte of the answer goes to the client. */
  firstByte(): void
  /** The call of the upstream failed. The fault tells more than the client is told. */
  upstreamFault(fault: UpstreamFault): void
  /** The client took nothing for too long, and is cut off. */
  clientStalled(): void
  /** Code of ours threw. */
  bug(error: unknown): void
}

type State = 'waiting' | 'refused-upstream' | 'answering' | 'done'

/**
 * One request on its way to an upstream and back. Whatever ends first ends the rest: the client leaves or takes
 * nothing, or the upstream stalls.
 */
export class Exchange implements UpstreamListener {
  private readonly options: ExchangeOptions
  private readonly response: ClientAnswer['response']
  private call: UpstreamCall | undefined
  private pipeline: Pipeline | undefined
  private state: State = 'waiting'
  private hasRetried = false
  private received = 0
  private pending: Buffer[] = []
  private isFlushing = false
  private hasWritten = false
  private isUpstreamOver = false
  private outgoing = ''
  private isCollecting = false
  private source: 'sse' | 'json' = 'json'
  private refusal: UpstreamRefusal | undefined
  private pingTimer: NodeJS.Timeout | undefined
  private stallTimer: NodeJS.Timeout | undefined
  private graceTimer: NodeJS.Timeout | undefined
  private lastWordTimer: NodeJS.Timeout | undefined

  constructor(options: ExchangeOptions) {
    this.options = options
    this.response = options.client.response
    this.response.on('close', () => this.clientGone())
    this.response.on('drain', () => this.clientTook())
  }

  start(): void {
    const { response } = this
    const { observer, callUpstream } = this.options
    // A client that left or was refused while its request was read has emitted its `close` before this exchange
    // listened.
    if (response.closed || response.writableEnded) {
      this.state = 'done'
      return
    }
    observer.upstreamCalled()
    this.call = callUpstream(this, this.hasRetried ? 'new' : 'kept')
  }

  /** Ends the exchange with a failure, because the gateway has to. */
  cut(failure: Failure): void {
    if (this.state === 'done') return
    this.call?.abort()
    this.giveUp(failure)
  }

  onHeaders(status: number, headers: IncomingHttpHeaders): void {
    if (this.state === 'done') return
    const type = (headers['content-type'] ?? '').toLowerCase()
    if (status >= 300 && status < 400) {
      this.cut(upstreamFailure('upstream_redirect', 'The upstream answered with a redirect.'))
    } else if (status >= 400) {
      this.state = 'refused-upstream'
      this.refusal = new UpstreamRefusal(status, headers)
      this.graceTimer = setTimeout(() => this.refuseAsUpstream(), this.options.timeouts.finishGrace)
    } else if (type.includes('text/html')) {
      this.cut(upstreamFailure('upstream_protocol_error', 'The upstream answered with a web page.'))
    } else {
      this.state = 'answering'
      this.source = type.includes('text/event-stream') ? 'sse' : 'json'
      this.guard(() => {
        const { client, observer, open } = this.options
        observer.upstreamAnswered()
        client.setLimits(rateLimitsIn(headers))
        this.pipeline = open(this.source, this.output())
      })
      this.schedulePing()
    }
  }

  onData(chunk: Buffer): void {
    if (this.state === 'done') return
    if (this.refusal !== undefined) {
      this.refusal.push(chunk)
      if (this.refusal.isFull) this.refuseAsUpstream()
      return
    }
    this.received += chunk.length
    // An answer that is not passed on as it comes is kept in memory.
    const isKept = !this.options.wantsStream || this.source === 'json'
    if (isKept && this.received > this.options.responseBytes) {
      this.cut(upstreamFailure('upstream_limit', 'The answer of the upstream is too long.'))
      return
    }
    this.pending.push(chunk)
    if (this.isFlushing) return
    this.isFlushing = true
    // All chunks of one turn of the event loop go through the pipeline together. This makes one write of them,
    // without a delay.
    process.nextTick(() => this.guard(() => this.flush()))
  }

  onEnd(): void {
    this.isUpstreamOver = true
    clearTimeout(this.lastWordTimer)
    if (this.state === 'done') return
    if (this.refusal !== undefined) {
      this.refuseAsUpstream()
      return
    }
    this.guard(() => {
      this.flush()
      if (this.source === 'json' && this.received === 0) {
        this.giveUp(upstreamFailure('upstream_empty', 'The upstream sent no answer.'))
      } else {
        this.pipeline?.end()
      }
    })
  }

  onError(fault: UpstreamFault): void {
    clearTimeout(this.lastWordTimer)
    if (this.state === 'done') return
    if (this.refusal !== undefined) {
      this.refuseAsUpstream()
      return
    }
    this.options.observer.upstreamFault(fault)
    if (fault.isStaleSocket && !this.hasRetried && this.state === 'waiting') {
      this.hasRetried = true
      this.start()
      return
    }
    this.guard(() => {
      this.flush()
      this.giveUp(failureOf(fault))
    })
  }

  /** Nothing more is sent to the client: the answer is whole, or it has failed. */
  private finish(): void {
    if (this.state === 'done') return
    this.state = 'done'
    this.clearTimers()
    this.call?.resume()
    if (!this.isUpstreamOver) {
      this.lastWordTimer = setTimeout(() => this.call?.abort(), LAST_WORD_MS)
    }
    if (this.response.writableLength > 0) this.watchStall()
  }

  private output(): AnswerOutput {
    return {
      write: (text) => this.write(text),
      streamed: () => this.endStream(),
      whole: (json) => this.sendWhole(json),
      failed: (failure) => this.refuse({ failure }),
    }
  }

  /** Takes text of the answer. All text of one turn of the event loop is sent in one piece. */
  private write(text: string): void {
    this.options.client.startStream()
    if (this.state === 'done' || text === '') return
    this.options.observer.firstByte()
    this.hasWritten = true
    this.outgoing += text
    if (!this.isCollecting) this.send()
  }

  /** The pipeline has written the whole stream. */
  private endStream(): void {
    const text = this.outgoing
    this.outgoing = ''
    // The last text and the end go out in one write.
    this.response.end(text)
    this.finish()
  }

  private sendWhole(json: string): void {
    this.options.observer.firstByte()
    this.options.client.sendWhole(json)
    this.finish()
  }

  private refuse(refusal: Refusal): void {
    this.options.client.refuse(refusal)
    this.finish()
  }

  /** Sends what was collected. When the client does not take it, the upstream is paused. */
  private send(): void {
    const text = this.outgoing
    if (text === '') return
    this.outgoing = ''
    this.pingTimer?.refresh()
    if (this.response.write(text)) return
    this.call?.pause()
    this.watchStall()
  }

  /** Cuts off a client that takes nothing for too long. */
  private watchStall(): void {
    const { observer, timeouts } = this.options
    this.stallTimer ??= setTimeout(() => {
      this.call?.abort()
      observer.clientStalled()
      this.response.destroy()
    }, timeouts.clientStall)
  }

  private flush(): void {
    this.isFlushing = false
    const { pending } = this
    if (pending.length === 0 || this.pipeline === undefined || this.state === 'done') return
    this.pending = []
    const [only] = pending
    this.pipeline.push(pending.length === 1 && only !== undefined ? only : Buffer.concat(pending))
    if (this.pipeline.isFinishing) this.awaitEnd()
  }

  /** Some upstreams keep the connection open after their last event. */
  private awaitEnd(): void {
    this.graceTimer ??= setTimeout(() => {
      this.call?.abort()
      this.guard(() => this.pipeline?.end())
    }, this.options.timeouts.finishGrace)
  }

  private giveUp(failure: Failure): void {
    if (this.pipeline === undefined) this.refuse({ failure })
    else this.pipeline.fail(failure)
  }

  private refuseAsUpstream(): void {
    if (this.refusal === undefined || this.state === 'done') return
    const { client } = this.options
    this.refuse({ failure: this.refusal.failure(), headers: client.limitHeaders(this.refusal.limits) })
  }

  /** A bug in one answer must end that answer, and not the process with all the others. */
  private guard(step: () => void): void {
    this.isCollecting = true
    try {
      step()
      this.isCollecting = false
      if (this.state !== 'done') this.send()
    } catch (error) {
      this.isCollecting = false
      this.options.observer.bug(error)
      this.call?.abort()
      this.send()
      this.refuse({ failure: internalFailure })
    }
  }

  private clientTook(): void {
    clearTimeout(this.stallTimer)
    this.stallTimer = undefined
    this.call?.resume()
  }

  private clientGone(): void {
    this.clearTimers()
    if (this.state === 'done') return
    this.state = 'done'
    this.call?.abort()
  }

  private schedulePing(): void {
    if (!this.options.wantsStream || this.state === 'done') return
    this.pingTimer = setTimeout(() => {
      this.keepAlive()
      this.schedulePing()
    }, this.options.timeouts.ping)
  }

  private keepAlive(): void {
    if (this.state === 'done' || this.response.writableNeedDrain) return
    if (this.hasWritten) this.pipeline?.keepAlive()
    else this.options.client.ping()
  }

  private clearTimers(): void {
    clearTimeout(this.pingTimer)
    clearTimeout(this.stallTimer)
    clearTimeout(this.graceTimer)
    this.stallTimer = undefined
  }
}
