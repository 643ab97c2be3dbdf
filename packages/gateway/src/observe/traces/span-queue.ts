import { setTimeout as sleep } from 'node:timers/promises'
import type { Collector, Delivery } from './collector.ts'
import { encodeBatch, encodeSpan, type Sender } from './otlp.ts'
import type { EndedSpan } from './span.ts'
import type { TraceSettings } from './trace-settings.ts'

export interface SpanQueueOptions {
  readonly settings: Pick<TraceSettings, 'queueSize' | 'batchSize' | 'delay'>
  readonly sender: Sender
  readonly collector: Pick<Collector, 'send' | 'close'>
  /** Takes secrets out of what is sent. */
  readonly redact: (text: string) => string
  readonly onDrop: (spans: number) => void
  /** Is told that spans cannot be sent, and why, and that they can again. */
  readonly onTrouble: (message: string) => void
  readonly onRecovery: () => void
}

/** Spans with whole conversations are large. This many characters of them wait at most, whatever their number. */
const MOST_WAITING = 16_777_216

/** The pause after the first failure; each further one doubles it. */
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 30_000

/** How long the spans that still wait may take when the gateway ends. */
const LAST_WORD_MS = 3000

/**
 * Spans on their way to a collector. They are sent in batches, one after the other. A collector that is slow or gone costs
 * spans, which are counted, and never a request.
 */
export class SpanQueue {
  private readonly options: SpanQueueOptions
  private readonly waiting: string[] = []
  private size = 0
  /** Ends what is under way when the time for it is over. */
  private readonly ending = new AbortController()
  /** Ends the pause after a failure: whoever closes the queue does not wait for it. */
  private readonly closing = new AbortController()
  private timer: NodeJS.Timeout | undefined
  private state: 'resting' | 'sending' = 'resting'
  private isInTrouble = false
  private onRest: () => void = () => {}

  constructor(options: SpanQueueOptions) {
    this.options = options
  }

  add(span: EndedSpan): void {
    const { settings, onDrop, redact } = this.options
    if (
      this.closing.signal.aborted ||
      this.waiting.length >= settings.queueSize ||
      this.size >= MOST_WAITING
    ) {
      onDrop(1)
      return
    }
    const text = redact(encodeSpan(span))
    this.waiting.push(text)
    this.size += text.length
    if (this.state === 'sending') return
    if (this.waiting.length >= settings.batchSize) this.sendAll()
    else this.timer ??= setTimeout(() => this.sendAll(), settings.delay).unref()
  }

  /** Sends what waits, for a limited time. What is left then is dropped. */
  async close(): Promise<void> {
    const { onDrop, collector } = this.options
    const limit = setTimeout(() => this.ending.abort(), LAST_WORD_MS)
    this.closing.abort()
    const rested = new Promise<void>((resolve) => {
      this.onRest = resolve
    })
    if (this.state === 'resting') this.sendAll()
    await rested
    clearTimeout(limit)
    if (this.waiting.length > 0) onDrop(this.waiting.length)
    this.waiting.length = 0
    collector.close()
  }

  private sendAll(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    this.state = 'sending'
    this.sendNext(FIRST_PAUSE_MS)
  }

  /** The promises are not chained: under load the queue may never be empty, and the chain would grow for ever. */
  private sendNext(pause: number): void {
    void this.sendBatch(pause).then((next) => {
      if (next !== null) this.sendNext(next)
    })
  }

  /** Resolves to the pause after the next failure, or to null where nothing is left to do. */
  private async sendBatch(pause: number): Promise<number | null> {
    const { settings, sender, collector } = this.options
    const batch = this.waiting.slice(0, settings.batchSize)
    if (batch.length === 0 || this.ending.signal.aborted) return this.rest()
    const delivery = await collector.send(encodeBatch(sender, batch), this.ending.signal)
    this.judge(delivery, batch)
    if (delivery.is !== 'failed') return FIRST_PAUSE_MS
    const { signal } = this.closing
    if (signal.aborted) return this.rest()
    // A timer that holds no process: with nothing else to do, it may end.
    const wait = Math.min(delivery.after ?? pause, LONGEST_PAUSE_MS)
    await sleep(wait, null, { signal, ref: false }).catch(() => {})
    return Math.min(pause * 2, LONGEST_PAUSE_MS)
  }

  private rest(): null {
    this.state = 'resting'
    this.onRest()
    return null
  }

  private judge(delivery: Delivery, batch: readonly string[]): void {
    const { onDrop, onTrouble, onRecovery } = this.options
    const isWell = delivery.is === 'taken' && delivery.rejected === 0
    if (delivery.is !== 'failed') {
      this.waiting.splice(0, batch.length)
      this.size -= batch.reduce((sum, { length }) => sum + length, 0)
    }
    if (delivery.is === 'refused') onDrop(batch.length)
    if (delivery.is === 'taken' && delivery.rejected > 0) onDrop(delivery.rejected)
    if (isWell && this.isInTrouble) onRecovery()
    if (!isWell && !this.isInTrouble && !this.ending.signal.aborted) onTrouble(delivery.message)
    this.isInTrouble = !isWell
  }
}
