import { once } from 'node:events'
import { createServer, request as sendRequest } from 'node:http'
import { connect } from 'node:net'

export interface ScriptedProxy {
  readonly url: string
  /** What it was asked for: `CONNECT host:port`, or `POST http://…`. */
  readonly asked: readonly string[]
  /** The credentials that it was shown, one for each request. */
  readonly authorizations: readonly (string | undefined)[]
}

const stops: (() => void)[] = []

/** A proxy that leads every name to the same port of this machine. */
export async function startProxy(
  port: number,
  { refuses = false }: { refuses?: boolean } = {},
): Promise<ScriptedProxy> {
  const asked: string[] = []
  const authorizations: (string | undefined)[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    const { 'proxy-authorization': authorization, ...headers } = request.headers
    authorizations.push(authorization)
    const { pathname } = new URL(request.url ?? '')
    const options = { host: '127.0.0.1', port, method: request.method, path: pathname, headers }
    const passed = sendRequest(options, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    passed.on('error', () => response.destroy())
    request.pipe(passed)
  })
  server.on('connect', (request, client) => {
    asked.push(`CONNECT ${request.url}`)
    authorizations.push(request.headers['proxy-authorization'])
    client.on('error', () => {})
    if (refuses) {
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
      return
    }
    const upstream = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      upstream.pipe(client).pipe(upstream)
    })
    upstream.on('error', () => client.destroy())
    client.on('close', () => upstream.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  stops.push(() => {
    server.close()
    server.closeAllConnections()
  })
  const address = server.address()
  const own = typeof address === 'object' && address !== null ? address.port : 0
  return { url: `http://127.0.0.1:${own}`, asked, authorizations }
}

export function stopProxies(): void {
  for (const stop of stops.splice(0)) stop()
}
