import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DialectName } from '../../core/test/clients-agree/answer.ts'
import { until } from '../test/server/scripted-upstream.ts'
import {
  answeredWith,
  dialectNames,
  readers,
  requests,
  said,
  Speech,
  text,
  unended,
  type Wants,
  written,
} from './dialects.ts'
import { FaultWorld, slack } from './fault-world.ts'
import { parseAnswer, type RawAnswer, type RawRequest, requestBytes } from './raw-client.ts'
import type { Script } from './raw-upstream.ts'

let world: FaultWorld

beforeAll(async () => {
  world = await FaultWorld.start(
    {},
    {
      limits: { bodyBytes: 200_000, headerBytes: 16_384 },
      timeouts: {
        clientHeaders: '500ms',
        clientBody: '800ms',
        clientStall: '600ms',
        idle: '20s',
        headers: '20s',
        drain: '500ms',
      },
    },
  )
})

afterAll(async () => {
  await world.stop()
})

const wishes: readonly Wants[] = ['stream', 'whole']
const ways = dialectNames.flatMap((client) => wishes.map((wants) => ({ client, wants })))
const speech = new Speech('openai-chat')
const answered = answeredWith(speech, said([text('Sunny.')]))

/** A connection whose request has been sent, or as much of it as is asked for. */
function open(request: RawRequest, share = 1): Socket {
  const bytes = requestBytes(world.port, { ...request, headers: world.keyHeader })
  const socket = connect(world.port, '127.0.0.1').on('error', () => {})
  socket.write(bytes.subarray(0, Math.floor(bytes.length * share)))
  return socket
}

const half = speech.events(unended([text('Paris is ', 'sunny.')]))
const halfCall = speech.events(
  unended([
    written(
      '<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"ci',
    ),
  ]),
)

/** Where the client leaves; `script` is what the upstream has done by then. */
const phases: readonly { when: string; script: Script; only?: Wants }[] = [
  { when: 'before the upstream answers', script: () => {} },
  { when: 'before the first piece', script: (wire) => wire.stream() },
  { when: 'in the middle of the text', script: (wire) => wire.stream().send(...half), only: 'stream' },
  { when: 'in the middle of a call', script: (wire) => wire.stream().send(...halfCall), only: 'stream' },
  {
    when: 'in the middle of a whole answer',
    script: (wire) =>
      wire.raw('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{"id"'),
    only: 'whole',
  },
]

describe('a client that leaves', () => {
  it.each(phases)('$when ends what was asked for it', async ({ script, only }) => {
    for (const { client, wants } of ways.filter((way) => only === undefined || way.wants === only)) {
      const model = `openai-chat.left-${client}-${wants}-${script.length}-${Math.random()}`
      world.upstream.play(model, script)
      const socket = open(requests[client](model, wants))
      await until(() => world.upstream.countOf(model) === 1)
      await sleep(20)
      socket.destroy()
      const left = performance.now()
      await until(() => world.upstream.openRequests === 0, slack)
      expect(performance.now() - left, `${client}, ${wants}`).toBeLessThan(250 + slack)
    }
    await world.expectCalm()
  })

  it('while it takes nothing of what is there for it, ends what was asked for it', async () => {
    for (const client of dialectNames) {
      const model = `openai-chat.left-slow-${client}`
      const event = speech.events(unended([text('x'.repeat(50_000))]))[1] ?? ''
      world.upstream.play(model, (wire) => wire.stream().pour(event, 1600))
      const socket = open(requests[client](model, 'stream'))
      socket.pause()
      await until(() => world.upstream.countOf(model) === 1)
      await sleep(100)
      socket.destroy()
      const left = performance.now()
      await until(() => world.upstream.openRequests === 0, slack)
      // Before it would have been cut off for taking nothing.
      expect(performance.now() - left, client).toBeLessThan(500)
    }
    await world.expectCalm()
  })

  it('in the middle of its request asks nobody', async () => {
    for (const { client, wants } of ways) {
      const model = `openai-chat.half-request-${client}-${wants}`
      world.upstream.play(model, answered)
      const socket = open(requests[client](model, wants), 0.8)
      await sleep(20)
      socket.destroy()
    }
    await sleep(100)
    for (const { client, wants } of ways) {
      expect(world.upstream.countOf(`openai-chat.half-request-${client}-${wants}`)).toBe(0)
    }
    await world.expectCalm()
  })

  it('half, and waits for its answer, gets it or is let go', async () => {
    for (const { client, wants } of ways) {
      const model = `openai-chat.half-close-${client}-${wants}`
      world.upstream.play(model, answered)
      const socket = open(requests[client](model, wants))
      socket.end()
      const { status, end } = await everythingFrom(socket)
      expect([0, 200], `${client}, ${wants}`).toContain(status)
      if (status === 200) expect(end).toBe('whole')
    }
    await world.expectCalm()
  })
})

