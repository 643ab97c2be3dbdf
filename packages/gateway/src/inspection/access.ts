import { isLoopbackHost } from '../config/addresses.ts'
import type { ClientKey, GatewayConfig } from '../config/config.ts'

/** Who may look: nobody, everybody who reaches the address, or who has a key for it. */
export type InspectorAccess =
  | { readonly is: 'off'; readonly why: string }
  | { readonly is: 'open' }
  | { readonly is: 'keyed'; readonly keys: readonly ClientKey[] }

/**
 * A gateway with keys, or with names for others to call it by, serves more than one user, also where it listens on a loopback
 * address and something stands before it. All conversations are on the page, so a key of a client is not enough there.
 */
export function inspectorAccess({
  inspector,
  listen,
  keys,
}: Pick<GatewayConfig, 'inspector' | 'listen' | 'keys'>): InspectorAccess {
  const isLoopback = isLoopbackHost(listen.host)
  if (inspector.enabled === false) return { is: 'off', why: 'The inspector is off (inspector.enabled).' }
  if (!isLoopback && inspector.enabled === null) {
    return {
      is: 'off',
      why: 'The inspector is off on an address that others can reach, unless inspector.enabled is true.',
    }
  }
  if (isLoopback && keys.length === 0 && listen.allowedHosts.length === 0) return { is: 'open' }
  const own = keys.filter((key) => key.inspector === true)
  if (own.length > 0) return { is: 'keyed', keys: own }
  return {
    is: 'off',
    why: 'The inspector is off: where a gateway has keys or allowed hosts, one of its keys needs inspector: true.',
  }
}
