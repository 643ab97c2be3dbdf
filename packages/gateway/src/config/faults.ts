import { isIP } from 'node:net'
import { withoutBrackets } from './addresses.ts'

// Each of these functions describes what is wrong with a text, or returns undefined.

export function hostFault(host: string): string | undefined {
  const bare = withoutBrackets(host)
  return isIP(bare) !== 0 || isHostName(bare) ? undefined : 'must be an address or a host name, without port'
}

export function hostNameFault(host: string): string | undefined {
  if (host.includes('*')) return 'must be an exact name; patterns are not allowed'
  const isAddress = isIP(host) === 4 || (host.startsWith('[') && isIP(withoutBrackets(host)) === 6)
  return isAddress || isHostName(host) ? undefined : 'must be a host name without port'
}

/** An address, or a network such as 10.0.0.0/8. */
export function networkFault(network: string): string | undefined {
  const [address = '', bits, ...rest] = network.split('/')
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1
  const isLength = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most)
  return most > 0 && isLength && rest.length === 0
    ? undefined
    : 'must be an address, or a network such as 10.0.0.0/8'
}

export function originFault(origin: string): string | undefined {
  if (origin.includes('*')) return 'must be an exact origin; patterns are not allowed'
  const isExact = URL.canParse(origin) && new URL(origin).origin === origin
  return isExact ? undefined : 'must be an origin such as https://app.example, without path'
}

export function clientKeyFault(digest: string): string | undefined {
  if (!/^[0-9a-f]{64}$/i.test(digest)) return 'must be 64 hexadecimal digits: the SHA-256 of the key'
  return digest.toLowerCase() === digestOfNothing ? 'is the SHA-256 of an empty key' : undefined
}

export function upstreamNameFault(name: string): string | undefined {
  if (name === 'simulator') return 'is the name of the built-in simulator'
  return /^[A-Za-z0-9][\w.-]*$/.test(name) ? undefined : 'must be of letters, digits, ".", "_" and "-"'
}

/** Fields of a request body that the gateway sets itself; a configured value would break its requests. */
export function gatewayField(field: string): string | undefined {
  return gatewayFields.has(field) ? 'is set by the gateway itself' : undefined
}

const gatewayFields: ReadonlySet<string> = new Set(['model', 'messages', 'stream', 'tools'])

/** What `printf "$KEY" | sha256sum` gives where the variable is not set. */
const digestOfNothing = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

function isHostName(name: string): boolean {
  return (
    name.length <= 253 &&
    /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*$/i.test(name)
  )
}
