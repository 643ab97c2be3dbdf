import type { IncomingHttpHeaders } from 'node:http'
import { type AnswerDecoder, type AnswerSink, type Failure, failureFromResponse } from '@dragoman/core'
import { failureOf, upstreamFailure } from '../../upstream/upstream-failures.ts'
import type { UpstreamCall, UpstreamFault, UpstreamListener } from '../../upstream/client.ts'

const ERROR_BYTES = 65_536

export interface UpstreamAnswerOptions {
  /** Makes the call; a second time only where the first reached nobody. */
  readonly send: (listener: UpstreamListener) => UpstreamCall
  readonly open: (source: 'sse' | 'json') => AnswerDecoder
  readonly responseBytes: number
  /** How long a connection may stay open behind the last word. */
  readonly finishGrace: number
  /** The bytes of the answer, as they come. */
  readonly onData: (chunk: Buffer) => void
  /** Told where the upstream is given up. */
  readonly sink: Pick<AnswerSink, 'fail' | 'end'>
}

type State =
  | { readonly at: 'waiting' }
  | { readonly at: 'refused'; readonly status: number; readonly chunks: Buffer[] }
  | { readonly at: 'answering'; readonly decoder: AnswerDecoder }
  | { readonly at: 'end' }

/** One call of an upstream, until its answer is read or has failed. */
export class UpstreamAnswer implements UpstreamListener {
  private readonly options: UpstreamAnswerOptions
  private state: State = { at: 'waiting' }
  private call: UpstreamCall | undefined
  private hasRetried = false
  private received = 0
  private graceTimer: NodeJS.Timeout | undefined

  constructor(options: UpstreamAnswerOptions) {
    this.options = options
  }

  start(): void {
    this.call = this.options.send(this)
  }

  /** Nobody wants it any more. */
  abort(): void {
    this.finish()
    this.call?.abort()
  }

  onHeaders(status: number, headers: IncomingHttpHeaders): void {
    const type = (headers['content-type'] ?? '').toLowerCase()
    if (status >= 300) this.state = { at: 'refused', status, chunks: [] }
    else if (type.includes('text/html')) {
      this.giveUp(upstreamFailure('upstream_protocol_error', 'The upstream answered with a web page.'))
    } else {
      const source = type.includes('text/event-stream') ? 'sse' : 'json'
      this.state = { at: 'answering', decoder: this.options.open(source) }
    }
  }

  onData(chunk: Buffer): void {
    const { state } = this
    this.received += chunk.length
    if (state.at === 'refused') {
      state.chunks.push(chunk)
      if (this.received >= ERROR_BYTES) this.refuse(state.status, state.chunks)
    } else if (state.at === 'answering') {
      if (this.received > this.options.responseBytes) {
        this.giveUp(upstreamFailure('upstream_limit', 'The answer of the upstream is too long.'))
        return
      }
      this.options.onData(chunk)
      state.decoder.push(chunk)
      this.lookForEnd(state.decoder)
    }
  }

  onEnd(): void {
    const { state } = this
    if (state.at === 'refused') this.refuse(state.status, state.chunks)
    if (state.at !== 'answering') return
    this.finish()
    state.decoder.end()
  }

  onError(fault: UpstreamFault): void {
    const { state } = this
    if (state.at === 'end') return
    if (fault.isStaleSocket && !this.hasRetried && state.at === 'waiting') {
      this.hasRetried = true
      this.start()
    } else if (state.at === 'refused') {
      this.refuse(state.status, state.chunks)
    } else {
      this.giveUp(failureOf(fault))
    }
  }

  /** Some upstreams keep the connection open behind their last word. */
  private lookForEnd(decoder: AnswerDecoder): void {
    if (decoder.state === 'ended') this.abort()
    if (decoder.state !== 'finishing') return
    this.graceTimer ??= setTimeout(() => {
      this.abort()
      decoder.end()
    }, this.options.finishGrace)
  }

  private refuse(status: number, chunks: readonly Buffer[]): void {
    const body = Buffer.concat(chunks).toString('utf8', 0, ERROR_BYTES)
    this.giveUp(failureFromResponse({ status, body }))
  }

  private giveUp(failure: Failure): void {
    const { state } = this
    const { sink } = this.options
    this.abort()
    sink.fail(failure)
    // What is held back goes out first; an upstream that has said why it ended has not failed.
    if (state.at === 'answering') state.decoder.end()
    sink.end()
  }

  private finish(): void {
    clearTimeout(this.graceTimer)
    this.state = { at: 'end' }
  }
}
