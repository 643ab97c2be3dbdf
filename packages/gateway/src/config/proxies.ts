import { BlockList, isIP } from 'node:net'
import { isLoopbackHost, withoutBrackets } from './addresses.ts'
import type { Environment } from './interpolate.ts'
import type { ConfigIssue } from './origin.ts'
import { variableSaid } from './overlays.ts'
import { Secret } from './secret.ts'

/** The proxies that upstreams are reached through, as the variables of the environment name them. */
export interface ProxyConfig {
  /** For upstreams with http addresses. */
  readonly http: ProxyServer | null
  readonly https: ProxyServer | null
  /** The entries of NO_PROXY, in lower case. */
  readonly except: readonly string[]
}

export interface ProxyServer {
  /** Without user and password. */
  readonly origin: string
  /** The value of the header that authorises us at the proxy. */
  readonly authorization: Secret | null
}

export function readProxies(env: Environment): { proxies: ProxyConfig; issues: readonly ConfigIssue[] } {
  const issues: ConfigIssue[] = []
  const read = (name: string): ProxyServer | null => {
    const given = said(env, name)
    if (given === undefined) return null
    const server = proxyServer(given.text)
    if (server === undefined) {
      issues.push({ origin: given.origin, path: '', message: 'must be the http or https address of a proxy' })
    }
    return server ?? null
  }
  const except = said(env, 'no_proxy')?.text ?? ''
  const proxies = {
    http: read('http_proxy'),
    https: read('https_proxy'),
    except: except
      .toLowerCase()
      .split(/[\s,]+/)
      .filter((entry) => entry !== ''),
  }
  return { proxies, issues }
}

/**
 * The proxy on the way to an upstream, or null where the upstream is called directly. An upstream on this machine
 * always is.
 */
export function proxyFor(origin: string, { http, https, except }: ProxyConfig): ProxyServer | null {
  const { protocol, hostname, port } = new URL(origin)
  if (isLoopbackHost(hostname)) return null
  const server = protocol === 'https:' ? https : http
  if (server === null) return null
  const host = withoutBrackets(hostname).replace(/\.$/, '')
  const usedPort = port === '' ? (protocol === 'https:' ? '443' : '80') : port
  return except.some((entry) => isExcepted(host, usedPort, entry)) ? null : server
}

/** Other programs read the variable in lower case first, and so do we. */
function said(env: Environment, name: string): ReturnType<typeof variableSaid> {
  return variableSaid(env, name) ?? variableSaid(env, name.toUpperCase())
}

function proxyServer(text: string): ProxyServer | undefined {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`
  if (!URL.canParse(address)) return undefined
  const { protocol, origin, username, password } = new URL(address)
  if (protocol !== 'http:' && protocol !== 'https:') return undefined
  if (username === '' && password === '') return { origin, authorization: null }
  const credentials = Buffer.from(`${unescaped(username)}:${unescaped(password)}`)
  return { origin, authorization: new Secret(`Basic ${credentials.toString('base64')}`) }
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * An entry is `*`, an address, a range of addresses, or a name that stands for all names under it too; a port may
 * follow.
 */
function isExcepted(host: string, port: string, entry: string): boolean {
  if (entry === '*') return true
  const [, bracketed, name, entryPort] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(entry) ?? []
  if (entryPort !== undefined && entryPort !== port) return false
  const wanted = bracketed ?? name ?? entry
  if (isIP(host) !== 0) return holdsAddress(wanted, host)
  const domain = wanted.replace(/^\*?\./, '')
  return domain !== '' && (host === domain || host.endsWith(`.${domain}`))
}

function holdsAddress(range: string, address: string): boolean {
  const [base = '', bits] = range.split('/')
  const version = isIP(base)
  if (version === 0 || version !== isIP(address)) return false
  const family = version === 6 ? 'ipv6' : 'ipv4'
  const length = Number(bits ?? (version === 6 ? 128 : 32))
  if (!Number.isInteger(length) || length < 0 || length > (version === 6 ? 128 : 32)) return false
  const list = new BlockList()
  list.addSubnet(base, length, family)
  return list.check(address, family)
}
