import { dialects, isDialectId } from '@dragoman/core'
import type { ClientDetails } from './api-types.ts'

/** How the request of a client can be sent once more. No key is kept, so a variable stands for it. */
export function clientDetails(dialect: string, path: string): ClientDetails {
  const headers = isDialectId(dialect) ? dialects[dialect].http.headers('$DRAGOMAN_API_KEY') : {}
  return { dialect, method: 'POST', path, headers }
}
