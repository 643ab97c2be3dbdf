import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { ClientKey } from '../config/config.ts'

export type FoundKey = { readonly is: 'ours'; readonly name: string } | { readonly is: 'wrong' | 'missing' }

/** Whether a request carries a key, and which of ours it is. */
export function findKey(headers: IncomingHttpHeaders, keys: readonly ClientKey[]): FoundKey {
  const given = keysIn(headers)
  let found: string | null = null
  for (const text of given) {
    const digest = createHash('sha256').update(text).digest()
    // Every key is compared, whichever matches: the time taken must not tell how far one got.
    for (const key of keys) {
      if (timingSafeEqual(digest, Buffer.from(key.sha256, 'hex'))) found ??= key.name
    }
  }
  if (given.length === 0) return { is: 'missing' }
  return found === null ? { is: 'wrong' } : { is: 'ours', name: found }
}

/** A client may send both headers, one of them with a key for somebody else. */
function keysIn(headers: IncomingHttpHeaders): string[] {
  const bearer = /^Bearer\s+(\S+)\s*$/i.exec(headers.authorization ?? '')?.[1]
  const apiKey = headers['x-api-key']
  return [bearer, apiKey].filter((key): key is string => typeof key === 'string' && key !== '')
}
