import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { ask, clientDialects } from '../server/ask.ts'
import { startGateway, stopGateways } from '../server/running-gateway.ts'

const ends: (() => void)[] = []
afterEach(async () => {
  await stopGateways()
  for (const end of ends.splice(0)) end()
})

/** An upstream that says every few milliseconds that an answer will come. */
async function startEarlyHints(informational: string): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    const timer = setInterval(() => socket.write(informational), 20)
    socket
      .on('data', () => {})
      .on('error', () => {})
      .on('close', () => clearInterval(timer))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  ends.push(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/v1`
}

describe.each(clientDialects)('an upstream that never comes to its answer, for a client of %s', (dialect) => {
  it.each([
    'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n',
    'HTTP/1.1 102 Processing\r\n\r\n',
    'HTTP/1.1 100 Continue\r\n\r\n',
  ])('is given up in time, however often it says %j', async (informational) => {
    const upstream = await startEarlyHints(informational)
    const gateway = await startGateway({ upstream, settings: { timeouts: { headers: '400ms' } } })
    const started = performance.now()
    const { status } = await ask(gateway.address, dialect)
    expect([502, 504]).toContain(status)
    expect(performance.now() - started).toBeLessThan(3000)
  })
})
