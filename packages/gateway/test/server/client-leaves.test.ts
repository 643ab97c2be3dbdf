import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { clientDialects, paths, post, weatherRequest } from './ask.ts'
import { type RunningGateway, startGateway, stopGateways } from './running-gateway.ts'
import {
  chunk,
  json,
  type Script,
  sse,
  startUpstream,
  stopUpstreams,
  until,
  untilStill,
} from './scripted-upstream.ts'

afterEach(async () => {
  await stopGateways()
  stopUpstreams()
})

const call =
  '<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"ci'
const flood = chunk({ content: 'x'.repeat(10_000) })

/** How often the upstream was asked to wait before it sent more. */
let drains = 0

interface Phase {
  readonly phase: string
  readonly stream: boolean
  readonly script: Script
  /** Resolves when the gateway has come so far. */
  readonly reached: (gateway: RunningGateway) => Promise<void>
}

/** The gateway has the headers of an answer. */
const answering = async ({ metric }: RunningGateway): Promise<void> => {
  await expect.poll(() => metric('dragoman_streams_active'), { timeout: 5000 }).toBe(1)
}

/** Nothing that the gateway does shows it: that the upstream has the request must do. */
const asked = async (): Promise<void> => {}

const phases: readonly Phase[] = [
  { phase: 'before the upstream answers', stream: true, script: () => {}, reached: asked },
  {
    phase: 'before the upstream answers, wanting no stream',
    stream: false,
    script: () => {},
    reached: asked,
  },
  {
    phase: 'before the first word',
    stream: true,
    script: (response) => sse(response),
    reached: answering,
  },
  {
    phase: 'in the middle of text',
    stream: true,
    script: (response) => sse(response, chunk({ content: 'Paris' })),
    reached: answering,
  },
  {
    phase: 'in the middle of a call',
    stream: true,
    script: (response) => sse(response, chunk({ content: call })),
    reached: answering,
  },
  {
    phase: 'in the middle of a body, wanting no stream',
    stream: false,
    script: (response) => response.writeHead(200, { 'content-type': 'application/json' }).write('{"choi'),
    reached: answering,
  },
  {
    phase: 'while an error is read',
    stream: true,
    script: (response) => response.writeHead(500, { 'content-type': 'application/json' }).write('{"err'),
    reached: asked,
  },
  {
    phase: 'after it has stopped reading',
    stream: true,
    script: (response) => {
      sse(response)
      const more = (): void => {
        drains++
        for (let sent = true; sent && !response.destroyed;)
          sent = response.write(`data: ${JSON.stringify(flood)}\n\n`)
        response.once('drain', more)
      }
      more()
    },
    reached: async (gateway) => {
      await answering(gateway)
      await untilStill(() => drains, 50)
    },
  },
]

describe.each(clientDialects)('a client of %s that leaves', (dialect) => {
  it.each(phases)('$phase ends the upstream request at once', async ({ script, stream, reached }) => {
    const upstream = await startUpstream(script)
    const gateway = await startGateway({ upstream: upstream.url })
    const { address, lines, requestLine } = gateway
    const client = connectRaw(address, paths[dialect], weatherRequest(dialect, { stream }))
    await until(() => upstream.requests.length === 1)
    await reached(gateway)
    expect(upstream.openRequests).toBe(1)
    client.destroy()
    await until(() => upstream.openRequests === 0, 250)
    await until(() => requestLine() !== undefined)
    expect(requestLine()).toMatchObject({ how: 'left' })
    expect(lines.filter(({ level }) => level === 'error')).toEqual([])
  })

  it('while it sends its request never reaches the upstream', async () => {
    const upstream = await startUpstream((response) => json(response, 200, {}))
    const { address, requestLine } = await startGateway({ upstream: upstream.url })
    const text = JSON.stringify(weatherRequest(dialect))
    const client = connectRaw(address, paths[dialect], text.slice(0, 40), {
      'content-length': text.length,
      expect: '100-continue',
    })
    // The gateway says that it has the headers and waits for the body.
    await once(client, 'data')
    client.destroy()
    await until(() => requestLine() !== undefined)
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
    await until(() => lines.filter(({ msg }) => msg === 'request').length === 2)
    expect(await metric('dragoman_streams_active')).toBe(0)
    const next = [1, 2].map(() => post(address, paths.openai, weatherRequest('openai')))
    expect((await Promise.all(next)).map(({ status }) => status)).toEqual([200, 200])
    await gateway.drain()
  })

  it('is answered in order where it stays', async () => {
    const questions = Array.from({ length: 13 }, (_, at) => `question ${at + 1}.`)
    const waiting: { readonly response: ServerResponse; readonly question: string }[] = []
    const upstream = await startUpstream((response, nth) => {
      const question = questions.find((each) => upstream.requests[nth - 1]?.body.includes(each)) ?? 'none'
      waiting.push({ response, question })
      if (waiting.length < questions.length) return
      // The last question is answered first.
      const order = (each: string): number => questions.indexOf(each)
      for (const each of waiting.toSorted((a, b) => order(b.question) - order(a.question))) {
        sse(each.response, chunk({ content: `Answer to ${each.question}` }), chunk({}, 'stop'), '[DONE]')
        each.response.end()
      }
    })
    const { address } = await startGateway({ upstream: upstream.url })
    const [first = '', ...more] = questions.map((content) =>
      rawRequest(address, paths.openai, weatherRequest('openai', { messages: [{ role: 'user', content }] })),
    )
    const client = connect({ port: Number(new URL(address).port), host: '127.0.0.1' })
    client.write(first)
    for (const request of more) client.write(request)
    let text = ''
    client.on('data', (piece: Buffer) => (text += piece.toString('utf8')))
    await until(() => text.match(/\[DONE\]/g)?.length === questions.length)
    expect(text.match(/question \d+\./g)).toEqual(questions)
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
    await untilStill(() => sent, 300)
    // What the sockets of this machine hold is theirs; the 20 MB of the whole answer are not all there.
    expect(sent).toBeLessThan(total)
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
    await until(() => requestLine() !== undefined)
    expect(requestLine()).toMatchObject({ level: 'warn', how: 'cut' })
    expect(requestLine()?.['failure']).toContain('client_stalled')
    expect(await metric('dragoman_upstream_errors_total{kind="timeout"}')).toBe(0)
    client.destroy()
  })
})

/** A client of which we know when it reads: not before a test listens to it. */
function connectRaw(address: string, path: string, body: object | string, headers: RawHeaders = {}) {
  const socket = connect({ port: Number(new URL(address).port), host: '127.0.0.1' })
  socket.on('error', () => {})
  socket.write(rawRequest(address, path, body, headers))
  return socket
}

type RawHeaders = Readonly<Record<string, string | number>>

function rawRequest(address: string, path: string, body: object | string, headers: RawHeaders = {}): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const all = {
    host: new URL(address).host,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  }
  return [
    `POST ${path} HTTP/1.1`,
    ...Object.entries(all).map(([name, value]) => `${name}: ${value}`),
    '',
    text,
  ].join('\r\n')
}
