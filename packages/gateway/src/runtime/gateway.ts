import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Failure } from '@dragoman/core'
import { isLoopbackHost } from '../config/addresses.ts'
import type { GatewayConfig } from '../config/config.ts'
import { sendFailure, sendJson } from '../http/send.ts'
import type { Logger } from '../observe/logger.ts'
import type { Metrics } from '../observe/metrics.ts'
import { answerRoute, type AnswerRouteContext, readRequest } from '../routes/answer-route.ts'
import { estimateTokens } from '../routes/estimate-tokens.ts'
import { listModels } from '../routes/models.ts'
import { dialectOf, findRoute, type Route } from '../routes/route-table.ts'
import { FailureLimit } from '../security/failure-limit.ts'
import {
  checkCaller,
  checkContent,
  checkKey,
  type GatePolicy,
  reject,
  type Rejection,
} from '../security/gatekeeper.ts'
import { Upstreams } from '../upstream/upstreams.ts'
import type { Exchange } from './exchange.ts'
import { RequestLog } from './request-log.ts'

export interface GatewayWorld {
  readonly logger: Logger
  readonly metrics: Metrics
  readonly now: () => number
}

/** The HTTP server: every request passes the same checks, then its route. */
export class Gateway {
  private config: GatewayConfig
  private readonly world: GatewayWorld
  private readonly server: Server
  private readonly upstreams = new Upstreams()
  private readonly exchanges = new Set<Exchange>()
  private readonly failureLimit: FailureLimit
  private isDraining = false
  private inFlight = 0

  constructor(config: GatewayConfig, world: GatewayWorld) {
    this.config = config
    this.world = world
    this.failureLimit = new FailureLimit(config.limits.authFailuresPerMinute, world.now)
    const { timeouts, limits } = config
    this.server = createServer(
      {
        headersTimeout: timeouts.clientHeaders,
        requestTimeout: timeouts.clientHeaders + timeouts.clientBody,
        keepAliveTimeout: timeouts.keepAlive,
        connectionsCheckingInterval: 1000,
        maxHeaderSize: limits.headerBytes,
      },
      (request, response) => this.handle(request, response),
    )
  }

