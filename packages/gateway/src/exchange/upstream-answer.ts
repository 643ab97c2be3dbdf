import type { IncomingHttpHeaders } from 'node:http'
import type { AnswerTranslation, Failure } from '@dragoman/core'
import { isJsonSpace } from '../base/json-body.ts'
import { internalFailure } from '../base/refusal.ts'
import type { UpstreamCall, UpstreamFault, UpstreamListener } from '../upstream/client.ts'
import { type RateLimits, rateLimitsIn } from '../upstream/rate-limits.ts'
import {
  failureInHeaders,
  failureOf,
  upstreamFailure,
  UpstreamRefusal,
} from '../upstream/upstream-failures.ts'
import type { FailedCall } from '../routing/move-on.ts'
import { Beginning, HeldText } from './answer-beginning.ts'
import type { AnswerTaker } from './answer-taker.ts'
import type { Refused } from './negotiation.ts'
import { UnreadBytes } from './unread-bytes.ts'
import type { UpstreamAnswerOptions } from './upstream-answer-options.ts'

/**
 * How long an upstream may take to close its answer after the last event. If it does in time, its connection can be
 * used again.
 */
const LAST_WORD_MS = 100

const emptyAnswer = upstreamFailure('upstream_empty', 'The upstream sent no answer.')

type State =
  | { readonly at: 'waiting' }
  | { readonly at: 'refused'; readonly refusal: UpstreamRefusal }
  | {
      readonly at: 'answering'
      readonly translation: AnswerTranslation
      readonly delivered: 'stream' | 'whole'
      /** What has come, while the client knows nothing of the answer. An error may stand in it. */
      readonly beginning: Beginning
      /** What the client is not told yet, because the answer may still fail and be asked for elsewhere. */
      held: HeldText | null
    }
  | { readonly at: 'over' }

/** One call of an upstream, until its answer is read or has failed. */
export class UpstreamAnswer implements UpstreamListener {
  private readonly options: UpstreamAnswerOptions
  private readonly taker: AnswerTaker
  private state: State = { at: 'waiting' }
  private call: UpstreamCall | undefined
  private hasRetried = false
  /** Who ends the answer. Where that is the gateway, nobody else is asked. */
  private endedBy: 'upstream' | 'gateway' = 'upstream'
  private hasToldClient = false
  private isUpstreamOver = false
  private received = 0
  /** Some servers send line breaks to keep a connection open, and then nothing else. */
  private isBlank = true
  private readonly unread = new UnreadBytes()
  private isReading = false
  private graceTimer: NodeJS.Timeout | undefined
  private lastWordTimer: NodeJS.Timeout | undefined

  constructor(options: UpstreamAnswerOptions, taker: AnswerTaker) {
    this.options = options
    this.taker = taker
  }

  start(): void {
    const { observer, callUpstream } = this.options
    observer.upstreamCalled?.()
    this.call = callUpstream(this, this.hasRetried ? 'new' : 'kept')
  }

  pause(): void {
    this.unread.pause()
    this.call?.pause()
  }

  resume(): void {
    this.unread.resume()
    if (!this.unread.isEmpty) this.guard(() => this.read('more'))
    if (!this.unread.isPaused) this.call?.resume()
  }

  /** Nobody wants the answer any more. */
  abort(): void {
    if (this.state.at === 'over') return
    this.state = { at: 'over' }
    clearTimeout(this.graceTimer)
    this.call?.abort()
  }

  /** Ends the answer with a failure, because the gateway has to. */
  cut(failure: Failure): void {
    if (this.state.at === 'over') return
    this.endedBy = 'gateway'
    this.call?.abort()
    this.guard(() => this.giveUp({ failure }))
  }

  /**
   * What the answer has to tell a client that waits for more of it; null where that does not depend on the
   * answer. What was taken has to be sent: it has a number.
   */
  takeKeepAlive(): string | null {
    const { state } = this
    return state.at === 'answering' && state.held === null ? (state.translation.keepAlive?.() ?? null) : null
  }

  onHeaders(status: number, headers: IncomingHttpHeaders): void {
    if (this.state.at === 'over') return
    const { 'content-type': type = '' } = headers
    this.options.observer.upstreamHeaders?.(status, type)
    const failure = failureInHeaders(status, headers)
    if (status >= 400) {
      this.state = { at: 'refused', refusal: new UpstreamRefusal(status, headers) }
      this.graceTimer = setTimeout(() => this.passRefusal(), this.options.finishGrace())
    } else if (failure !== null) {
      this.cut(failure)
    } else {
      const isStream = type.toLowerCase().includes('text/event-stream')
      this.guard(() => this.open(isStream ? 'stream' : 'whole', headers))
    }
  }

