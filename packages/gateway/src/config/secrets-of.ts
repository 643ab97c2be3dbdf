import type { GatewayConfig } from './config.ts'

/** The texts that no log, recording or error message may hold. */
export function secretsOf({ keys, upstreams, proxies, hidden }: GatewayConfig): string[] {
  const secrets: string[] = []
  for (const proxy of [proxies.http, proxies.https]) {
    const credentials = proxy?.authorization?.reveal()
    if (credentials !== undefined) secrets.push(...partsOf(credentials))
  }
  for (const { plain } of keys) if (plain !== undefined) secrets.push(plain.reveal())
  for (const value of hidden) secrets.push(value.reveal())
  if (upstreams === 'simulator') return secrets
  for (const { apiKey, headers } of upstreams.values()) {
    if (apiKey !== null) secrets.push(apiKey.reveal())
    for (const value of headers.values()) secrets.push(...partsOf(value.reveal()))
  }
  return secrets
}

/**
 * The value of a header, and what an upstream may quote of it: the key behind `Bearer`, or the password that a proxy was
 * given.
 */
function partsOf(value: string): string[] {
  const [, scheme = '', credentials] = /^(\S+)\s+(\S+)$/.exec(value) ?? []
  if (credentials === undefined) return [value]
  if (scheme.toLowerCase() !== 'basic') return [value, credentials]
  const plain = Buffer.from(credentials, 'base64').toString('utf8')
  return [value, credentials, plain, plain.slice(plain.indexOf(':') + 1)]
}
