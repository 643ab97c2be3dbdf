import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { clientDialects, paths, post, weatherRequest } from './ask.ts'
import { startGateway, stopGateways } from './running-gateway.ts'
import { chunk, json, type Script, sse, startUpstream, stopUpstreams, until } from './scripted-upstream.ts'

afterEach(async () => {
  await stopGateways()
  stopUpstreams()
})

const call =
  '<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"ci'
const flood = chunk({ content: 'x'.repeat(10_000) })

const phases: readonly { phase: string; script: Script; stream: boolean }[] = [
  { phase: 'before the upstream answers', stream: true, script: () => {} },
  { phase: 'before the upstream answers, wanting no stream', stream: false, script: () => {} },
  {
    phase: 'before the first word',
    stream: true,
    script: (response) => sse(response),
  },
  {
    phase: 'in the middle of text',
    stream: true,
    script: (response) => sse(response, chunk({ content: 'Paris' })),
  },
  {
    phase: 'in the middle of a call',
    stream: true,
    script: (response) => sse(response, chunk({ content: call })),
  },
  {
    phase: 'in the middle of a body, wanting no stream',
    stream: false,
    script: (response) => response.writeHead(200, { 'content-type': 'application/json' }).write('{"choi'),
  },
  {
    phase: 'while an error is read',
    stream: true,
    script: (response) => response.writeHead(500, { 'content-type': 'application/json' }).write('{"err'),
  },
  {
    phase: 'after it has stopped reading',
    stream: true,
    script: (response) => {
      sse(response)
      const more = (): void => {
        for (let sent = true; sent && !response.destroyed;)
          sent = response.write(`data: ${JSON.stringify(flood)}\n\n`)
        response.once('drain', more)
      }
      more()
    },
  },
]

describe.each(clientDialects)('a client of %s that leaves', (dialect) => {
  it.each(phases)('$phase ends the upstream request at once', async ({ script, stream }) => {
    const upstream = await startUpstream(script)
    const { address, lines, requestLine } = await startGateway({ upstream: upstream.url })
    const client = connectRaw(address, paths[dialect], weatherRequest(dialect, { stream }))
    await until(() => upstream.openRequests === 1, 2000)
    await sleep(50)
    expect(upstream.openRequests).toBe(1)
    client.destroy()
    await until(() => upstream.openRequests === 0, 250)
    await until(() => requestLine() !== undefined, 250)
    expect(requestLine()).toMatchObject({ how: 'left' })
    expect(lines.filter(({ level }) => level === 'error')).toEqual([])
  })

  it('while it sends its request never reaches the upstream', async () => {
    const upstream = await startUpstream((response) => json(response, 200, {}))
    const { address, requestLine } = await startGateway({ upstream: upstream.url })
    const text = JSON.stringify(weatherRequest(dialect))
    const client = connectRaw(address, paths[dialect], text.slice(0, 40), text.length)
    await sleep(50)
    client.destroy()
    await until(() => requestLine() !== undefined, 250)
    expect(requestLine()).toMatchObject({ how: 'left', status: 499 })
    expect(upstream.requests).toHaveLength(0)
  })
})

describe('a client that asks again before it is answered, and leaves', () => {
  it('ends both requests, and gives their room back', async () => {
    const upstream = await startUpstream((response) => sse(response, chunk({ content: 'Paris' })))
    const { address, lines, metric, gateway } = await startGateway({
      upstream: upstream.url,
      settings: { limits: { concurrent: 2 } },
    })
    const client = connectRaw(address, paths.openai, weatherRequest('openai'))
    client.write(rawRequest(address, paths.anthropic, weatherRequest('anthropic')))
    await until(() => upstream.openRequests === 2, 2000)
    client.destroy()
    await until(() => upstream.openRequests === 0, 250)
    await until(() => lines.filter(({ msg }) => msg === 'request').length === 2, 250)
    expect(await metric('dragoman_streams_active')).toBe(0)
    const next = [1, 2].map(() => post(address, paths.openai, weatherRequest('openai')))
    expect((await Promise.all(next)).map(({ status }) => status)).toEqual([200, 200])
    await gateway.drain()
  })

  it('is answered in order where it stays', async () => {
    const upstream = await startUpstream((response, nth) => {
      sse(response, chunk({ content: `answer ${nth}` }), chunk({}, 'stop'), '[DONE]')
      response.end()
    })
    const { address } = await startGateway({ upstream: upstream.url })
    const client = connectRaw(address, paths.openai, weatherRequest('openai'))
    for (let more = 0; more < 12; more++) {
      client.write(rawRequest(address, paths.openai, weatherRequest('openai')))
    }
    let text = ''
    client.on('data', (piece: Buffer) => (text += piece.toString('utf8')))
    await until(() => text.match(/\[DONE\]/g)?.length === 13, 3000)
    client.destroy()
  })
})

describe('a client that reads slowly', () => {
  it('slows the upstream down, and gets everything in the end', async () => {
    const total = 2000
    let sent = 0
    const upstream = await startUpstream((response) => {
      sse(response, chunk({ role: 'assistant', content: '' }))
      const more = (): void => {
        let isTaken = true
        while (isTaken && sent < total) {
          sent++
          isTaken = response.write(`data: ${JSON.stringify(flood)}\n\n`)
        }
        if (sent < total) response.once('drain', more)
        else response.end(`data: ${JSON.stringify(chunk({}, 'stop'))}\n\ndata: [DONE]\n\n`)
      }
      more()
    })
    const { address } = await startGateway({ upstream: upstream.url })
    const response = await post(address, paths.anthropic, weatherRequest('anthropic'))
    await sleep(600)
    const early = sent
    await sleep(300)
    expect(sent).toBe(early)
    // What the sockets of this machine hold is theirs; the 20 MB of the whole answer are not all there.
    expect(early).toBeLessThan(total)
    const text = await response.text()
    expect(text.match(/x{10000}/g)).toHaveLength(total)
    expect(text).toContain('message_stop')
  })

  it('is cut off when it has taken nothing for too long', async () => {
    const upstream = await startUpstream(phases.at(-1)?.script ?? (() => {}))
    const settings = { timeouts: { clientStall: '200ms' } }
    const { address, requestLine, metric } = await startGateway({ upstream: upstream.url, settings })
    const client = connectRaw(address, paths.openai, weatherRequest('openai'))
    client.pause()
    await until(() => upstream.openRequests === 1, 1000)
    await until(() => upstream.openRequests === 0, 3000)
    await until(() => requestLine() !== undefined, 250)
    expect(requestLine()).toMatchObject({ level: 'warn', how: 'cut' })
    expect(requestLine()?.['failure']).toContain('client_stalled')
    expect(await metric('dragoman_upstream_errors_total{kind="timeout"}')).toBe(0)
    client.destroy()
  })
})

/** A client of which we know when it reads: never. `declared` is the length that it promises. */
function connectRaw(address: string, path: string, body: object | string, declared?: number) {
  const socket = connect({ port: Number(new URL(address).port), host: '127.0.0.1' })
  socket.on('error', () => {})
  socket.write(rawRequest(address, path, body, declared))
  return socket
}

function rawRequest(address: string, path: string, body: object | string, declared?: number): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return [
    `POST ${path} HTTP/1.1`,
    `host: ${new URL(address).host}`,
    'content-type: application/json',
    `content-length: ${declared ?? Buffer.byteLength(text)}`,
    '',
    text,
  ].join('\r\n')
}
