import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type DialectId, dialects } from '@dragoman/core'
import { isLoopbackHost } from '../config/addresses.ts'
import type { AccountingConfig, GatewayConfig } from '../config/config.ts'
import type { Refusal } from '../base/refusal.ts'
import { sendJson } from '../base/send.ts'
import type { Logger } from '../observe/logger.ts'
import type { Metrics } from '../observe/metrics.ts'
import { answerUsage, quotasFor } from './accounting.ts'
import { openExchange } from './answer-route.ts'
import type { RouteContext } from './route-context.ts'
import { countTokens } from './count-tokens.ts'
import { answerModels } from './models.ts'
import { askAgain } from './ask-again.ts'
import { askedAt, dialectOf, findRoute, type HttpRoute, isProbed, type RouteMatch } from './route-table.ts'
import { Inspector, type InspectorWorld } from '../inspection/inspector.ts'
import { wantedFrom } from '../inspection/inspector-server.ts'
import type { Recorder } from '../recorder/recorder.ts'
import { allowOrigin, answerPreflight, isPreflight } from '../security/cors.ts'
import { clientAddress } from '../security/client-address.ts'
import { FailureLimit } from '../security/failure-limit.ts'
import type { Redactor } from '../security/redact.ts'
import {
  checkCaller,
  checkContent,
  checkKey,
  checkPageCaller,
  type GatePolicy,
} from '../security/gatekeeper.ts'
import type { Quotas } from '../quotas/quotas.ts'
import type { QuotaStore } from '../quotas/store.ts'
import { Routing } from '../routing/routing.ts'
import { detachFirstBuffer } from '../upstream/detach-first-buffer.ts'
import { type BuiltInServer, Upstreams } from '../upstream/upstreams.ts'
import { ClientAnswer } from '../exchange/client-answer.ts'
import { ItemCache } from '../exchange/item-cache.ts'
import { internalFailure } from '../base/refusal.ts'
import { closeWithSocket } from './queued-responses.ts'
import { inspectorOff, refuseRoute, shuttingDown } from './refusals.ts'
import { RequestLog } from './request-log.ts'
import { Room } from './room.ts'
import { statusOf } from './status.ts'
import type { Traces } from './traces.ts'

export interface GatewayWorld {
  readonly logger: Logger
  readonly metrics: Metrics
  readonly now: () => number
  /** Takes secrets out of what upstreams say, before a client sees it. */
  readonly redact: Redactor
  /** Undefined where exchanges are never recorded. */
  readonly recorders?: { readonly current: Recorder | undefined }
  /** Undefined where no traces are sent. */
  readonly traces?: Pick<Traces, 'open'> | undefined
  /** Undefined where there is no inspector. */
  readonly inspector?: InspectorWorld | undefined
  /** How many clients may be connected; further ones are refused. */
  readonly connections?: number
  /** Opens the store in which use is counted. Left out: as the configuration says. */
  readonly openStore?: (accounting: AccountingConfig) => QuotaStore
  /** Starts the server that answers where no upstream is configured. */
  readonly startSimulator: () => Promise<BuiltInServer>
}

/** How long the last bytes of answers that were cut may take to reach their clients. */
const CLOSING_MS = 200

/** The HTTP server. Every request passes the same checks, then its route. */
export class Gateway {
  private config: GatewayConfig
  private readonly world: GatewayWorld
  private readonly server: Server
  readonly upstreams: Upstreams
  private readonly routing: Routing
  private readonly room: Room
  private readonly failureLimit: FailureLimit
  private gate: GatePolicy
  /** What answers held, for clients that name it. Undefined where nothing is kept. */
  private items: ItemCache | undefined
  /** The address that the server was opened with; a later configuration does not change it. */
  private readonly bound: { readonly host: string; readonly port: number }
  private readonly inspector: Inspector | undefined
  /** The connections by which the inspector asks again, with the ids of their requests. */
  private readonly own = new WeakMap<object, string>()
  /** Undefined while nobody's use is counted. */
  private quotas: Quotas | undefined
  private state: 'serving' | 'leaving' | 'draining' = 'serving'

  constructor(config: GatewayConfig, world: GatewayWorld) {
    detachFirstBuffer()
    this.config = config
    this.world = world
    this.upstreams = new Upstreams({
      now: world.now,
      proxies: config.proxies,
      startSimulator: world.startSimulator,
    })
    this.routing = new Routing(world.now)
    this.room = new Room(config.limits)
    this.failureLimit = new FailureLimit(world.now)
    this.bound = { host: config.listen.host, port: config.listen.port }
    this.server = createServer(
      { connectionsCheckingInterval: 1000, maxHeaderSize: config.limits.headerBytes },
      (request, response) => this.handle(request, response, false),
    )
    // Without this, Node asks for the body before anybody has looked at who sends it.
    this.server.on('checkContinue', (request, response) => this.handle(request, response, true))
    this.inspector =
      world.inspector &&
      new Inspector(config, {
        ...world.inspector,
        now: world.now,
        redact: world.redact,
        failureLimit: this.failureLimit,
        askAgain: (request) => askAgain(this.server, request, this.own),
      })
    this.server.maxConnections = world.connections ?? Infinity
    this.gate = this.policy()
    this.setTimeouts()
    this.limitItems()
    this.openQuotas()
  }

