import { randomUUID } from 'node:crypto'
import { request as httpRequest, type Server } from 'node:http'
import { duplexPair } from 'node:stream'
import type { RepeatableRequest } from '../inspection/exchange-source.ts'

/**
 * Sends a request through the gateway as if a client had, over a connection inside this process: it meets the configuration
 * of now, is logged, counted and shown. `own` tells the gateway by the connection that the inspector asks, which was let in
 * before. Returns the id of the request at once; nobody reads the answer but those who look.
 */
export function askAgain(
  server: Server,
  { path, body }: RepeatableRequest,
  own: WeakMap<object, string>,
): string {
  const [near, far] = duplexPair()
  const id = randomUUID()
  own.set(far, id)
  server.emit('connection', far)
  const asking = httpRequest({
    createConnection: () => near,
    method: 'POST',
    path,
    headers: {
      host: 'inspector',
      connection: 'close',
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': 'dragoman-inspector',
    },
  })
  asking.on('response', (response) => response.on('error', () => {}).resume())
  asking.on('error', () => {})
  asking.end(body)
  return id
}