  /** Starts listening; resolves to the address, which is news where the port was 0. */
  async listen(): Promise<string> {
    const { host, port } = this.config.listen
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject)
      this.server.listen(port, host, () => {
        this.server.off('error', reject)
        resolve()
      })
    })
    const name = host.includes(':') ? `[${host}]` : host
    return `http://${name}:${this.port}`
  }

  get port(): number {
    const address = this.server.address()
    return typeof address === 'object' && address !== null ? (address satisfies AddressInfo).port : 0
  }

  /** New requests follow the new configuration; those under way keep theirs. */
  reconfigure(config: GatewayConfig): void {
    this.config = config
  }

  /** Lets what runs come to its end, for as long as `timeouts.drain` allows. */
  async drain(): Promise<void> {
    this.isDraining = true
    const closed = new Promise<void>((resolve) => {
      this.server.close(() => resolve())
    })
    this.server.closeIdleConnections()
    const cut = setTimeout(() => {
      const failure: Failure = {
        kind: 'overloaded',
        code: 'gateway_shutdown',
        message: 'The gateway is shutting down.',
      }
      for (const exchange of this.exchanges) exchange.cut(failure)
      setTimeout(() => this.server.closeAllConnections(), 200)
    }, this.config.timeouts.drain)
    await closed
    clearTimeout(cut)
    await this.upstreams.close()
  }

  private handle(request: IncomingMessage, response: ServerResponse): void {
    const requestId = randomUUID()
    const dialect = dialectOf(request.url ?? '/')
    // Without a listener an error on either socket would end the process.
    request.on('error', () => {})
    response.on('error', () => {})
    const refuse = (rejection: Rejection): void => {
      sendFailure(response, dialect, rejection.failure, requestId, {
        status: rejection.status,
        headers: { ...rejection.headers, ...(this.isDraining ? { connection: 'close' } : {}) },
      })
      this.world.logger.info({ requestId, status: rejection.status, code: rejection.failure.code }, 'refused')
    }
    const policy = this.policy()
    const found = findRoute(request.method ?? '', request.url ?? '/')
    const rejection = checkCaller(request, policy) ?? rejectRoute(found)
    if (rejection !== null || found.is !== 'route') {
      refuse(rejection ?? notFound)
      return
    }
    const { route } = found
    const admitted = route.isOpen ? null : checkKey(request, policy)
    if (admitted !== null && 'failure' in admitted) {
      refuse(admitted)
      return
    }
    if (route.method === 'POST') {
      const content = checkContent(request) ?? this.checkRoom()
      if (content !== null) {
        refuse(content)
        return
      }
    }
    this.serve(route, request, response, requestId).catch((error: unknown) => {
      this.world.logger.error(
        { requestId, error: error instanceof Error ? error.stack : String(error) },
        'our own bug',
      )
      if (!response.headersSent) {
        refuse(reject(500, 'internal', 'internal_error', 'Something went wrong in the gateway.'))
      } else {
        response.destroy()
      }
    })
  }

  private async serve(
    route: Route,
    request: IncomingMessage,
    response: ServerResponse,
    requestId: string,
  ): Promise<void> {
    switch (route.name) {
      case 'health':
      case 'ready':
        sendJson(response, this.isDraining ? 503 : 200, { status: this.isDraining ? 'draining' : 'ok' })
        return
      case 'live':
        sendJson(response, 200, { status: 'ok' })
        return
      case 'metrics': {
        const { contentType, text } = await this.world.metrics.expose()
        response.writeHead(200, { 'content-type': contentType }).end(text)
        return
      }
      case 'models':
        sendJson(response, 200, listModels(this.config, request.headers['anthropic-version'] !== undefined))
        return
      case 'count-tokens': {
        const decoded = await readRequest(this.answerContext(route, request, response, requestId))
        if (decoded !== undefined) sendJson(response, 200, { input_tokens: estimateTokens(decoded) })
        return
      }
      case 'messages':
      case 'chat-completions':
        await answerRoute(this.answerContext(route, request, response, requestId))
    }
  }

  private answerContext(
    route: Route,
    request: IncomingMessage,
    response: ServerResponse,
    requestId: string,
  ): AnswerRouteContext {
    const { config, upstreams } = this
    const dialect = dialectOf(route.path)
    const log = new RequestLog(route.path, requestId, this.world)
    this.inFlight++
    response.once('close', () => {
      this.inFlight--
      log.done(response.writableFinished ? 'answered' : 'left')
    })
    return {
      request,
      response,
      dialect,
      config,
      upstreams,
      requestId,
      log,
      refuse: (failure, options) => {
        if (response.headersSent) {
          response.destroy()
          return
        }
        log.failed(failure)
        log.status = sendFailure(response, dialect, failure, requestId, options)
      },
      onExchange: (exchange) => {
        this.exchanges.add(exchange)
        response.once('close', () => this.exchanges.delete(exchange))
      },
    }
  }

  private checkRoom(): Rejection | null {
    const headers = { 'retry-after': '1' }
    if (this.isDraining)
      return reject(503, 'overloaded', 'gateway_shutdown', 'The gateway is shutting down.', headers)
    if (this.inFlight < this.config.limits.concurrent) return null
    return reject(503, 'overloaded', 'too_many_requests', 'Too many requests are under way.', headers)
  }

  private policy(): GatePolicy {
    const { listen, keys } = this.config
    return {
      isLoopback: isLoopbackHost(listen.host),
      port: this.port,
      allowedHosts: listen.allowedHosts,
      allowedOrigins: listen.allowedOrigins,
      keys,
      failureLimit: this.failureLimit,
    }
  }
}

const notFound = reject(404, 'not-found', 'unknown_route', 'There is no such route.')

function rejectRoute(found: ReturnType<typeof findRoute>): Rejection | null {
  if (found.is === 'unknown') return notFound
  if (found.is === 'route') return null
  const message = `This route takes ${found.allow}.`
  return reject(405, 'invalid-request', 'method_not_allowed', message, { allow: found.allow })
}
