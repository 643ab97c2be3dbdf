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

/** So many that ended last are always there: whoever opens the page wants to see what just happened. */
const LATEST = 16

/** An outline that holds no more bytes than these is not counted while it is one of the latest. In a flood nearly all are such. */
const LIGHT = 4096

/** While nobody looks, so many exchanges may be kept whole in a burst. The allowance is full again after so many seconds. */
const MOST_WHOLE = 1000
const WHOLE_SECONDS = 50

/** While nobody looks, exchanges may fill the memory once in a burst. The allowance is full again after so many seconds. */
const REFILL_SECONDS = 16

/**
 * The exchanges under way and those that ended last, in memory. The oldest make room for new ones. Where hundreds come in a second
 * and nobody looks, each would push out another before anybody saw it, and keeping what was said in them would cost a gateway a
 * twentieth of its time. Then most are followed as outlines, and listed when they end. An exchange that is no longer among the latest
 * stays only where something went wrong in it, or where it was kept whole and the allowance still has room.
 */
export class LiveExchanges implements ExchangeSource {
  /** Undefined while nobody looks: then nothing is told. */
  watcher: ExchangeWatcher | undefined
  private readonly redact: Redactor
  private readonly memory: ExchangeMemory
  /** Oldest first. */
  private readonly exchanges = new Map<string, LiveExchange>()
  /** Goes on from the oldest. A new iterator would have to pass by every exchange that was deleted since the map was made. */
  private oldest = this.exchanges.values()
  /** Those that ended last, of which it is not decided yet whether they are kept on. A light outline is nowhere else until then. */
  private readonly latest: LiveExchange[] = []
  private readonly wholeExchanges: Allowance
  private readonly keptBytes: Allowance
  private bytes: number
  private used = 0

  constructor({ bytes, now, redact }: LiveExchangesOptions) {
    this.bytes = bytes
    this.redact = redact
    this.wholeExchanges = new Allowance(MOST_WHOLE, WHOLE_SECONDS, now())
    this.keptBytes = new Allowance(bytes, REFILL_SECONDS, now())
    this.memory = {
      now,
      blocks: new BlockPool(),
      hold: (exchange, more) => this.hold(exchange, more),
      changed: ({ state, about }) => {
        if (state !== 'forgotten') this.watcher?.changed(about.requestId)
      },
      ended: (exchange) => this.ended(exchange),
    }
  }

  get usedBytes(): number {
    return this.used
  }

  open(request: LiveRequest): LiveExchange {
    const now = this.memory.now()
    const isWhole = this.watcher !== undefined || this.wholeExchanges.take(1, now)
    const moment = { began: Date.now(), startedAt: now }
    const exchange = new LiveExchange(request, isWhole ? 'everything' : 'outline', moment, this.memory)
    if (isWhole) this.list(exchange)
    return exchange
  }

  limit(bytes: number): void {
    this.bytes = bytes
    this.keptBytes.most = bytes
    this.makeRoom()
  }

  has(id: string): boolean {
    return this.exchangeOf(id) !== undefined
  }

  listedAfter(place: Place | null): Promise<readonly ListedExchange[]> {
    const onlyLatest = this.latest.filter(({ isListed, state }) => !isListed && state !== 'forgotten')
    const all = [...this.exchanges.values(), ...onlyLatest].map(({ time, about }) => {
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
    const exchange = this.exchangeOf(id)
    return exchange === undefined ? undefined : new ShownLive(exchange, this.redact)
  }

  private exchangeOf(id: string): LiveExchange | undefined {
    const isIt = ({ about, state }: LiveExchange): boolean => about.requestId === id && state !== 'forgotten'
    return this.exchanges.get(id) ?? this.latest.find(isIt)
  }

  private list(exchange: LiveExchange): void {
    this.exchanges.set(exchange.about.requestId, exchange)
    exchange.isListed = true
    this.used += exchange.held
    exchange.begin()
  }

  private ended(exchange: LiveExchange): void {
    if (!exchange.isListed && exchange.held > LIGHT) this.list(exchange)
    this.latest.push(exchange)
    const [first] = this.latest
    if (first === undefined || this.latest.length <= LATEST) return
    this.latest.shift()
    if (first.state === 'forgotten') return
    const isKeptOn = this.isKeptOn(first)
    if (isKeptOn && !first.isListed) this.list(first)
    if (!isKeptOn && first.isListed) this.forget(first)
  }

  private isKeptOn(exchange: LiveExchange): boolean {
    if (this.watcher !== undefined || exchange.hasFaults) return true
    return exchange.keeps === 'everything' && this.keptBytes.take(exchange.held, this.memory.now())
  }

  private hold(exchange: LiveExchange, bytes: number): void {
    exchange.held += bytes
    if (!exchange.isListed) return
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

/** What may be taken: as much as is there, and as much again comes in so many seconds. */
class Allowance {
  most: number
  private readonly seconds: number
  private left: number
  private at: number

  constructor(most: number, seconds: number, now: number) {
    this.most = most
    this.seconds = seconds
    this.left = most
    this.at = now
  }

  take(amount: number, now: number): boolean {
    const more = ((now - this.at) / 1000 / this.seconds) * this.most
    this.left = Math.min(this.most, this.left + more)
    this.at = now
    if (amount > this.left) return false
    this.left -= amount
    return true
  }
}
