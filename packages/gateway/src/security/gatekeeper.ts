import type { IncomingMessage } from 'node:http'
import { createHash, timingSafeEqual } from 'node:crypto'
import { type DialectId, dialectIds, dialects } from '@dragoman/core'
import { type Refusal, refusal } from '../base/refusal.ts'
import type { ClientKey } from '../config/config.ts'
import type { Received } from './client-address.ts'
import type { FailureLimit } from './failure-limit.ts'

export interface GatePolicy extends CallerPolicy {
  readonly keys: readonly ClientKey[]
  readonly failureLimit: FailureLimit
  readonly authFailuresPerMinute: number
  /** Where a request comes from, as far as that can be trusted. */
  readonly addressOf: (request: Received) => string
}

/** Where a request may come from. */
export interface CallerPolicy {
  readonly isLoopback: boolean
  readonly port: number
  /**
   * The names that a request may use for this server beside those of the loopback. They are exact and have no port.
   */
  readonly allowedHosts: readonly string[]
  readonly allowedOrigins: readonly string[]
}

export interface Admitted {
  /** The name of the key, or null where no key is needed. */
  readonly keyName: string | null
}

/**
 * The checks that every caller has to pass on every route, before the body is read. `hosts`: a probe calls this machine by
 * an address that nobody has listed, and is told nothing but that it lives.
 */
export function checkCaller(
  request: Caller,
  policy: CallerPolicy,
  hosts: 'listed' | 'any' = 'listed',
): Refusal | null {
  return checkHost(request, policy, hosts) ?? checkPage(request, policy)
}

function checkHost(request: Caller, policy: CallerPolicy, hosts: 'listed' | 'any'): Refusal | null {
  const host = request.headers.host ?? ''
  const count = countHosts(request.rawHeaders)
  if (hosts === 'any' && count <= 1) return null
  if (host === '' || count !== 1) {
    return refusal(400, 'invalid-request', 'bad_host', 'A request needs exactly one Host header.')
  }
  if (!isAllowedHost(host, policy)) {
    return refusal(403, 'permission', 'host_not_allowed', 'This Host is not allowed (listen.allowedHosts).')
  }
  return null
}

function checkPage(request: Caller, policy: CallerPolicy): Refusal | null {
  const { origin } = request.headers
  if (origin !== undefined && !policy.allowedOrigins.includes(origin)) {
    return refusal(
      403,
      'permission',
      'origin_not_allowed',
      'Requests from web pages are not allowed (listen.allowedOrigins).',
    )
  }
  // Browsers call requests of an allowed origin `cross-site` too; the list allows those.
  if (origin === undefined && request.headers['sec-fetch-site'] === 'cross-site') {
    return refusal(403, 'permission', 'cross_site', 'Requests from other sites are not allowed.')
  }
  return null
}

/**
 * The same for the inspector, which is for its own page alone: no other origin may call it, whatever the configuration
 * allows elsewhere, nor a page on another port of this machine. `wants`: the page itself holds no conversation, so a link on
 * another site may open it, as people send each other what is in the workbench.
 */
export function checkPageCaller(
  request: IncomingMessage,
  policy: CallerPolicy,
  wants: 'page' | 'data',
): Refusal | null {
  const { origin, host = '' } = request.headers
  if (wants === 'page' && isFollowedLink(request)) return checkHost(request, policy, 'listed')
  const isOwn = origin === undefined || isSameHost(origin, host)
  const refused = checkCaller(isOwn ? withoutOrigin(request) : request, { ...policy, allowedOrigins: [] })
  if (refused !== null) return refused
  return request.headers['sec-fetch-site'] === 'same-site'
    ? refusal(403, 'permission', 'cross_site', 'Requests from other sites are not allowed.')
    : null
}

/** Whether a browser opens an address in a window of its own. A script may cause that, but is shown nothing of the window. */
function isFollowedLink({ method, headers }: IncomingMessage): boolean {
  return (
    method === 'GET' &&
    headers.origin === undefined &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document'
  )
}

type Caller = Pick<IncomingMessage, 'headers' | 'rawHeaders'>

function withoutOrigin({ headers, rawHeaders }: Caller): Caller {
  const { origin: _origin, ...rest } = headers
  return { headers: rest, rawHeaders }
}

/** A proxy before us may speak https, so that only the name and the port are compared. */
function isSameHost(origin: string, host: string): boolean {
  return URL.canParse(origin) && new URL(origin).host === host.toLowerCase()
}

