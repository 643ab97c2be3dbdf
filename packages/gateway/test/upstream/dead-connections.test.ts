import { createServer, type Socket } from 'node:net'
import { once } from 'node:events'
import { afterEach, describe, expect, it } from 'vitest'
import { ask, inTurn } from '../server/ask.ts'
import { startGateway, stopGateways } from '../server/running-gateway.ts'
import { completion } from '../server/scripted-upstream.ts'

const sockets = new Set<Socket>()

afterEach(async () => {
  await stopGateways()
  for (const socket of sockets) socket.destroy()
  sockets.clear()
})

/** Answers one request on each connection, and breaks it at the next: a way in between that forgets the idle ones. */
async function startForgetful(): Promise<string> {
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

describe('an upstream whose kept connections are all dead', () => {
  it('is asked once more on a new one', async () => {
    const { address } = await startGateway({ upstream: await startForgetful() })
    const request = (): Promise<number> =>
      ask(address, 'openai', { stream: false }).then(({ status }) => status)
    const together = await Promise.all(Array.from({ length: 8 }, request))
    const after: number[] = []
    await inTurn([1, 2, 3, 4, 5], async () => {
      after.push(await request())
    })
    expect([...together, ...after]).toEqual(Array.from({ length: 13 }, () => 200))
  })
})
