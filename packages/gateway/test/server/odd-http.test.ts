import { EventEmitter, once } from 'node:events'
import { createServer as createSecureServer } from 'node:https'
import { connect, createServer, type Server } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { ask, clientDialects, paths, weatherRequest } from './ask.ts'
import { certificate, privateKey } from './certificates.ts'
import { oneKey, startGateway, stopGateways } from './running-gateway.ts'
import { chunk, completion, json, sse, startUpstream, stopUpstreams, until } from './scripted-upstream.ts'

const servers: { close(): unknown }[] = []

afterEach(async () => {
  await stopGateways()
  stopUpstreams()
  for (const server of servers.splice(0)) server.close()
})

async function listening(server: Server): Promise<number> {
  servers.push(server)
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** An upstream that answers each request with these bytes. */
function rawUpstream(...pieces: readonly string[]): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      for (const piece of pieces) socket.write(piece)
    })
  })
  return listening(server)
}

const whole = JSON.stringify(completion('hello'))
const head = (fields: string): string =>
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${fields}\r\n\r\n`

describe.each(clientDialects)('for a client of %s', (dialect) => {
  it('an upstream whose name nobody knows is a 502 that does not repeat the name to those with a key', async () => {
    const { address, requestLine } = await startGateway({
      upstream: 'http://models.internal.invalid/v1',
      settings: { keys: oneKey.keys },
    })
    const answer = await ask(address, dialect, {}, { headers: oneKey.headers })
    expect(answer.status).toBe(502)
    expect(answer.body).toContain('upstream_unreachable')
    expect(answer.body).not.toMatch(/internal|invalid\b(?!_)|ENOTFOUND|EAI_AGAIN/)
    await until(() => requestLine() !== undefined, 1000)
    expect(requestLine()).toMatchObject({ reason: expect.stringContaining('models.internal.invalid') })
  })

  it('an upstream whose certificate nobody signed is a 502, and nothing is sent to it', async () => {
    let received = 0
    const server = createSecureServer({ key: privateKey, cert: certificate }, (_request, response) => {
      received++
      json(response, 200, completion('hello'))
    })
    const port = await listening(server)
    const { address } = await startGateway({ upstream: `https://localhost:${port}/v1` })
    const answer = await ask(address, dialect, { stream: false })
    expect(answer.status).toBe(502)
    expect(answer.body).toContain('upstream_tls')
    expect(received).toBe(0)
  })

  it('an upstream that speaks plain HTTP where https is configured is a 502', async () => {
    const { url } = await startUpstream((response) => json(response, 200, completion('hello')))
    const { address } = await startGateway({ upstream: url.replace('http:', 'https:') })
    const answer = await ask(address, dialect, { stream: false })
    expect(answer.status).toBe(502)
    expect(answer.body).toContain('upstream_tls')
  })

  it('early answers of an upstream are not taken for the answer', async () => {
    const early = 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n'
    const port = await rawUpstream(early, head(`content-length: ${whole.length}`) + whole)
    const { address } = await startGateway({ upstream: `http://127.0.0.1:${port}/v1` })
    expect(await ask(address, dialect, { stream: false })).toMatchObject({ status: 200, text: 'hello' })
  })

  it('trailers of an upstream do no harm', async () => {
    const size = whole.length.toString(16)
    const body = `${size}\r\n${whole}\r\n0\r\nx-checksum: 7\r\nset-cookie: a=b\r\n\r\n`
    const port = await rawUpstream(head('transfer-encoding: chunked\r\ntrailer: x-checksum'), body)
    const { address } = await startGateway({ upstream: `http://127.0.0.1:${port}/v1` })
    const answer = await ask(address, dialect, { stream: false })
    expect(answer).toMatchObject({ status: 200, text: 'hello' })
    expect(answer.headers.has('set-cookie')).toBe(false)
  })

  it('bytes behind the declared length are no part of this answer nor of the next', async () => {
    const port = await rawUpstream(
      head(`content-length: ${whole.length}`) + whole + head('content-length: 2'),
      '{}',
    )
    const { address } = await startGateway({ upstream: `http://127.0.0.1:${port}/v1` })
    const answers = [
      await ask(address, dialect, { stream: false }),
      await ask(address, dialect, { stream: false }),
    ]
    for (const { status, text } of answers) {
      expect([200, 502]).toContain(status)
      if (status === 200) expect(text).toBe('hello')
    }
  })

  it('an answer that is shorter than declared is a 502', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => socket.end(head(`content-length: ${whole.length + 50}`) + whole.slice(0, -5)))
    })
    const port = await listening(server)
    const { address } = await startGateway({ upstream: `http://127.0.0.1:${port}/v1` })
    expect((await ask(address, dialect, { stream: false })).status).toBe(502)
  })

  it('two ways to tell the length of an answer are a 502', async () => {
    const port = await rawUpstream(
      head('content-length: 5\r\ntransfer-encoding: chunked'),
      `5\r\n{"a":\r\n0\r\n\r\n`,
    )
    const { address } = await startGateway({ upstream: `http://127.0.0.1:${port}/v1` })
    expect((await ask(address, dialect, { stream: false })).status).toBe(502)
  })

  it('a client that closes its half of the connection gets the whole answer, or the upstream is let go', async () => {
    const client = new EventEmitter()
    const halfClosed = once(client, 'half-closed')
    const upstream = await startUpstream(async (response) => {
      sse(response, chunk({ role: 'assistant', content: 'Paris is' }))
      await halfClosed
      sse(response, chunk({}, 'stop'), '[DONE]')
      response.end()
    })
    const { address } = await startGateway({ upstream: upstream.url })
    const onHalfClosed = (): void => void client.emit('half-closed')
    const text = await rawAnswer(address, dialect, { halfClose: true, onHalfClosed })
    const isWhole = text.includes(dialect === 'anthropic' ? 'message_stop' : '[DONE]')
    if (!isWhole) expect(text).not.toContain('200 OK')
    await until(() => upstream.openRequests === 0, 350)
  })

  it('requests that come in one piece are answered in order', async () => {
    let nth = 0
    const upstream = await startUpstream((response) => json(response, 200, completion(`answer ${++nth}`)))
    const { address } = await startGateway({ upstream: upstream.url })
    const text = await rawAnswer(address, dialect, { times: 3 })
    expect(text.match(/answer \d/g)).toEqual(['answer 1', 'answer 2', 'answer 3'])
  })
})