describe('a client that does not read', () => {
  it.each(dialectNames)('holds the upstream back, and is cut off in the end: %s', async (client) => {
    const model = `openai-chat.slow-${client}`
    const event = speech.events(unended([text('x'.repeat(50_000))]))[1] ?? ''
    let poured = { taken: Infinity }
    world.upstream.play(model, (wire) => {
      poured = wire.stream().pour(event, 1600)
    })
    const socket = open(requests[client](model, 'stream'))
    socket.pause()
    await until(() => world.upstream.countOf(model) === 1)
    await sleep(300)
    // Of eighty megabytes it has taken what fits into the buffers of two connections, and no more.
    expect(poured.taken).toBeLessThan(400)
    await until(() => world.upstream.openRequests === 0, 600 + slack)
    socket.destroy()
    await world.expectCalm()
  })
})

async function everythingFrom(socket: Socket): Promise<Omit<RawAnswer, 'milliseconds'>> {
  const pieces: Buffer[] = []
  for await (const piece of socket.iterator({ destroyOnReturn: false })) pieces.push(piece)
  return parseAnswer(Buffer.concat(pieces))
}

describe('a client that is slow to ask', () => {
  it('with its headers is let go', async () => {
    const socket = connect(world.port, '127.0.0.1')
    socket.write('POST /v1/messages HTTP/1.1\r\nhost: 127.0.0.1\r\nx-slow: ')
    const { status } = await everythingFrom(socket)
    expect([0, 408]).toContain(status)
  })

  it.each(dialectNames)('with its body is told so: %s', async (client) => {
    const model = `openai-chat.slow-body-${client}`
    world.upstream.play(model, answered)
    const { status, body } = await everythingFrom(open(requests[client](model, 'stream'), 0.9))
    expect(status).toBe(408)
    expect(readers[client]({ status, is: 'whole', body }).failure?.message).not.toBe('')
    expect(world.upstream.countOf(model)).toBe(0)
  })
})

interface Wrong {
  readonly request: string
  readonly change: (request: RawRequest) => RawRequest
  readonly status: number
}

const wrongs: readonly Wrong[] = [
  {
    request: 'a body that is too large',
    change: (asked) => ({ ...asked, body: padded(asked, 300_000) }),
    status: 413,
  },
  {
    request: 'a body that says it is too large',
    change: (asked) => ({ ...asked, headers: { 'content-length': '99999999999' } }),
    status: 413,
  },
  { request: 'no JSON', change: (asked) => ({ ...asked, body: '{"model":' }), status: 400 },
  { request: 'nothing', change: (asked) => ({ ...asked, body: '' }), status: 400 },
  { request: 'a list', change: (asked) => ({ ...asked, body: '[]' }), status: 400 },
  { request: 'a text', change: (asked) => ({ ...asked, body: '"hello"' }), status: 400 },
  { request: 'null', change: (asked) => ({ ...asked, body: 'null' }), status: 400 },
  {
    request: 'JSON without end of levels',
    change: (asked) => ({ ...asked, body: `{"model":${'['.repeat(90_000)}` }),
    status: 400,
  },
  {
    request: 'bytes that are no text',
    change: (asked) => ({ ...asked, body: Buffer.from([0x7b, 0xff, 0x7d]) }),
    status: 400,
  },
  {
    request: 'a form',
    change: (asked) => ({ ...asked, headers: { 'content-type': 'text/plain' } }),
    status: 415,
  },
  {
    request: 'a body that is packed',
    change: (asked) => ({ ...asked, headers: { 'content-encoding': 'gzip' } }),
    status: 415,
  },
  { request: 'another method', change: (asked) => ({ ...asked, method: 'PUT' }), status: 405 },
  {
    request: 'a page of another site',
    change: (asked) => ({ ...asked, headers: { origin: 'https://evil.example' } }),
    status: 403,
  },
  {
    request: 'a name that is not ours',
    change: (asked) => ({ ...asked, headers: { host: 'evil.example' } }),
    status: 403,
  },
  {
    request: 'a wrong key',
    change: (asked) => ({ ...asked, headers: { authorization: 'Bearer somebody-else-with-a-long-key' } }),
    status: 401,
  },
]

