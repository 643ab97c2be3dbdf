import { BlockList, isIP } from 'node:net'
import { type SettingTree, treeAt } from './setting-tree.ts'

/**
 * Whether an address is one that no upstream may have: unspecified, link-local, or the metadata service of a cloud,
 * also where an IPv6 address wraps an IPv4 one. A name can be pointed at such an address after it was checked, so
 * every address that a name resolves to has to be checked too.
 */
export function isForbiddenAddress(address: string): boolean {
  const bare = withoutBrackets(address)
  switch (isIP(bare)) {
    case 4:
      return forbidden4.check(bare, 'ipv4')
    case 6:
      return forbidden6.check(bare, 'ipv6')
    default:
      return false
  }
}

/** Whether only programs on this machine can reach a server that listens here. */
export function isLoopbackHost(host: string): boolean {
  const bare = withoutBrackets(host.toLowerCase())
  const version = isIP(bare)
  if (version === 0) return bare === 'localhost'
  return loopback.check(bare, version === 6 ? 'ipv6' : 'ipv4')
}

export function withoutBrackets(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host
}

const forbidden4 = new BlockList()
forbidden4.addSubnet('0.0.0.0', 8, 'ipv4')
forbidden4.addSubnet('169.254.0.0', 16, 'ipv4')
// The metadata services of clouds that do not use a link-local address: Alibaba, Oracle, Azure.
for (const address of ['100.100.100.200', '192.0.0.192', '168.63.129.16']) {
  forbidden4.addAddress(address, 'ipv4')
}

// IPv6 needs a list of its own: in a list with both, the wrapped addresses would match all of IPv4.
const forbidden6 = new BlockList()
forbidden6.addAddress('::', 'ipv6')
forbidden6.addSubnet('fe80::', 10, 'ipv6')
forbidden6.addSubnet('fd00:ec2::', 32, 'ipv6')
// The metadata service of Google Cloud.
forbidden6.addSubnet('fd20:ce::', 32, 'ipv6')
forbidden6.addSubnet('::ffff:0:0', 96, 'ipv6')
forbidden6.addSubnet('64:ff9b::a9fe:0', 112, 'ipv6')
forbidden6.addAddress('64:ff9b::6464:64c8', 'ipv6')
forbidden6.addAddress('64:ff9b::c000:c0', 'ipv6')
forbidden6.addAddress('64:ff9b::a83f:8110', 'ipv6')

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Whether an address is the one that the gateway itself will listen on. */
export function isOwnAddress(url: string, settings: SettingTree): boolean {
  if (!URL.canParse(url)) return false
  const { hostname, port, protocol } = new URL(url)
  return protocol === 'http:' && isLoopbackHost(hostname) && Number(port || 80) === portOf(settings)
}

function portOf(settings: SettingTree): number {
  const port = treeAt(settings, ['listen', 'port'])
  return port?.kind === 'value' && typeof port.value === 'number' ? port.value : defaultPort
}

export const defaultPort = 12_377