interface RawOptions {
  readonly halfClose?: boolean
  readonly onHalfClosed?: () => void
  readonly times?: number
}

/** Sends a request as raw bytes and reads until the server closes. */
function rawAnswer(
  address: string,
  dialect: (typeof clientDialects)[number],
  { halfClose = false, onHalfClosed = () => {}, times = 1 }: RawOptions,
): Promise<string> {
  const { hostname, port } = new URL(address)
  const body = JSON.stringify(weatherRequest(dialect, { stream: halfClose }))
  const request = (connection: string): string =>
    [
      `POST ${paths[dialect]} HTTP/1.1`,
      `host: ${hostname}:${port}`,
      'content-type: application/json',
      `content-length: ${Buffer.byteLength(body)}`,
      `connection: ${connection}`,
      '',
      body,
    ].join('\r\n')
  const requests = Array.from({ length: times }, (_, at) =>
    request(at === times - 1 ? 'close' : 'keep-alive'),
  )
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    let text = ''
    socket
      .setEncoding('utf8')
      .on('data', (piece: string) => (text += piece))
      .on('error', reject)
      .on('end', () => {
        socket.end()
        resolve(text)
      })
    socket.write(requests.join(''))
    if (halfClose) socket.end(() => setImmediate(onHalfClosed))
  })
}
