import type { Redactor } from '../security/redact.ts'
import { BlockPool } from './chunk-log.ts'
import {
  byPlace,
  type ExchangeSource,
  type ListedExchange,
  type Place,
  type ShownExchange,
} from './exchange-source.ts'
import { type ExchangeMemory, LiveExchange, type LiveRequest } from './live-exchange.ts'
import { ShownLive } from './shown-live.ts'

/** Is told what becomes of the exchanges in memory. */
export interface ExchangeWatcher {
  changed(id: string): void
  gone(id: string): void
}

export interface LiveExchangesOptions {
  /** How many bytes all exchanges together may take. */
  readonly bytes: number
  readonly now: () => number
  readonly redact: Redactor
}

/** The exchanges under way and those that ended last, in memory. The oldest make room for new ones. */
export class LiveExchanges implements ExchangeSource {
  /** Undefined while nobody looks: then nothing is told. */
  watcher: ExchangeWatcher | undefined
  private readonly redact: Redactor
  private readonly memory: ExchangeMemory
  /** Oldest first. */
  private readonly exchanges = new Map<string, LiveExchange>()
  /** Goes on from the oldest. A new iterator would have to pass by every exchange that was deleted since the map was made. */
  private oldest = this.exchanges.values()
  private bytes: number
  private used = 0

  constructor({ bytes, now, redact }: LiveExchangesOptions) {
    this.bytes = bytes
    this.redact = redact
    this.memory = {
      now,
      blocks: new BlockPool(),
      hold: (exchange, more) => this.hold(exchange, more),
      changed: ({ state, about }) => {
        if (state !== 'forgotten') this.watcher?.changed(about.requestId)
      },
    }
  }

  get usedBytes(): number {
    return this.used
  }

  open(request: LiveRequest): LiveExchange {
    const exchange = new LiveExchange(request, Date.now(), this.memory)
    this.exchanges.set(request.requestId, exchange)
    exchange.begin()
    return exchange
  }

  limit(bytes: number): void {
    this.bytes = bytes
    this.makeRoom()
  }

  has(id: string): boolean {
    return this.exchanges.has(id)
  }

  listedAfter(place: Place | null): Promise<readonly ListedExchange[]> {
    const all = [...this.exchanges.values()].map(({ time, about }) => {
      const id = about.requestId
      return { time, id, look: () => this.find(id) }
    })
    const later = place === null ? all : all.filter((each) => byPlace(place, each) < 0)
    return Promise.resolve(later.toSorted(byPlace))
  }

  find(id: string): Promise<ShownExchange | undefined> {
    return Promise.resolve(this.shown(id))
  }

  shown(id: string): ShownExchange | undefined {
    const exchange = this.exchanges.get(id)
    return exchange === undefined ? undefined : new ShownLive(exchange, this.redact)
  }

  private hold(exchange: LiveExchange, bytes: number): void {
    exchange.held += bytes
    this.used += bytes
    if (this.used > this.bytes) this.makeRoom()
  }

  private makeRoom(): void {
    while (this.used > this.bytes && this.exchanges.size > 0) {
      const { value: exchange } = this.oldest.next()
      if (exchange === undefined) this.oldest = this.exchanges.values()
      else this.forget(exchange)
    }
  }

  private forget(exchange: LiveExchange): void {
    const id = exchange.about.requestId
    this.exchanges.delete(id)
    this.used -= exchange.held
    exchange.held = 0
    exchange.forget()
    this.watcher?.gone(id)
  }
}
