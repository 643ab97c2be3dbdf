import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { dialectIds } from '@dragoman/core'
import { afterEach, describe, expect, it } from 'vitest'
import { requests } from '../../faults/dialects.ts'
import { ask, clientDialects, inTurn, paths, post, weatherRequest } from './ask.ts'
import { oneKey, type RunningGateway, startGateway, stopGateways } from './running-gateway.ts'
import { chunk, json, type Script, sse, startUpstream, stopUpstreams, until } from './scripted-upstream.ts'

const sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await stopGateways()
  stopUpstreams()
})

const answers: Script = (response) =>
  json(response, 200, { choices: [{ message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }] })

async function started(settings: Readonly<Record<string, unknown>>, script: Script = answers) {
  const upstream = await startUpstream(script)
  return { upstream, ...(await startGateway({ upstream: upstream.url, settings })) }
}

const addresses = [
  '/v1/chat/completions',
  '/v1/messages',
  '/v1/responses',
  '/v1beta/models/m:generateContent',
]

describe('a body that is made of too many values', () => {
  const manyKeys = `{${Array.from({ length: 1_000_000 }, (_, at) => `"k${at}":1`).join(',')}}`
  const manyItems = `{"model":"m","messages":[${Array.from({ length: 400_000 }, () => '0').join(',')}]}`

  it('is tried in every dialect', () => expect(addresses).toHaveLength(dialectIds.length))

  it.each(addresses)('is a 400 at %s that keeps nobody waiting', async (path) => {
    const { address, upstream } = await started({})
    await post(address, path, '{}')
    await inTurn([manyKeys, manyItems], async (body) => {
      const refused = async (): Promise<number> => {
        const before = process.cpuUsage()
        const answer = await post(address, path, body)
        const seconds = process.cpuUsage(before).user / 1e6
        expect(answer.status).toBe(400)
        expect(await answer.text()).toMatch(/members|values/)
        return seconds
      }
      // One object of a million members takes seconds of the processor to parse; this is with the client's own work. A
      // collection of what other tests have left may fall into one try, so that there are three.
      const isQuick = (await refused()) < 1 || (await refused()) < 1 || (await refused()) < 1
      expect(isQuick).toBe(true)
    })
    expect(upstream.requests).toHaveLength(0)
  })

  it('passes where the limit is raised', async () => {
    const { address } = await started({ limits: { jsonValues: 1_000_000 } })
    const messages = Array.from({ length: 60_000 }, () => ({ role: 'user', content: 'x' }))
    expect((await post(address, paths.openai, { model: 'm', messages })).status).toBe(200)
  })
})

describe.each(dialectIds)('a request of %s with too many tools', (dialect) => {
  /** The request for the weather, with its tool so many times. */
  function withTools(count: number): { readonly path: string; readonly body: unknown } {
    const { path, body } = requests[dialect]('m', 'whole')
    const asked = JSON.parse(String(body))
    const text = JSON.stringify(asked.tools[0])
    const named = (at: number): unknown => JSON.parse(text.replaceAll('get_weather', `get_weather_${at}`))
    return { path, body: { ...asked, tools: Array.from({ length: count }, (_, at) => named(at)) } }
  }

  it('is a 400 that asks nobody', async () => {
    const { address, upstream } = await started({ limits: { tools: 3 } })
    const [more, few] = [withTools(4), withTools(3)]
    const refused = await post(address, more.path, more.body)
    expect(refused.status).toBe(400)
    expect(await refused.text()).toContain('more than 3 tools')
    expect(upstream.requests).toHaveLength(0)
    expect((await post(address, few.path, few.body)).status).toBe(200)
  })
})

/** A client that has said how long its body is, and sends a part of it. */
function begin({ address }: Pick<RunningGateway, 'address'>, length: number, sent: string): Socket {
  const { port, host } = new URL(address)
  const socket = connect(Number(port), '127.0.0.1').on('error', () => {})
  sockets.push(socket)
  const head = `POST /v1/messages HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\n`
  socket.write(`${head}content-length: ${length}\r\n\r\n${sent}`)
  return socket
}

describe('the bodies of all requests', () => {
  it.each(clientDialects)('have one budget: beyond it %s clients are told to come again', async (dialect) => {
    const gateway = await started({ limits: { bodyBytes: 100_000, bodiesBytes: 150_000 } })
    const others = [begin(gateway, 90_000, 'x'.repeat(70_000)), begin(gateway, 80_000, 'x'.repeat(70_000))]
    await sleep(100)
    const crowded = await ask(gateway.address, dialect, { metadata: { padding: 'x'.repeat(20_000) } })
    expect(crowded).toMatchObject({ status: 503, error: { type: 'overloaded_error' } })
    expect(crowded.headers.get('retry-after')).toBe('1')
    expect(gateway.upstream.requests).toHaveLength(0)
    for (const other of others) other.destroy()
    await sleep(100)
    expect((await ask(gateway.address, dialect, { metadata: { padding: 'x'.repeat(20_000) } })).status).toBe(
      200,
    )
  })

  it('give back their room when their requests are answered', async () => {
    const { address } = await started({ limits: { bodyBytes: 60_000, bodiesBytes: 60_000 } })
    const padding = { metadata: { padding: 'x'.repeat(40_000) } }
    const statuses: number[] = []
    await inTurn([1, 2, 3, 4], async () => {
      statuses.push((await ask(address, 'openai', padding)).status)
    })
    expect(statuses).toEqual([200, 200, 200, 200])
  })
})

describe('the places for requests', () => {
  it('are not held by clients that send no body', async () => {
    const gateway = await started({ limits: { concurrent: 2 } })
    for (let at = 0; at < 5; at++) begin(gateway, 1000, '{')
    await sleep(100)
    expect((await ask(gateway.address, 'openai')).status).toBe(200)
  })

  it('are held by requests that are answered', async () => {
    const gateway = await started({ limits: { concurrent: 1 } }, (response) =>
      sse(response, chunk({ content: 'a' })),
    )
    const running = post(gateway.address, paths.openai, weatherRequest('openai'))
    await until(() => gateway.upstream.requests.length === 1)
    expect((await ask(gateway.address, 'openai')).status).toBe(503)
    await (await running).body?.cancel()
  })
})

/** All that comes back over a connection on which a client waits for a sign before it sends its body. */
function expects(gateway: RunningGateway, headers: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(gateway.address).port), '127.0.0.1')
    let reply = ''
    socket.setEncoding('utf8').on('data', (piece: string) => {
      reply += piece
    })
    socket.on('error', () => {}).on('close', () => resolve(reply))
    const head = 'POST /v1/messages HTTP/1.1\r\ncontent-type: application/json\r\nexpect: 100-continue\r\n'
    socket.write(`${head}${headers}\r\n\r\n`)
  })
}

describe('a client that asks whether its body is wanted', () => {
  it.each([
    ['from a page of another site', 'host: evil.example\r\ncontent-length: 10', 403],
    ['without a key', 'host: localhost\r\ncontent-length: 10', 401],
    [
      'with a body that is too large',
      `host: localhost\r\nauthorization: Bearer the-key-of-ada\r\nconnection: close\r\ncontent-length: 100000000`,
      413,
    ],
  ])('is refused at once %s', async (_title, headers, status) => {
    const gateway = await started({ keys: oneKey.keys })
    const reply = await expects(gateway, headers)
    expect(reply).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(reply).not.toContain('100 Continue')
  })
})
