import { isIP } from 'node:net'
import { type DialectId, dialectIds, dialects } from '@dragoman/core'
import { isForbiddenAddress } from './addresses.ts'

/** Describes what is wrong with the address of an upstream, or returns undefined. */
export function upstreamUrlFault(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  // Without slashes the parser would take "localhost:8000" for a scheme, and "http:host" for a host.
  if (url === undefined || !/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) {
    const meant = withScheme(text)
    return meant === undefined
      ? 'must be an address such as https://openrouter.ai/api/v1'
      : `must begin with http:// or https://: write ${meant}`
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must begin with http:// or https://'
  if (url.username !== '' || url.password !== '') {
    return 'must not hold a user name or password; use apiKey or headers'
  }
  if (url.search !== '' || url.hash !== '' || /[?#]/.test(text)) return 'must not hold a query or a fragment'
  if (isForbiddenAddress(url.hostname)) return 'is a link-local, unspecified or otherwise refused address'
  if (metadataNames.has(url.hostname.replace(/\.$/, ''))) return 'is the metadata service of a cloud'
  const route = answerRoutes.map((end) => end.exec(url.pathname)?.[0]).find((found) => found !== undefined)
  return route === undefined ? undefined : `must be the base address, without ${route}`
}

/** What every dialect appends to the base address. */
const answerRoutes: readonly RegExp[] = dialectIds.flatMap((id) =>
  [false, true].map((stream) => {
    const [path = ''] = dialects[id].http.upstreamPath('', 'MODEL', stream).split('?', 1)
    return new RegExp(`${path.replaceAll('.', '\\.').replace('MODEL', '.+')}/?$`, 's')
  }),
)

/** The whole address that a host without a scheme stands for: a server with a port of its own is mostly one near by. */
function withScheme(text: string): string | undefined {
  const [, host, port, path] =
    /^((?:[\w-]+\.)+[\w-]+|localhost|\[[\da-f:.]+\])(:\d+)?(\/[^?#@]*)?$/i.exec(text) ?? []
  if (host === undefined) return undefined
  const isNear = port !== undefined || host === 'localhost' || host.startsWith('[') || isIP(host) !== 0
  return withVersionPath(`${isNear ? 'http' : 'https'}://${host}${port ?? ''}${path ?? ''}`)
}

/**
 * The address in the form to which dialects append their route. The text must be without fault. A dialect whose models
 * stand at a path of its own stands there whole: people leave the version out, or write the path of the models.
 */
export function upstreamBase(text: string, dialect: DialectId): string {
  const url = new URL(text)
  const { modelsPath } = dialects[dialect].http
  const base = url.href.replace(/\/+$/, '')
  if (modelsPath === undefined) return base
  return url.pathname === '/' ? base + modelsPath.replace(/\/models$/, '') : base.replace(/\/models$/, '')
}

/** Adds /v1 where the path is empty: servers that speak OpenAI's dialect answer under it, and people leave it out. */
export function withVersionPath(text: string): string {
  if (upstreamUrlFault(text) !== undefined) return text
  const url = new URL(text)
  return url.pathname === '/' ? new URL('/v1', url).href : text
}

/** Whether a key for OpenRouter may be sent to this address: it must be OpenRouter, and the connection encrypted. */
export function isOpenRouter(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  return protocol === 'https:' && /(?:^|\.)openrouter\.ai$/.test(hostname)
}

const metadataNames: ReadonlySet<string> = new Set(['metadata.google.internal', 'metadata.goog', 'metadata'])
