/** Which names a request may use for this server. */
export interface HostPolicy {
  readonly isLoopback: boolean
  readonly port: number
  /** Further names, exact, without port. */
  readonly allowedHosts: readonly string[]
}

const loopbackNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * A web page can point a name of its own at 127.0.0.1 and then speak to us as if it were ours (DNS
 * rebinding); the Host header still tells the name. Without this check any page could spend the keys.
 */
export function isAllowedHost(host: string, policy: HostPolicy): boolean {
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
