import type { Upstream } from '../config/config.ts'
import { headersFor, type Plan } from '../routes/plan.ts'
import { createSimulator, type Simulator } from '../simulator/server.ts'
import { UpstreamClient, type UpstreamCall, type UpstreamListener } from './client.ts'
import { ModelLists } from './model-lists.ts'

/** A list of models is a convenience: nobody waits long for it. */
const LIST_MS = 3000

/** The connections to every upstream, and the simulator where there is none. */
export class Upstreams {
  private readonly clients = new Map<string, UpstreamClient>()
  private readonly lists: ModelLists
  private simulator: Simulator | undefined
  private simulated: Promise<Upstream> | undefined

  constructor(now: () => number) {
    this.lists = new ModelLists(now)
  }

  /** The upstream itself; the built-in one is started when it is first needed. */
  async resolve(upstream: Upstream | 'simulator'): Promise<Upstream> {
    if (upstream !== 'simulator') return upstream
    this.simulated ??= this.startSimulator()
    return this.simulated
  }

  call(plan: Plan, listener: UpstreamListener): UpstreamCall {
    const { timeouts } = plan.route
    return this.client(plan.upstream, timeouts.connect).call(
      {
        path: plan.path,
        method: 'POST',
        headers: plan.headers,
        body: plan.body,
        headersTimeout: timeouts.headers,
        idleTimeout: timeouts.idle,
      },
      listener,
    )
  }

  /** The names of the models that an upstream has; none where it does not say. */
  models(upstream: Upstream): Promise<readonly string[]> {
    const { pathname } = new URL(upstream.url)
    return this.lists.names(upstream.url, (listener) =>
      this.client(upstream, LIST_MS).call(
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
    await Promise.all([...this.clients.values()].map((client) => client.close()))
    await this.simulator?.close()
  }

  private client(upstream: Upstream, connectTimeout: number): UpstreamClient {
    const { origin } = new URL(upstream.url)
    const key = `${origin} ${connectTimeout}`
    let client = this.clients.get(key)
    if (client === undefined) {
      client = new UpstreamClient({ origin, connectTimeout })
      this.clients.set(key, client)
    }
    return client
  }

  private async startSimulator(): Promise<Upstream> {
    this.simulator = createSimulator({ pace: 20 })
    const url = await this.simulator.listen()
    return { name: 'simulator', url, dialect: 'openai-chat', apiKey: null, headers: new Map(), body: {} }
  }
}
