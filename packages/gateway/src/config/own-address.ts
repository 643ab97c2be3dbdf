import { isLoopbackHost } from './addresses.ts'
import { treeAt, type SettingTree } from './setting-tree.ts'

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
