import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { isForbiddenAddress } from '../config/addresses.ts'

/** A name resolves to an address that no upstream may have. */
export class ForbiddenAddressError extends Error {
  readonly code = 'FORBIDDEN_ADDRESS'
}

/**
 * Resolves names, and refuses addresses that no upstream may have: a name that was harmless when the configuration
 * was read can be pointed at the metadata service of a cloud later.
 */
export function allowedLookup(resolve: LookupFunction = lookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, options, (error, address, family) => {
      const found = typeof address === 'string' ? [address] : address?.map((each) => each.address)
      if (error === null && found.some(isForbiddenAddress)) {
        const message = `${hostname} is a link-local, unspecified or otherwise refused address`
        callback(new ForbiddenAddressError(message), '', 4)
      } else {
        callback(error, address, family)
      }
    })
  }
}