  onData(chunk: Buffer): void {
    const { state } = this
    if (state.at === 'refused') {
      this.options.observer.upstreamSaid?.(chunk)
      state.refusal.push(chunk)
      if (state.refusal.isFull) this.passRefusal()
    }
    if (state.at !== 'answering') return
    const { wants, responseBytes } = this.options
    const isKept = wants === 'whole' || state.delivered === 'whole'
    this.received += chunk.length
    this.isBlank &&= chunk.every(isJsonSpace)
    if (isKept && this.received > responseBytes) {
      this.cut(upstreamFailure('upstream_limit', 'The answer of the upstream is too long.'))
      return
    }
    this.unread.add(chunk)
    this.readSoon()
  }

  onEnd(): void {
    this.isUpstreamOver = true
    clearTimeout(this.lastWordTimer)
    const { state } = this
    if (state.at === 'refused') this.passRefusal()
    if (state.at !== 'answering') return
    const isEmpty = state.delivered === 'whole' && this.isBlank
    this.guard(() => this.read('end', isEmpty ? emptyAnswer : undefined))
  }

  onError(fault: UpstreamFault): void {
    this.isUpstreamOver = true
    clearTimeout(this.lastWordTimer)
    if (this.state.at === 'over') return
    if (this.state.at === 'refused') {
      this.passRefusal()
      return
    }
    this.options.observer.upstreamFault?.(fault)
    if (fault.isStaleSocket && !this.hasRetried && this.state.at === 'waiting') {
      this.hasRetried = true
      this.isUpstreamOver = false
      this.start()
      return
    }
    this.guard(() => this.giveUp({ failure: failureOf(fault), fault: fault.code }))
  }

  private open(delivered: 'stream' | 'whole', headers: IncomingHttpHeaders): void {
    const { observer, open, elsewhere } = this.options
    observer.upstreamAnswered?.()
    const limits = rateLimitsIn(headers)
    const beginning = new Beginning()
    if (elsewhere?.isThere !== true) {
      this.taker.begin(limits)
      this.state = { at: 'answering', translation: open(delivered), delivered, beginning, held: null }
      return
    }
    const held = new HeldText(limits)
    const translation = open(delivered, () => held.said())
    this.state = { at: 'answering', translation, delivered, beginning, held }
  }

  /** Translates what has come. `cause`: why the upstream was given up, where it was. */
  private read(until: 'more' | 'end', cause?: Failure): void {
    const { state, unread } = this
    this.isReading = false
    if (state.at !== 'answering' || (until === 'more' && unread.mustWait)) return
    const { translation, beginning } = state
    const chunk = unread.take(until)
    let text = ''
    if (chunk !== undefined) {
      this.options.observer.upstreamSaid?.(chunk)
      if (!translation.isStarted) beginning.add(chunk)
      text = translation.push(chunk)
    }
    if (until === 'end') text += translation.end(cause)
    this.pass(text, translation, beginning)
    if (!unread.isEmpty && !unread.mustWait) this.readSoon()
  }

  /** All chunks of one turn of the event loop are translated together. This makes one write of them, without a delay. */
  private readSoon(): void {
    if (this.isReading) return
    this.isReading = true
    process.nextTick(() => this.guard(() => this.read('more')))
  }

  private pass(text: string, { state, failure, isStarted }: AnswerTranslation, beginning: Beginning): void {
    if (failure !== null && (!isStarted || this.isHeldBack)) {
      this.judge({ status: 200, body: beginning.text, failure })
    } else if (state === 'ended' && this.isEmptyHere) {
      this.judge({ status: 200, body: beginning.text, failure: emptyAnswer })
    } else if (state === 'ended') {
      const last = this.release(text, 'the end')
      this.tellOfAnswer()
      if (failure !== null) {
        this.options.observer.failed?.(failure)
        this.options.failedLate?.(failure)
      }
      this.finish()
      this.taker.end(last, failure)
    } else {
      const told = this.release(text, 'more')
      if (told !== '') {
        this.tellOfAnswer()
        this.taker.take(told)
      }
      if (state === 'finishing') this.awaitEnd()
    }
  }