/** Node shows the first of several Host headers, while a proxy before us may have checked the last. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() === 'host') count++
  }
  return count
}

/** Whether the caller has a key, where keys are configured. `dialect` is the one in which the request is answered. */
export function checkKey(
  request: IncomingMessage,
  dialect: DialectId,
  policy: GatePolicy,
): Refusal | Admitted {
  if (policy.keys.length === 0) return { keyName: null }
  const found = findKey(keysIn(request, dialect), policy.keys)
  if (found.is === 'ours') return { keyName: found.name }
  // A caller without a key is not guessing.
  if (found.is === 'wrong') {
    const address = policy.addressOf(request)
    // Who has a right key is let in whatever others behind the same address have tried.
    if (policy.failureLimit.isBlocked(address, policy.authFailuresPerMinute)) {
      const headers = { 'retry-after': '60' }
      return refusal(
        429,
        'rate-limit',
        'too_many_failures',
        'Too many wrong keys from this address.',
        headers,
      )
    }
    policy.failureLimit.fail(address)
  }
  return refusal(401, 'authentication', 'invalid_api_key', 'A valid API key is needed.')
}

/**
 * A web page can send any content type but JSON to another site without a preflight, so nothing but JSON is accepted.
 */
export function checkContent(request: IncomingMessage): Refusal | null {
  const type = (request.headers['content-type'] ?? '').toLowerCase()
  if (type !== 'application/json' && !isJsonInUtf8(type)) {
    return refusal(
      415,
      'invalid-request',
      'unsupported_media_type',
      'The content type must be application/json.',
    )
  }
  if (request.headers['content-encoding'] !== undefined) {
    return refusal(
      415,
      'invalid-request',
      'unsupported_encoding',
      'Compressed request bodies are not accepted.',
    )
  }
  return null
}

function isJsonInUtf8(type: string): boolean {
  const [media, ...parameters] = type.split(';').map((part) => part.trim())
  const isUtf8 = parameters.every((parameter) => /^(?:charset=(?:utf-8|"utf-8"))?$/.test(parameter))
  return media === 'application/json' && isUtf8
}

const loopbackNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * A web page can point a name of its own at 127.0.0.1 and then reach this server as if it were its own (DNS
 * rebinding). The Host header still holds that name. Without this check any page could spend the keys.
 */
function isAllowedHost(host: string, policy: CallerPolicy): boolean {
  const { name, port } = splitHost(host.toLowerCase())
  if (policy.allowedHosts.includes(name)) return true
  return policy.isLoopback && loopbackNames.has(name) && (port === '' || port === String(policy.port))
}

function splitHost(host: string): { name: string; port: string } {
  const end = host.startsWith('[') ? host.indexOf(']') + 1 : host.indexOf(':')
  if (end <= 0) return { name: host, port: '' }
  const rest = host.slice(end)
  return { name: host.slice(0, end), port: rest.startsWith(':') ? rest.slice(1) : rest }
}

type FoundKey = { readonly is: 'ours'; readonly name: string } | { readonly is: 'wrong' | 'missing' }

/** Finds which of our keys a request carries, if any. */
function findKey(given: readonly string[], keys: readonly ClientKey[]): FoundKey {
  let found: string | null = null
  for (const text of given) {
    const digest = createHash('sha256').update(text).digest()
    // Every key is compared, even after one has matched: the time that it takes must not tell how many were tried.
    for (const key of keys) {
      if (timingSafeEqual(digest, Buffer.from(key.sha256, 'hex'))) found ??= key.name
    }
  }
  if (given.length === 0) return { is: 'missing' }
  return found === null ? { is: 'wrong' } : { is: 'ours', name: found }
}

/**
 * A client may show several keys, and some of them may be for somebody else. Addresses are kept in the logs of whatever
 * stands between: a key in one counts only where the dialect has it there.
 */
function keysIn({ headers, url = '' }: IncomingMessage, dialect: DialectId): string[] {
  const bearer = /^Bearer\s+(\S+)\s*$/i.exec(headers.authorization ?? '')?.[1]
  const named = keyHeaders.map((name) => headers[name])
  const query = url.indexOf('?')
  const parameters = query === -1 ? null : new URLSearchParams(url.slice(query))
  const shown = dialects[dialect].http.keyParameters.map((name) => parameters?.get(name))
  return [bearer, ...named, ...shown].filter((key): key is string => typeof key === 'string' && key !== '')
}

const keyHeaders = [...new Set(dialectIds.flatMap((id) => dialects[id].http.keyHeaders))]
