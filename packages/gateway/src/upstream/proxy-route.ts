import { request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import { type buildConnector, errors } from 'undici'
import { withoutBrackets } from '../config/addresses.ts'
import type { ProxyServer } from '../config/proxies.ts'
import { allowedLookup, ForbiddenAddressError } from './allowed-lookup.ts'
import { connectWithin } from './punctual-connect.ts'

/** How an upstream is reached through a proxy. */
export interface ProxyRoute {
  readonly connect: buildConnector.connector
  /** Is put in front of each path. */
  readonly pathPrefix: string
  /** The headers that the proxy needs with each request. */
  readonly headers: Readonly<Record<string, string>>
}

export interface ProxyRouteOptions {
  readonly proxy: ProxyServer
  /** The origin of the upstream. */
  readonly origin: string
  readonly connectTimeout: number
  readonly lookup?: LookupFunction
}

/**
 * Behind a proxy, names of other machines are often unknown here. The check waits no longer than this to find out.
 */
const NAME_CHECK_MS = 1000

/**
 * Opens a tunnel for https. For http the proxy gets the whole address with each request, since most proxies open
 * tunnels to port 443 only.
 */
export function routeThroughProxy(options: ProxyRouteOptions): ProxyRoute {
  const { proxy, origin, connectTimeout, lookup = allowedLookup() } = options
  const checked = (connect: buildConnector.connector): buildConnector.connector => {
    return (target, callback) => {
      refuseForbidden(target.hostname, lookup, (error) => {
        if (error === null) connect(target, callback)
        else callback(error, null)
      })
    }
  }
  if (origin.startsWith('https:')) {
    return { connect: checked(tunnel({ proxy, connectTimeout, lookup })), pathPrefix: '', headers: {} }
  }
  const { protocol, hostname, host, port } = new URL(proxy.origin)
  const reach = connectWithin(connectTimeout, { lookup })
  const authorization = proxy.authorization?.reveal()
  return {
    connect: checked((target, callback) => {
      reach({ ...target, protocol, hostname: withoutBrackets(hostname), host, port }, callback)
    }),
    pathPrefix: origin,
    headers: authorization === undefined ? {} : { 'proxy-authorization': authorization },
  }
}

class ProxyRefusal extends Error {
  readonly code = 'PROXY_REFUSED'
}

interface TunnelOptions {
  readonly proxy: ProxyServer
  readonly connectTimeout: number
  readonly lookup: LookupFunction
}

function tunnel({ proxy, connectTimeout, lookup }: TunnelOptions): buildConnector.connector {
  return (target, callback) => {
    const end = performance.now() + connectTimeout
    openTunnel(
      proxy,
      `${target.hostname}:${target.port || '443'}`,
      connectTimeout,
      lookup,
      (error, socket) => {
        if (error !== null) {
          callback(error, null)
          return
        }
        const timeout = Math.max(1, end - performance.now())
        connectWithin(timeout)({ ...target, httpSocket: socket }, callback)
      },
    )
  }
}

function openTunnel(
  proxy: ProxyServer,
  authority: string,
  timeout: number,
  lookup: LookupFunction,
  done: (...outcome: [error: null, socket: Socket] | [error: Error, socket: null]) => void,
): void {
  const { protocol, hostname, port } = new URL(proxy.origin)
  const authorization = proxy.authorization?.reveal()
  const asking = (protocol === 'https:' ? requestSecure : requestPlain)({
    method: 'CONNECT',
    host: withoutBrackets(hostname),
    port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
    path: authority,
    headers: {
      host: authority,
      ...(authorization === undefined ? {} : { 'proxy-authorization': authorization }),
    },
    agent: false,
    lookup,
  })
  const timer = setTimeout(() => {
    asking.destroy(new errors.ConnectTimeoutError(`no connection through the proxy within ${timeout} ms`))
  }, timeout)
  asking
    .on('connect', ({ statusCode }, socket: Socket) => {
      clearTimeout(timer)
      if (statusCode === 200) {
        done(null, socket)
      } else {
        socket.destroy()
        done(new ProxyRefusal(`the proxy refused the connection with status ${statusCode}`), null)
      }
    })
    .on('error', (error) => {
      clearTimeout(timer)
      done(error, null)
    })
    .end()
}

/**
 * The proxy resolves the name, and it may reach addresses that we must not call. A name that resolves to such an
 * address here is refused. A name that does not resolve here is left to the proxy.
 */
function refuseForbidden(host: string, lookup: LookupFunction, done: (error: Error | null) => void): void {
  if (isIP(withoutBrackets(host)) !== 0) {
    done(null)
    return
  }
  let isDone = false
  const finish = (error: Error | null): void => {
    clearTimeout(timer)
    if (!isDone) done(error)
    isDone = true
  }
  const timer = setTimeout(() => finish(null), NAME_CHECK_MS)
  lookup(host, { all: true }, (error) => finish(error instanceof ForbiddenAddressError ? error : null))
}