  private get isHeldBack(): boolean {
    return this.state.at === 'answering' && this.state.held !== null
  }

  /** Whether an answer that ended well holds nothing, while another upstream could be asked for one that does. */
  private get isEmptyHere(): boolean {
    const { state } = this
    return (
      state.at === 'answering' && state.held?.saysNothing === true && this.options.elsewhere?.isThere === true
    )
  }

  /** What the client may be told now. */
  private release(text: string, until: 'more' | 'the end'): string {
    const { state } = this
    if (state.at !== 'answering' || state.held === null) return text
    const { held } = state
    held.add(text)
    if (until === 'more' && held.isWorthWaiting && this.options.elsewhere?.isThere === true) return ''
    state.held = null
    this.taker.begin(held.limits)
    return held.text
  }

  private tellOfAnswer(): void {
    if (this.hasToldClient) return
    this.hasToldClient = true
    if (this.state.at === 'answering') this.state.beginning.forget()
    this.options.elsewhere?.answered()
  }

  /** Some upstreams keep the connection open after their last event. */
  private awaitEnd(): void {
    this.graceTimer ??= setTimeout(() => {
      this.call?.abort()
      this.guard(() => this.read('end'))
    }, this.options.finishGrace())
  }

  private giveUp(failed: FailedCall): void {
    if (this.state.at === 'answering') this.read('end', failed.failure)
    else this.fail(failed)
  }

  private passRefusal(): void {
    if (this.state.at !== 'refused') return
    const { refusal } = this.state
    this.guard(() => this.judge(refusal.refused(), refusal.limits))
  }

  /** A refusal of which the client knows nothing yet can be mended, or holds the answer. */
  private judge(refused: Refused, limits?: RateLimits): void {
    const thought = this.options.reconsider?.(refused) ?? { is: 'final', failure: refused.failure }
    if (thought.is === 'final') {
      this.fail({ failure: thought.failure, status: refused.status }, limits)
      return
    }
    if (thought.is === 'again') {
      this.startAnew()
      return
    }
    this.dropCall()
    this.isUpstreamOver = true
    this.open('whole', {})
    this.unread.add(Buffer.from(thought.body))
    this.read('end')
  }

  /** The upstream has failed, and the client knows nothing of it. */
  private fail(failed: FailedCall, limits?: RateLimits): void {
    const { elsewhere } = this.options
    if (elsewhere === undefined || this.endedBy === 'gateway') {
      this.refuse(failed.failure, limits)
      return
    }
    const moved = elsewhere.moveOn(failed, limits)
    if (moved.is === 'final') {
      this.refuse(moved.failure, moved.limits)
      return
    }
    this.hasRetried = false
    this.startAnew()
  }

  private startAnew(): void {
    this.dropCall()
    this.state = { at: 'waiting' }
    this.isUpstreamOver = false
    this.start()
  }

  private dropCall(): void {
    clearTimeout(this.graceTimer)
    this.graceTimer = undefined
    if (!this.isUpstreamOver) this.call?.abort()
    this.received = 0
    this.isBlank = true
    this.unread.clear()
  }

  private refuse(failure: Failure, limits?: RateLimits): void {
    this.finish()
    this.taker.refuse(failure, limits)
  }

  /** Nothing more is read: the answer is whole, or it has failed. */
  private finish(): void {
    this.state = { at: 'over' }
    this.unread.clear()
    clearTimeout(this.graceTimer)
    this.call?.resume()
    if (!this.isUpstreamOver) {
      this.lastWordTimer = setTimeout(() => this.call?.abort(), LAST_WORD_MS)
    }
  }

  /** A bug in one answer must end that answer, and not the process with all the others. */
  private guard(step: () => void): void {
    try {
      step()
    } catch (error) {
      this.options.observer.bug(error)
      this.call?.abort()
      if (!this.endedInItsWords()) this.refuse(internalFailure)
    }
  }

  /**
   * A client that has a part of a stream is told of a bug by what wrote that part, where it still can: some dialects count
   * the events of an answer and name it in each. Where the upstream has said that its answer is whole, this would end
   * well.
   */
  private endedInItsWords(): boolean {
    const { state } = this
    if (!this.hasToldClient || state.at !== 'answering' || state.translation.state !== 'reading') return false
    try {
      const last = state.translation.end(internalFailure)
      this.options.observer.failed?.(internalFailure)
      this.finish()
      this.taker.end(last, internalFailure)
      return true
    } catch {
      return false
    }
  }
}
