import type { Upstream } from '../config/config.ts'
import { type ProxyConfig, proxyFor } from '../config/proxies.ts'
import { headersFor, type Plan } from '../exchange/plan.ts'
import { createSimulator, type Simulator } from '../simulator/server.ts'
import {
  UpstreamClient,
  type UpstreamCall,
  type UpstreamCallOptions,
  type UpstreamListener,
} from './client.ts'
import { ModelLists } from './model-lists.ts'
import { type ProxyRoute, routeThroughProxy } from './proxy-route.ts'

/** A list of models is a convenience: nobody waits long for it. */
const LIST_MS = 3000

/** The connections to every upstream, and the simulator where there is none. */
export class Upstreams {
  private readonly clients = new Map<string, ReachableUpstream>()
  private readonly origins = new WeakMap<Upstream, string>()
  private readonly proxies: ProxyConfig
  private readonly lists: ModelLists
  private simulator: Simulator | undefined
  private simulated: Promise<Upstream> | undefined

  constructor(now: () => number, proxies: ProxyConfig) {
    this.proxies = proxies
    this.lists = new ModelLists(now)
  }

  /** The upstream itself; the built-in one is started when it is first needed. */
  async resolve(upstream: Upstream | 'simulator'): Promise<Upstream> {
    if (upstream !== 'simulator') return upstream
    this.simulated ??= this.startSimulator()
    return this.simulated
  }

  call(plan: Plan, listener: UpstreamListener, connection: 'kept' | 'new' = 'kept'): UpstreamCall {
    const { timeouts } = plan.route
    return this.send(
      plan.upstream,
      timeouts.connect,
      {
        path: plan.path,
        method: 'POST',
        headers: plan.headers,
        body: plan.body,
        headersTimeout: timeouts.headers,
        idleTimeout: timeouts.idle,
        connection,
      },
      listener,
    )
  }

  /** The names of the models that an upstream has; none where it does not say. */
  models(upstream: Upstream): Promise<readonly string[]> {
    const { pathname } = new URL(upstream.url)
    return this.lists.names(upstream.url, (listener) =>
      this.send(
        upstream,
        LIST_MS,
        {
          path: `${pathname.replace(/\/$/, '')}/models`,
          method: 'GET',
          headers: headersFor(upstream, false),
          body: null,
          headersTimeout: LIST_MS,
          idleTimeout: LIST_MS,
        },
        listener,
      ),
    )
  }

  async close(): Promise<void> {
    await Promise.all([...this.clients.values()].map(({ client }) => client.close()))
    await this.simulator?.close()
  }

  private send(
    upstream: Upstream,
    connectTimeout: number,
    options: UpstreamCallOptions,
    listener: UpstreamListener,
  ): UpstreamCall {
    const { client, route } = this.reach(upstream, connectTimeout)
    if (route === null) return client.call(options, listener)
    const path = route.pathPrefix + options.path
    return client.call({ ...options, path, headers: { ...options.headers, ...route.headers } }, listener)
  }

  private reach(upstream: Upstream, connectTimeout: number): ReachableUpstream {
    const origin = this.originOf(upstream)
    const key = `${origin} ${connectTimeout}`
    let found = this.clients.get(key)
    if (found === undefined) {
      const proxy = proxyFor(origin, this.proxies)
      const route = proxy === null ? null : routeThroughProxy({ proxy, origin, connectTimeout })
      const connect = route === null ? {} : { connect: route.connect }
      found = { client: new UpstreamClient({ origin, connectTimeout, ...connect }), route }
      this.clients.set(key, found)
    }
    return found
  }

  private originOf(upstream: Upstream): string {
    const known = this.origins.get(upstream)
    if (known !== undefined) return known
    const { origin } = new URL(upstream.url)
    this.origins.set(upstream, origin)
    return origin
  }

  private async startSimulator(): Promise<Upstream> {
    this.simulator = createSimulator({ pace: 20 })
    const url = await this.simulator.listen()
    return { name: 'simulator', url, dialect: 'openai-chat', apiKey: null, headers: new Map(), body: {} }
  }
}

interface ReachableUpstream {
  readonly client: UpstreamClient
  /** Null where it is called directly. */
  readonly route: ProxyRoute | null
}
