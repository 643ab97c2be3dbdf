import type { RoutingConfig, Upstream } from '../config/config.ts'
import type { ModelRoute } from '../config/match-model.ts'
import { choose } from './balance.ts'
import { UpstreamHealth, type Visit } from './upstream-health.ts'

/** A place on the way of a request: one upstream, and how the model is asked there. */
export interface Place {
  readonly route: ModelRoute
  readonly upstream: Upstream
}

/** A place that a request is at. */
export interface Stop extends Place {
  readonly visit: Visit
}

/** What this process knows of its upstreams from the requests that it sent them. Nothing of it is shared or kept. */
export class Routing {
  private readonly now: () => number
  private readonly known = new Map<string, UpstreamHealth>()
  private readonly turns = new Map<string, number>()

  constructor(now: () => number) {
    this.now = now
  }

  /** The health of an upstream. One that gets another address begins anew. */
  healthOf({ name, url }: Pick<Upstream, 'name' | 'url'>): UpstreamHealth {
    const key = `${name} ${url}`
    let health = this.known.get(key)
    if (health === undefined) {
      health = new UpstreamHealth(name, this.now)
      this.known.set(key, health)
    }
    return health
  }

  /** The way of one request. `key`: what the requests of its conversation have in common. */
  itinerary(pools: readonly (readonly Place[])[], settings: RoutingConfig, key: () => string): Itinerary {
    return new Itinerary({ pools, settings, key, now: this.now, routing: this })
  }

  /** How many choices were made in a pool before this one. */
  nextTurn(pool: readonly Place[]): number {
    const names = pool.map(({ upstream }) => upstream.name).join(' ')
    const turn = this.turns.get(names) ?? 0
    this.turns.set(names, turn + 1)
    return turn
  }
}

interface ItineraryOptions {
  readonly pools: readonly (readonly Place[])[]
  readonly settings: RoutingConfig
  readonly key: () => string
  readonly now: () => number
  readonly routing: Routing
}

/** The upstreams that one request is sent to, one after the other, each at most once. */
export class Itinerary {
  private readonly options: ItineraryOptions
  private readonly places: readonly Place[]
  private readonly visited = new Set<Place>()
  private readonly startedAt: number
  private tries = 0

  constructor(options: ItineraryOptions) {
    this.options = options
    this.places = options.pools.flat()
    this.startedAt = options.now()
  }

  /** Whether there has ever been a choice. */
  get isOnly(): boolean {
    return this.places.length === 1
  }

  /** Whether the request could be sent to another upstream now. */
  get hasNext(): boolean {
    return this.mayTry && this.places.some((place) => this.isOpen(place))
  }

  /** The upstream that comes next; undefined where there is none that may be asked. Each comes once. */
  next(): Place | undefined {
    if (!this.mayTry) return undefined
    const place = this.isOnly ? this.places[0] : (this.nextOpen() ?? this.nextOut())
    if (place === undefined || this.visited.has(place)) return undefined
    this.visited.add(place)
    return place
  }

  /** Sends the request there. A place that cannot take it at all is passed by before that, and costs no try. */
  enter({ route, upstream }: Place): Stop {
    this.tries++
    const { routing, settings } = this.options
    return { route, upstream, visit: routing.healthOf(upstream).visit(settings) }
  }

  /** Where all upstreams are out: how long it takes until one of them may be asked, in milliseconds, and why it is out. */
  get wait(): { readonly milliseconds: number; readonly isRateLimit: boolean } {
    const { routing, now } = this.options
    const all = this.places.map(({ upstream }) => {
      const { standing, lastFailure } = routing.healthOf(upstream)
      const milliseconds = standing.is === 'out' ? Math.max(0, standing.until - now()) : 0
      return { milliseconds, isRateLimit: lastFailure?.isRateLimit === true }
    })
    const [soonest] = all.toSorted((a, b) => a.milliseconds - b.milliseconds)
    return soonest ?? { milliseconds: 0, isRateLimit: false }
  }

  private get mayTry(): boolean {
    const { settings, now } = this.options
    if (this.tries === 0) return true
    return this.tries <= settings.retries && now() - this.startedAt <= settings.retryWithin
  }

  private nextOpen(): Place | undefined {
    const { pools, settings, key, routing } = this.options
    for (const pool of pools) {
      const open = pool.filter((place) => this.isOpen(place))
      if (open.length === 0) continue
      const members = open.map((place) => {
        const { name, inFlight } = routing.healthOf(place.upstream)
        return { name, inFlight, place }
      })
      const turn = settings.balance === 'affinity' ? 0 : routing.nextTurn(pool)
      return choose(settings.balance, members, { key, turn })?.place
    }
    return undefined
  }

  /**
   * Where all are out, the first try goes to the one that was out longest, if it was taken out for failures: it may work
   * again, and nothing would be gained by refusing every request until its time is over. It is on trial then, so that the
   * others do not follow. One that asked to be left alone is left alone.
   */
  private nextOut(): Place | undefined {
    if (this.tries > 0) return undefined
    const until = ({ upstream }: Place): number => {
      const { standing } = this.options.routing.healthOf(upstream)
      return standing.is === 'out' && standing.why === 'failures' ? standing.until : Infinity
    }
    const [soonest] = this.places.toSorted((a, b) => until(a) - until(b))
    return soonest === undefined || until(soonest) === Infinity ? undefined : soonest
  }

  private isOpen(place: Place): boolean {
    return !this.visited.has(place) && this.options.routing.healthOf(place.upstream).isOpen
  }
}
