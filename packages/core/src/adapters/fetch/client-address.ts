import type { AskedAt } from '../../dialects/dialect.ts'
import { dialectIds, dialects, type DialectId } from '../../dialects/index.ts'

/** Where an SDK sends a request for an answer: in which dialect it asks, and what the address says of it. */
export interface ClientAddress {
  readonly dialect: DialectId
  readonly asked: AskedAt
  /** The address without the end that the dialect adds. */
  readonly base: string
}

/** Null for an address at which nobody is asked for an answer. */
export function clientAddress(address: string): ClientAddress | null {
  const bare = address.replace(/[?#].*$/s, '')
  for (const { dialect, end } of ends) {
    const found = end.exec(bare)
    if (found === null) continue
    const query = /\?([^#]*)/s.exec(address)?.[1] ?? ''
    return {
      dialect,
      asked: { path: found[0], query: Object.fromEntries(new URLSearchParams(query)) },
      base: bare.slice(0, found.index),
    }
  }
  return null
}

/** The end of the addresses of each dialect. The first slash is the one with which it begins. */
const ends: readonly { readonly dialect: DialectId; readonly end: RegExp }[] = dialectIds.flatMap((dialect) =>
  [false, true].map((stream) => {
    const [path = ''] = dialects[dialect].http.upstreamPath('', 'MODEL', stream).split('?', 1)
    const pattern = path.replaceAll('.', '\\.').replace('MODEL', '.+')
    return { dialect, end: new RegExp(`${pattern}$`, 's') }
  }),
)
