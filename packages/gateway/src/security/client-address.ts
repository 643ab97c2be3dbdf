import type { IncomingHttpHeaders } from 'node:http'
import { BlockList, isIP } from 'node:net'

/** What of a request tells where it comes from. */
export interface Received {
  readonly socket: { readonly remoteAddress?: string | undefined }
  readonly headers: IncomingHttpHeaders
}

/**
 * Where requests come from, for counting what one caller does. Anybody can write an `X-Forwarded-For`, so it is read only
 * where a trusted proxy has sent the request, and only as far as trusted proxies have written it: from its end.
 */
export function clientAddress(trustedProxies: readonly string[]): (request: Received) => string {
  const isTrusted = inNetworks(trustedProxies)
  return ({ socket, headers }) => {
    let address = plainAddress(socket.remoteAddress ?? '')
    if (trustedProxies.length === 0) return countedAs(address)
    const forwarded = headers['x-forwarded-for'] ?? ''
    const told = (typeof forwarded === 'string' ? forwarded : forwarded.join(',')).split(',')
    while (isTrusted(address)) {
      const before = plainAddress(told.pop()?.trim() ?? '')
      if (isIP(before) === 0) break
      address = before
    }
    return countedAs(address)
  }
}

function inNetworks(networks: readonly string[]): (address: string) => boolean {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() }
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) lists[family].addAddress(address, family)
    else lists[family].addSubnet(address, Number(bits), family)
  }
  return (address) => {
    const version = isIP(address)
    if (version === 0) return false
    return version === 6 ? lists.ipv6.check(address, 'ipv6') : lists.ipv4.check(address, 'ipv4')
  }
}

/** Sockets that listen for both kinds of address show an IPv4 one inside an IPv6 one. */
function plainAddress(address: string): string {
  const bare = address.replace(/%.*$/, '')
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1] ?? bare
}

/** Whoever has one IPv6 address has all of its /64: they count as one. */
function countedAs(address: string): string {
  if (isIP(address) !== 6) return address
  const [head = '', tail] = address.toLowerCase().split('::')
  const groups = head === '' ? [] : head.split(':')
  if (tail !== undefined) {
    const behind = tail === '' ? [] : tail.split(':')
    while (groups.length + behind.length < 8) groups.push('0')
    groups.push(...behind)
  }
  const network = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16))
  return `${network.join(':')}::/64`
}