describe.each(dialectNames)('a body of %s that comes in chunks and has no end', (client) => {
  it('is refused before all of it has come', async () => {
    const model = `openai-chat.never-${client}`
    const { path } = requests[client](model, 'stream')
    const socket = connect(world.port, '127.0.0.1').on('error', () => {})
    const answer = everythingFrom(socket)
    const fields = `host: 127.0.0.1:${world.port}\r\nauthorization: ${world.keyHeader.authorization}\r\n`
    socket.write(
      `POST ${path} HTTP/1.1\r\n${fields}content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`,
    )
    // A little more than the limit of 200,000 bytes, and never the chunk that ends a body: who waits for it waits for ever.
    socket.write(`4000\r\n${' '.repeat(0x4000)}\r\n`.repeat(20))
    const { status, body } = await answer
    expect(status).toBe(413)
    expect(readers[client]({ status, is: 'whole', body }).failure?.message).not.toBe('')
    expect(world.upstream.countOf(model)).toBe(0)
    await world.expectCalm()
  })
})

function padded({ body = '' }: RawRequest, length: number): string {
  return `${' '.repeat(length)}${body.toString()}`
}

describe.each(dialectNames)('a client of %s', (client: DialectName) => {
  it.each(wrongs)('that sends $request is refused in its own words', async ({ change, status }) => {
    for (const wants of wishes) {
      const model = `openai-chat.never-${client}`
      world.upstream.play(model, answered)
      const got = await world.send(change(requests[client](model, wants)))
      expect(got.status).toBe(status)
      const { failure } = readers[client]({ status, is: 'whole', body: got.body })
      expect(failure?.message).not.toBe('')
      if (status === 405) expect(got.head).toMatch(/^allow: .*POST/im)
      expect(world.upstream.countOf(model)).toBe(0)
    }
    await world.expectCalm()
  })

  it('that asks for a model that nobody has is told so', async () => {
    const got = await world.ask({ client, wants: 'stream', model: 'nobody-has-this' })
    expect(got.status).toBe(404)
    expect(got.view.failure).toMatchObject({ kind: 'not found' })
  })

  it('that sends fields nobody knows is served', async () => {
    const model = `openai-chat.fields-${client}`
    world.upstream.play(model, answered)
    const request = requests[client](model, 'whole')
    const fields = '{"api_base":"http://127.0.0.1:1","base_url":"http://127.0.0.1:1","new_field":{"a":[1]},'
    const got = await world.send({ ...request, body: String(request.body).replace('{', fields) })
    expect(readers[client]({ status: got.status, is: 'whole', body: got.body })).toMatchObject({
      text: 'Sunny.',
    })
    expect(world.upstream.countOf(model)).toBe(1)
  })

  it('whose headers have no end is refused', async () => {
    const request = requests[client](`openai-chat.never-${client}`, 'whole')
    const got = await world.send({ ...request, headers: { 'x-long': 'y'.repeat(40_000) } })
    expect(got.status).toBe(431)
  })

  it('that asks again before it is answered gets its answers in order', async () => {
    const names = [1, 2, 3].map((n) => `openai-chat.pipelined-${client}-${n}`)
    for (const [at, model] of names.entries()) {
      world.upstream.play(model, (wire) =>
        wire.answer(200, 'application/json', speech.whole(said([text(`Answer ${at + 1}.`)]))),
      )
    }
    const bytes = names.map((model, at) =>
      requestBytes(world.port, {
        ...requests[client](model, 'whole'),
        headers: { ...world.keyHeader, ...(at === 2 && { connection: 'close' }) },
      }),
    )
    const socket = connect(world.port, '127.0.0.1')
    socket.write(Buffer.concat(bytes))
    const pieces: Buffer[] = []
    for await (const piece of socket) pieces.push(piece)
    const found = Buffer.concat(pieces)
      .toString('utf8')
      .match(/Answer \d\./g)
    expect([...new Set(found)]).toEqual(['Answer 1.', 'Answer 2.', 'Answer 3.'])
    await world.expectCalm()
  })
})

describe('a path that nobody serves', () => {
  it.each(['/v1/nothing', '/v1beta/models', '/admin', '/v1/messages/batches'])(
    '%s is not found',
    async (path) => {
      const got = await world.send({ path, body: '{}' })
      expect([404, 405]).toContain(got.status)
      expect(got.body).toContain('error')
    },
  )
})
