import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { completion } from '../server/scripted-upstream.ts'

const sockets = new Set<Socket>()

/** Answers one request on each connection, and breaks it at the next: a way in between that forgets the idle ones. */
export async function startForgetful(): Promise<string> {
  const body = JSON.stringify(completion('Hi.'))
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: keep-alive\r\n'
  const server = createServer((socket) => {
    sockets.add(socket)
    let hasAnswered = false
    socket.on('error', () => {})
    socket.on('data', () => {
      if (hasAnswered) socket.resetAndDestroy()
      else socket.write(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
      hasAnswered = true
    })
  })
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/v1`
}

export function stopForgetful(): void {
  for (const socket of sockets) socket.destroy()
  sockets.clear()
}
