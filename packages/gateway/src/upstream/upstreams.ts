import { createHash } from 'node:crypto'
import { defaultDialect, type ListedModel } from '@dragoman/core'
import type { Upstream } from '../config/config.ts'
import { type ProxyConfig, proxyFor } from '../config/proxies.ts'
import {
  UpstreamClient,
  type UpstreamCall,
  type UpstreamCallOptions,
  type UpstreamListener,
} from './client.ts'
import { writeLongJson } from '../base/write-long-json.ts'
import { type Question, readReply, type Reply } from './ask.ts'
import { type Known, KnownUpstream, type Lesson } from './known-upstream.ts'
import { type ProxyRoute, routeThroughProxy } from './proxy-route.ts'
import { headersFor, type UpstreamRequest } from './upstream-request.ts'

/** What a server tells of itself is a convenience, so nobody waits long for it. */
const QUESTION_MS = 3000

/** A server inside this process. It answers where no upstream is configured. */
export interface BuiltInServer {
  /** Its base address, without a slash at its end. */
  readonly url: string
  close(): Promise<void>
}

export interface UpstreamsOptions {
  readonly now: () => number
  readonly proxies: ProxyConfig
  /** Is called when a request goes to `simulator` for the first time. */
  readonly startSimulator: () => Promise<BuiltInServer>
}

/** The connections to every upstream, and the simulator where none is configured. */
export class Upstreams {
  private readonly clients = new Map<string, ReachableUpstream>()
  private readonly origins = new WeakMap<Upstream, string>()
  private readonly proxies: ProxyConfig
  private readonly now: () => number
  private readonly known = new Map<string, KnownUpstream>()
  private readonly knownOf = new WeakMap<Upstream, KnownUpstream>()
  private readonly startSimulator: () => Promise<BuiltInServer>
  private simulator: Promise<BuiltInServer> | undefined
  private simulated: Upstream | undefined

  constructor({ now, proxies, startSimulator }: UpstreamsOptions) {
    this.proxies = proxies
    this.now = now
    this.startSimulator = startSimulator
  }

  /** Resolves to the upstream, and starts the simulator when it is first needed. */
  async resolve(upstream: Upstream | 'simulator'): Promise<Upstream> {
    if (upstream !== 'simulator') return upstream
    const { url } = await (this.simulator ??= this.startSimulator())
    // The object stays the same, as caches use the upstream as their key.
    return (this.simulated ??= {
      name: 'simulator',
      url,
      dialect: defaultDialect,
      apiKey: null,
      headers: new Map(),
      body: {},
      kind: 'other',
      parse: 'server',
    })
  }

  call(
    request: UpstreamRequest,
    listener: UpstreamListener,
    connection: 'kept' | 'new' = 'kept',
  ): UpstreamCall {
    const { timeouts } = request.route
    return this.send(
      request.upstream,
      timeouts.connect,
      {
        path: request.path,
        method: 'POST',
        headers: request.headers,
        body: request.body,
        headersTimeout: timeouts.headers,
        idleTimeout: timeouts.idle,
        connection,
      },
      listener,
    )
  }

  /** What is known of an upstream and a model there. */
  about(upstream: Upstream, model: string): Known {
    return this.knownUpstream(upstream).about(model)
  }

  /** Asks the upstream in the background, where what is known of it is old. */
  refresh(upstream: Upstream, model: string): void {
    this.knownUpstream(upstream).refresh(model)
  }

  /** What is known once the upstream has been asked. */
  settled(upstream: Upstream, model: string): Promise<Known> {
    return this.knownUpstream(upstream).settled(model)
  }

  /** Keeps what a refusal taught. */
  learn(upstream: Upstream, model: string, lesson: Lesson, lasting?: 'long' | 'briefly'): void {
    this.knownUpstream(upstream).learn(model, lesson, lasting)
  }

  /** Keeps how the tokens that an upstream counted differ from those that were estimated. */
  measure(upstream: Upstream, model: string, estimate: () => number, counted: number): void {
    this.knownUpstream(upstream).measure(model, estimate, counted)
  }

  /** The models that an upstream lists; none where it does not. */
  models(upstream: Upstream): Promise<readonly ListedModel[]> {
    return this.knownUpstream(upstream).models()
  }

  /** Asks something that is no request for an answer. */
  async ask(upstream: Upstream, { path, body }: Question, longest = QUESTION_MS): Promise<Reply> {
    const asked = {
      path,
      method: body === null ? 'GET' : 'POST',
      headers: headersFor(upstream, false),
      // A question how many tokens a conversation has is as long as the conversation.
      body: body === null ? null : await writeLongJson(body),
      headersTimeout: longest,
      idleTimeout: longest,
    } as const
    return readReply((listener) => this.send(upstream, longest, asked, listener), longest)
  }

  async close(): Promise<void> {
    await Promise.all([...this.clients.values()].map(({ client }) => client.close()))
    const simulator = await this.simulator?.catch(() => undefined)
    await simulator?.close()
  }

  /** Sends any request to an upstream, by the same way as requests for answers. */
  send(
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
      const through = route === null || proxy === null ? {} : { connect: route.connect, proxy: proxy.origin }
      found = { client: new UpstreamClient({ origin, connectTimeout, ...through }), route }
      this.clients.set(key, found)
    }
    return found
  }

  /**
   * Knowledge outlives a new configuration that says the same of an upstream. With another key it may list other models.
   */
  private knownUpstream(upstream: Upstream): KnownUpstream {
    const of = this.knownOf.get(upstream)
    if (of !== undefined) return of
    const key = identityOf(upstream)
    const known =
      this.known.get(key) ?? new KnownUpstream(upstream, (question) => this.ask(upstream, question), this.now)
    this.known.set(key, known)
    this.knownOf.set(upstream, known)
    return known
  }

  private originOf(upstream: Upstream): string {
    const known = this.origins.get(upstream)
    if (known !== undefined) return known
    const { origin } = new URL(upstream.url)
    this.origins.set(upstream, origin)
    return origin
  }
}

function identityOf({ url, kind, apiKey, headers }: Upstream): string {
  const hash = createHash('sha256')
  for (const part of [url, kind, apiKey?.reveal() ?? '']) hash.update(part).update('\0')
  for (const [name, value] of headers) hash.update(name).update('\0').update(value.reveal()).update('\0')
  return hash.digest('hex')
}

interface ReachableUpstream {
  readonly client: UpstreamClient
  /** Null where it is called directly. */
  readonly route: ProxyRoute | null
}