  /** Starts listening, and resolves to the address with the actual port. */
  async listen(): Promise<string> {
    const { host, port } = this.bound
    await new Promise<void>((resolve, fail) => {
      this.server.once('error', fail)
      this.server.listen(port, host, () => {
        this.server.off('error', fail)
        resolve()
      })
    })
    this.gate = this.policy()
    const name = host.includes(':') ? `[${host}]` : host
    return `http://${name}:${this.port}`
  }

  get port(): number {
    return this.gate.port
  }

  /** Asks every upstream what it is, in the background. */
  lookAround(): void {
    const { upstreams } = this.config
    if (upstreams === 'simulator') return
    for (const upstream of upstreams.values()) this.upstreams.refresh(upstream, '')
  }

  /** New requests follow the new configuration; those under way keep theirs. */
  reconfigure(config: GatewayConfig): void {
    this.config = config
    this.inspector?.reconfigure({ ...config, listen: { ...config.listen, host: this.bound.host } })
    this.gate = this.policy()
    this.room.change(config.limits)
    this.setTimeouts()
    this.limitItems()
    this.openQuotas()
  }

  /** The store stays the one that the first configuration named. */
  private openQuotas(): void {
    const { accounting } = this.config
    if (accounting !== undefined) this.quotas ??= quotasFor(accounting, this.world)
  }

  private limitItems(): void {
    const { itemCache } = this.config.responses
    if (itemCache === null) this.items = undefined
    else if (this.items === undefined) this.items = new ItemCache(itemCache)
    else this.items.limit(itemCache)
  }

  private setTimeouts(): void {
    const { clientHeaders, clientBody, keepAlive } = this.config.timeouts
    this.server.headersTimeout = clientHeaders
    // Node counts this time from the first byte of a request. It ends requests whose body nobody reads.
    this.server.requestTimeout = clientHeaders + clientBody
    this.server.keepAliveTimeout = keepAlive
  }

  /**
   * Waits for the requests under way, for at most `timeouts.drain`, then closes. `/health` reports it meanwhile. New
   * requests are served for `timeouts.drainGrace` of that time: a balancer that has not asked for the health since would show
   * its clients a refusal.
   */
  async drain(): Promise<void> {
    const { drain, drainGrace } = this.config.timeouts
    const grace = Math.min(drain, drainGrace)
    this.state = 'leaving'
    if (grace > 0) await sleep(grace)
    this.state = 'draining'
    await this.room.close(drain - grace)
    await this.close()
  }

  private async close(): Promise<void> {
    this.inspector?.close()
    const force = setTimeout(() => this.server.closeAllConnections(), CLOSING_MS)
    await new Promise<void>((resolve) => {
      this.server.close(() => resolve())
    })
    clearTimeout(force)
    await this.upstreams.close()
    await this.quotas?.close()
  }

  private handle(request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean): void {
    closeWithSocket(request, response)
    const ownId = this.own.get(request.socket)
    const requestId = ownId ?? randomUUID()
    response.setHeader('x-request-id', requestId).setHeader('request-id', requestId)
    if (this.state !== 'serving') response.setHeader('connection', 'close')
    const url = request.url ?? '/'
    const found = this.findRoute(request)
    const dialect = dialectOf(url, request.headers)
    const route = found.is === 'unknown' ? null : found.route
    const log =
      this.world.traces?.open({ request, response, dialect }, route, requestId) ??
      new RequestLog(route, requestId, this.world)
    // `once` would cost more than all that the listener does, and the event comes only once anyway.
    response.on('close', () => log.done(response))
    // Without a listener an error on either socket would end the process.
    request.on('error', ignore)
    response.on('error', ignore)
    const client = new ClientAnswer({
      response,
      dialect,
      requestId,
      framing: dialects[dialect].http.framing?.(askedAt(url)) ?? null,
      client: clientIn(request, dialect),
      redact: this.world.redact,
      observer: log,
    })
    if (found.is === 'route' && found.route.serves === 'inspector') {
      this.inspect(request, client, log)
      return
    }
    const { allowedOrigins } = this.config.listen
    allowOrigin(request, response, allowedOrigins)
    const hosts = route !== null && isProbed(route) ? 'any' : 'listed'
    const stranger = ownId === undefined ? checkCaller(request, this.gate, hosts) : null
    if (stranger === null && found.is === 'wrong-method' && isPreflight(request, allowedOrigins)) {
      answerPreflight(request, response, found.allow)
      return
    }
    const refused = stranger ?? this.check(request, dialect, found, log)
    if (refused !== null) {
      // The client may send its body all the same, or may not: what follows on this connection cannot be told.
      if (awaitsContinue) response.setHeader('connection', 'close')
      client.refuse(refused)
    } else if (found.is === 'route') {
      const { config, upstreams, routing, world, items, quotas } = this
      const recorder = world.recorders?.current
      const { now } = world
      const live = this.inspector?.live
      const arrival = this.room.arrival(client, awaitsContinue)
      const key = config.keys.find(({ name }) => name === log.key)
      const asked = { request, client, key, log, arrival }
      const context = { ...asked, config, upstreams, routing, now, recorder, live, items, quotas }
      this.serve(found.route, context).catch((error: unknown) => {
        log.bug(error)
        client.refuse({ failure: internalFailure })
      })
    }
  }

