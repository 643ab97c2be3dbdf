import { once } from 'node:events'
import { createServer } from 'node:http'

export interface ScriptedAnswer {
  readonly status?: number
  readonly type?: string
  /** What is sent, piece by piece, in turns of the event loop of their own. */
  readonly pieces: readonly string[]
  /** Breaks the connection off behind the last piece. */
  readonly isCut?: boolean
}

export interface ScriptedUpstream {
  readonly url: string
  /** The bodies that came, oldest first. */
  readonly requests: readonly string[]
  close(): Promise<void>
}

/** A server that answers every request with the same bytes. */
export async function scriptedUpstream(answer: ScriptedAnswer): Promise<ScriptedUpstream> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => (body += text))
    request.on('end', () => {
      requests.push(body)
      response.writeHead(answer.status ?? 200, { 'content-type': answer.type ?? 'text/event-stream' })
      response.flushHeaders()
      const [...pieces] = answer.pieces
      const send = (): void => {
        const piece = pieces.shift()
        if (piece !== undefined) {
          response.write(piece)
          setTimeout(send, 5)
        } else if (answer.isCut === true) {
          response.destroy()
        } else {
          response.end()
        }
      }
      send()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
