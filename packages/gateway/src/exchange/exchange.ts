import type { Failure } from '@dragoman/core'
import type { RateLimits } from '../upstream/rate-limits.ts'
import type { AnswerTaker, UpstreamObserver } from './answer-taker.ts'
import type { ClientAnswer } from './client-answer.ts'
import { UpstreamAnswer } from './upstream-answer.ts'
import type { UpstreamAnswerOptions } from './upstream-answer-options.ts'

export interface ExchangeOptions extends UpstreamAnswerOptions {
  readonly client: ClientAnswer
  readonly observer: ExchangeObserver
  /** Silence towards the client before it gets a sign of life. */
  readonly ping: number
  /** How long the client may take nothing of what is there for it. */
  readonly clientStall: number
  /** The name of the upstream that the client is told with its answer. Left out where there is only one. */
  readonly upstreamName?: () => string
}

/** Is told what happens to a request. */
export interface ExchangeObserver extends UpstreamObserver {
  /** The first byte of the answer goes to the client. */
  firstByte(): void
  /** The client took nothing for too long, and is cut off. */
  clientStalled(): void
}

/**
 * One request on its way to an upstream and back. Whatever ends first ends the rest: the client leaves or takes
 * nothing, or the upstream stalls.
 */
export class Exchange implements AnswerTaker {
  private readonly options: ExchangeOptions
  private readonly response: ClientAnswer['response']
  private readonly upstream: UpstreamAnswer
  private pingTimer: NodeJS.Timeout | undefined
  private stallTimer: NodeJS.Timeout | undefined

  constructor(options: ExchangeOptions) {
    this.options = options
    this.response = options.client.response
    this.upstream = new UpstreamAnswer(options, this)
    this.response.on('close', () => this.clientGone())
    this.response.on('drain', () => this.clientTook())
  }

  start(): void {
    // A client that left or was refused while its request was read has emitted its `close` before this exchange
    // listened.
    if (this.response.closed || this.response.writableEnded) {
      this.upstream.abort()
      return
    }
    const { wants, ping } = this.options
    // An upstream may read a long prompt for minutes before it sends its headers, and clients or proxies give up sooner.
    if (wants === 'stream') this.pingTimer = setInterval(() => this.sendPing(), ping)
    this.upstream.start()
  }

  /** Ends the exchange with a failure, because the gateway has to. */
  cut(failure: Failure): void {
    this.upstream.cut(failure)
  }

  begin(limits: RateLimits | undefined): void {
    this.nameUpstream()
    this.options.client.setLimits(limits)
    this.pingTimer?.refresh()
  }

  /** When the client does not take the text, the upstream is paused. */
  take(text: string): void {
    const { client, observer } = this.options
    client.startStream()
    observer.firstByte()
    this.pingTimer?.refresh()
    if (client.write(text)) return
    this.upstream.pause()
    this.watchStall()
  }

  end(text: string, failure: Failure | null): void {
    const { client, observer, wants } = this.options
    observer.firstByte()
    if (wants === 'stream') client.endStream(text, failure)
    else client.sendWhole(text)
    this.over()
  }

  refuse(failure: Failure, limits?: RateLimits): void {
    const { client, wants } = this.options
    this.nameUpstream()
    const refusal = { failure, headers: client.limitHeaders(limits) }
    if (wants === 'stream') client.refuseStream(refusal)
    else client.refuse(refusal)
    this.over()
  }

  private nameUpstream(): void {
    const { client, upstreamName } = this.options
    if (upstreamName !== undefined) client.nameUpstream(upstreamName())
  }

  /** Everything was sent, but the client may not have taken it yet. */
  private over(): void {
    this.clearTimers()
    if (this.response.writableLength > 0) this.watchStall()
  }

  private sendPing(): void {
    if (!this.response.writableNeedDrain) this.options.client.ping(this.upstream.takeKeepAlive())
  }

  /** Cuts off a client that takes nothing for too long. */
  private watchStall(): void {
    const { observer, clientStall } = this.options
    this.stallTimer ??= setTimeout(() => {
      this.upstream.abort()
      observer.clientStalled()
      this.response.destroy()
    }, clientStall)
  }

  private clientTook(): void {
    clearTimeout(this.stallTimer)
    this.stallTimer = undefined
    this.upstream.resume()
  }

  private clientGone(): void {
    this.clearTimers()
    this.upstream.abort()
  }

  private clearTimers(): void {
    clearInterval(this.pingTimer)
    clearTimeout(this.stallTimer)
    this.stallTimer = undefined
  }
}
