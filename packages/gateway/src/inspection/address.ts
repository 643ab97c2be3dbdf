import type { AskedAt } from '@dragoman/core'

/** The path and the query of a request, as its client wrote them but for keys. */
export function addressOf({ path, query }: AskedAt): string {
  const parameters = new URLSearchParams(query).toString()
  return parameters === '' ? path : `${path}?${parameters}`
}
