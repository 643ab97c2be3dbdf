import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { json, type ScriptedUpstream, startUpstream, stopUpstreams } from '../server/scripted-upstream.ts'
import { type RunningGateway, startGateway, stopGateways } from '../server/running-gateway.ts'

let upstream: ScriptedUpstream
let gateway: RunningGateway
beforeAll(async () => {
  upstream = await startUpstream((response) => json(response, 500, {}))
  const timeouts = { clientHeaders: '300ms', clientBody: '300ms' }
  gateway = await startGateway({ upstream: upstream.url, settings: { timeouts } })
})
afterAll(async () => {
  await stopGateways()
  stopUpstreams()
})

/** What comes back over a connection until it is closed. The `rest` is sent when the gateway asks for the body. */
function exchange(text: string, to: RunningGateway = gateway, rest = ''): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(to.address).port), '127.0.0.1')
    let reply = ''
    socket.setEncoding('utf8').on('data', (piece: string) => {
      reply += piece
    })
    socket.on('error', () => {}).on('close', () => resolve(reply))
    socket.write(text)
    if (rest !== '') socket.once('data', () => socket.write(rest))
  })
}

const head = 'POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n'

describe('a request that is wrong as HTTP', () => {
  it('with two ways to tell its length is a 400', async () => {
    const text = `${head}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`
    expect(await exchange(text)).toMatch(/^HTTP\/1.1 400 /)
  })

  it('with headers that are too long is a 431', async () => {
    expect(await exchange(`${head}x-long: ${'x'.repeat(20_000)}\r\n\r\n`)).toMatch(/^HTTP\/1.1 431 /)
  })

  it('without a Host is a 400', async () => {
    expect(await exchange('GET /health HTTP/1.1\r\nconnection: close\r\n\r\n')).toMatch(/^HTTP\/1.1 400 /)
  })

  it('whose headers never end is a 408, and its connection is closed', async () => {
    expect(await exchange(head)).toMatch(/^HTTP\/1.1 408 |^$/)
  })

  it('whose body never ends is a 408, and its connection is closed', async () => {
    expect(await exchange(`${head}content-length: 100\r\n\r\n{"model"`)).toMatch(/^HTTP\/1.1 408 |^$/)
    expect(upstream.requests).toHaveLength(0)
  })

  it('whose body is late is told so in its dialect, however long headers may take', async () => {
    const timeouts = { clientHeaders: '60s', clientBody: '300ms' }
    const patient = await startGateway({ upstream: upstream.url, settings: { timeouts } })
    const started = performance.now()
    const reply = await exchange(`${head}content-length: 100\r\n\r\n{"model"`, patient)
    expect(performance.now() - started).toBeGreaterThan(290)
    expect(performance.now() - started).toBeLessThan(1300)
    expect(reply).toMatch(/^HTTP\/1.1 408 /)
    expect(reply).toMatch(/^connection: close\r$/im)
    expect(reply).toContain('"type":"timeout_error"')
    expect(patient.requestLine()).toMatchObject({ level: 'warn', status: 408, how: 'answered' })
    expect(patient.requestLine()?.['failure']).toContain('request_timeout')
    expect(upstream.requests).toHaveLength(0)
  })

  it('whose body comes in pieces is answered where the last of them is in time', async () => {
    const body = JSON.stringify({ model: 'm', messages: [] })
    const headers = `connection: close\r\nexpect: 100-continue\r\ncontent-length: ${body.length}`
    const reply = await exchange(`${head}${headers}\r\n\r\n${body.slice(0, 9)}`, gateway, body.slice(9))
    expect(reply).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 (?:400|500) /)
  })
})
