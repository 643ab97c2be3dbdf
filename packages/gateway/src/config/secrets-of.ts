import type { GatewayConfig } from './config.ts'

/** The texts that no log, recording or error message may hold. */
export function secretsOf({ keys, upstreams, proxies, accounting }: GatewayConfig): string[] {
  const secrets: string[] = []
  for (const proxy of [proxies.http, proxies.https]) {
    const credentials = proxy?.authorization?.reveal()
    if (credentials !== undefined) secrets.push(credentials.replace(/^Basic /, ''))
  }
  for (const { plain } of keys) if (plain !== undefined) secrets.push(plain.reveal())
  if (accounting?.store.is === 'redis') {
    const { password } = new URL(accounting.store.url.reveal())
    if (password !== '') secrets.push(password, decodeURIComponent(password))
  }
  if (upstreams === 'simulator') return secrets
  for (const { apiKey, headers } of upstreams.values()) {
    if (apiKey !== null) secrets.push(apiKey.reveal())
    for (const value of headers.values()) secrets.push(value.reveal())
  }
  return secrets
}
