import type { IncomingHttpHeaders } from 'node:http'
import {
  type AskedAt,
  defaultDialect,
  type DialectId,
  dialectIds,
  dialects,
  type HttpDialect,
  type RoutePattern,
} from '@dragoman/core'
import { inspectorRoot } from '../inspection/inspector-server.ts'

/** A route of the gateway, as data that the server, the checks and the tests share. */
export type HttpRoute = (RoutePattern | OwnRoute) & {
  /** Whether the route answers without a key even where keys are configured. */
  readonly isOpen: boolean
  /** The dialect that the route belongs to; left out where clients of each share it. */
  readonly dialect?: DialectId
}

/** A route that belongs to no dialect. */
interface OwnRoute {
  readonly method: 'GET'
  /** A path may end in `{id}`, which stands for any text, slashes included: names of models have them. */
  readonly path: string
  readonly serves:
    | 'models'
    | 'health'
    | 'live'
    | 'ready'
    | 'metrics'
    | 'status'
    | 'usage'
    | 'hello'
    | 'inspector'
}

/**
 * The inspector with all that lies below it. It is for a page of its own and not for clients: it has its own methods, checks
 * and errors, so it is none of the routes below.
 */
const inspectorRoute: HttpRoute = {
  serves: 'inspector',
  method: 'GET',
  path: inspectorRoot,
  isOpen: true,
}

const modelPaths = ['/v1/models', ...dialectIds.flatMap((id) => dialects[id].http.modelsPath ?? [])]

export const routes: readonly HttpRoute[] = [
  ...dialectIds.flatMap((id) => dialects[id].http.routes.map((route) => dialectRoute(id, route))),
  ...modelPaths.flatMap((path): HttpRoute[] => [
    { serves: 'models', method: 'GET', path, isOpen: false },
    { serves: 'models', method: 'GET', path: `${path}/{id}`, isOpen: false },
  ]),
  { serves: 'health', method: 'GET', path: '/health', isOpen: true },
  { serves: 'live', method: 'GET', path: '/health/live', isOpen: true },
  { serves: 'ready', method: 'GET', path: '/health/ready', isOpen: true },
  { serves: 'metrics', method: 'GET', path: '/metrics', isOpen: false },
  { serves: 'status', method: 'GET', path: '/status', isOpen: false },
  { serves: 'usage', method: 'GET', path: '/usage', isOpen: false },
  // Claude Code asks by it whether there is a server. Without an answer, each of its starts would be a warning in the log.
  { serves: 'hello', method: 'GET', path: '/api/hello', isOpen: true },
]

function dialectRoute(dialect: DialectId, route: RoutePattern): HttpRoute {
  return { ...route, isOpen: false, dialect }
}

/** Whether machines ask here if the gateway lives. They call it by whatever address they have. */
export function isProbed({ serves }: HttpRoute): boolean {
  return serves === 'health' || serves === 'live' || serves === 'ready'
}

export type RouteMatch =
  | { readonly is: 'route'; readonly route: HttpRoute }
  | { readonly is: 'wrong-method'; readonly route: HttpRoute; readonly allow: string }
  | { readonly is: 'unknown' }

/**
 * Finds the route of a request. The base address of some clients ends in `/v1` and that of others does not, so both
 * spellings work.
 */
export function findRoute(method: string, url: string, headers: IncomingHttpHeaders = {}): RouteMatch {
  const path = pathIn(url)
  if (path === inspectorRoot || path.startsWith(`${inspectorRoot}/`))
    return { is: 'route', route: inspectorRoute }
  const isWebSocket = headers.upgrade?.toLowerCase() === 'websocket'
  const known = routesAt(path).filter((route) => isWebSocket || !isForWebSockets(route))
  const [first] = known
  if (first === undefined) return { is: 'unknown' }
  const route = known.find((each) => each.method === method || (method === 'HEAD' && each.method === 'GET'))
  if (route !== undefined) return { is: 'route', route }
  const methods = known.flatMap((each) => (each.method === 'GET' ? ['GET', 'HEAD'] : [each.method]))
  return { is: 'wrong-method', route: first, allow: methods.join(', ') }
}