  private inspect(request: IncomingMessage, client: ClientAnswer, log: RequestLog): void {
    const { inspector } = this
    const off = inspector === undefined ? 'There is no inspector here.' : inspector.isOffBecause
    const refused =
      checkPageCaller(request, this.gate, wantedFrom(request)) ?? (off === null ? null : inspectorOff(off))
    if (refused !== null || inspector === undefined) {
      client.refuse(refused ?? inspectorOff(off ?? ''))
      return
    }
    inspector.serve(request, client.response).catch((error: unknown) => {
      log.bug(error)
      client.refuse({ failure: internalFailure })
    })
  }

  private findRoute({ method = '', url = '/', headers }: IncomingMessage): RouteMatch {
    const found = findRoute(method, url, headers)
    const isOff = found.is === 'route' && found.route.serves === 'metrics' && !this.config.metrics
    return isOff ? { is: 'unknown' } : found
  }

  /** The other checks, in order. They stand here so that no route can forget one. */
  private check(
    request: IncomingMessage,
    dialect: DialectId,
    found: RouteMatch,
    log: RequestLog,
  ): Refusal | null {
    if (found.is !== 'route') return refuseRoute(found, request.url ?? '')
    const { route } = found
    if (this.own.has(request.socket)) {
      log.key = 'inspector'
    } else if (!route.isOpen) {
      const admitted = checkKey(request, dialect, this.gate)
      if ('failure' in admitted) return admitted
      log.key = admitted.keyName
    }
    if (route.serves === 'refusal') return { failure: route.failure }
    if (route.method === 'POST') return checkContent(request) ?? this.room.check()
    return this.state === 'draining' && route.serves === 'models' ? shuttingDown : null
  }

  private async serve(route: HttpRoute, context: RouteContext): Promise<void> {
    const { client } = context
    const { response } = client
    switch (route.serves) {
      case 'health':
      case 'ready':
        if (this.state === 'serving') sendJson(response, 200, { status: 'ok' })
        else sendJson(response, 503, { status: 'draining' })
        return
      case 'live':
        sendJson(response, 200, { status: 'ok' })
        return
      case 'hello':
        response.writeHead(200, { 'content-length': '0' }).end()
        return
      case 'metrics': {
        const { contentType, text } = await this.world.metrics.expose()
        response.writeHead(200, { 'content-type': contentType }).end(text)
        return
      }
      case 'status':
        sendJson(response, 200, statusOf(this.config, this.routing, this.world))
        return
      case 'usage':
        await answerUsage(context)
        return
      case 'models':
        await answerModels(context)
        return
      case 'token-count':
        this.room.occupy(client)
        await countTokens(context, route.body)
        return
      case 'answer':
      case 'compaction':
        this.room.occupy(client)
        this.room.run(await openExchange(context), client)
        return
      case 'refusal':
        client.refuse({ failure: route.failure })
        return
      case 'inspector':
        this.inspect(context.request, client, context.log)
    }
  }

  /** Is made once for each configuration and not for each request. */
  private policy(): GatePolicy {
    const { listen, keys, limits } = this.config
    const address = this.server.address()
    return {
      isLoopback: isLoopbackHost(this.bound.host),
      port: typeof address === 'object' && address !== null ? (address satisfies AddressInfo).port : 0,
      allowedHosts: listen.allowedHosts,
      allowedOrigins: listen.allowedOrigins,
      keys,
      failureLimit: this.failureLimit,
      authFailuresPerMinute: limits.authFailuresPerMinute,
      addressOf: clientAddress(listen.trustedProxies),
    }
  }
}

/** What the client says of itself, where its dialect has a header for that. */
function clientIn({ headers }: IncomingMessage, dialect: DialectId): string | undefined {
  const { clientHeader } = dialects[dialect].http
  const said = clientHeader === null ? undefined : headers[clientHeader]
  return typeof said === 'string' ? said : undefined
}

const ignore = (): void => {}