function isForWebSockets(route: HttpRoute): boolean {
  return route.serves === 'refusal' && route.only === 'web-sockets'
}

/**
 * A model or a response could be called what a method is called, but none is: the address of a method is that alone.
 */
function routesAt(path: string): readonly HttpRoute[] {
  const methods = methodsAt.get(path)
  if (methods !== undefined) return methods
  const known = routes.filter((route) => isReached(path, route))
  const own = known.filter(({ dialect }) => dialect !== undefined)
  const nearest = own.length === 0 ? known : own
  const exact = nearest.filter((route) => !patterns.has(route))
  return exact.length === 0 ? nearest : exact
}

function isReached(path: string, route: HttpRoute): boolean {
  return isAt(path, route) || isAt(`/v1${path}`, route)
}

/** The dialect in which a request is answered, also where no such route exists. */
export function dialectOf(url: string, headers: IncomingHttpHeaders): DialectId {
  const path = pathIn(url)
  return (
    methodsAt.get(path)?.[0]?.dialect ??
    routes.find((route) => route.dialect !== undefined && isReached(path, route))?.dialect ??
    dialectIds.find((id) => isOwn(path, dialects[id].http)) ??
    dialectIds.find((id) => hasHeader(headers, dialects[id].http.clientHeader)) ??
    dialectIds.find((id) => hasParameter(url, dialects[id].http.clientParameter)) ??
    defaultDialect
  )
}

/** What the address of a request says. Keys may stand there too, and are nobody's business. */
export function askedAt(url: string): AskedAt {
  const path = pathIn(url)
  if (path.length === url.length) return { path, query: {} }
  const query = new URLSearchParams(url.slice(path.length))
  return {
    path,
    query: Object.fromEntries([...query].filter(([name]) => !keyParameters.has(name))),
  }
}

const keyParameters = new Set(dialectIds.flatMap((id) => dialects[id].http.keyParameters))

/** The model that `/v1/models/{id}` asks for, or undefined where the request is for all models. */
export function modelNamedIn(url: string): string | undefined {
  const path = pathIn(url)
  const below = ['/models', ...modelPaths].find((each) => path.startsWith(`${each}/`))
  const name = below === undefined ? '' : path.slice(below.length + 1)
  if (name === '') return undefined
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

function pathIn(url: string): string {
  const end = url.indexOf('?')
  return end === -1 ? url : url.slice(0, end)
}

function isBelow(path: string, root: string): boolean {
  return [path, `/v1${path}`].some((each) => each === root || each.startsWith(`${root}/`))
}

function isOwn(path: string, http: HttpDialect): boolean {
  return isBelow(path, http.root) || http.isOwnPath?.(path) === true
}

function hasHeader(headers: IncomingHttpHeaders, name: string | null): boolean {
  return name !== null && headers[name] !== undefined
}

function hasParameter(url: string, name: string | undefined): boolean {
  return (
    name !== undefined && url.includes('?') && new URLSearchParams(url.slice(pathIn(url).length)).has(name)
  )
}

function isAt(path: string, route: HttpRoute): boolean {
  const pattern = patterns.get(route)
  return pattern === undefined ? path === route.path : pattern.test(path)
}

/** The routes in whose path a part stands for any text. */
const patterns: ReadonlyMap<HttpRoute, RegExp> = new Map(
  routes.flatMap((route) => {
    const parts = route.path.split(/\{\w+\}/).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    return parts.length === 1 ? [] : [[route, new RegExp(`^${parts.join('.+')}$`, 's')] as const]
  }),
)

/**
 * The routes of dialects by their paths, in both spellings, where no part of the path stands for any text. Nearly all requests
 * ask for one of them, and need not be compared with every route.
 */
const methodsAt: ReadonlyMap<string, readonly HttpRoute[]> = indexed(
  routes.filter((route) => route.dialect !== undefined && !patterns.has(route)),
)

function indexed(methods: readonly HttpRoute[]): Map<string, HttpRoute[]> {
  const paths = new Set(methods.flatMap(({ path }) => [path, path.replace(/^\/v1(?=\/)/, '')]))
  return new Map([...paths].map((path) => [path, methods.filter((route) => isReached(path, route))]))
}
