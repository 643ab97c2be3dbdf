import { once } from 'node:events'
import { createServer as createTcpServer, type Server } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FailureKind } from '../../core/test/clients-agree/view.ts'
import { expiredCertificate, privateKey } from '../test/server/certificates.ts'
import { dialectNames, said, type Speech, text } from './dialects.ts'
import { FaultWorld, slack, waits } from './fault-world.ts'
import type { Script } from './raw-upstream.ts'
import { inEveryVariant, nameOf, type Variant, variants } from './variants.ts'

// Before the first byte for the client every fault is a refusal with a status of its own, streamed or not.

let world: FaultWorld
const servers: Server[] = []

beforeAll(async () => {
  const expired = createTlsServer({ key: privateKey, cert: expiredCertificate })
  const mute = createTcpServer((socket) => socket.on('error', () => {}))
  const closed = createTcpServer()
  const [expiredPort, mutePort, closedPort] = await Promise.all([expired, mute, closed].map(listening))
  closed.close()
  servers.push(expired, mute)
  world = await FaultWorld.start({
    refused: `http://127.0.0.1:${closedPort}/v1`,
    nowhere: 'http://secret-host.invalid/v1',
    expired: `https://127.0.0.1:${expiredPort}/v1`,
    mute: `https://127.0.0.1:${mutePort}/v1`,
  })
})

afterAll(async () => {
  await world.stop()
  for (const server of servers) server.close()
})

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

interface Refusal {
  readonly status:
    | number
    | (Readonly<Partial<Record<Variant['client'], number>>> & { readonly others: number })
  readonly kind: FailureKind
  /** The code of the fault, or the words of the upstream. */
  readonly says: string
  /** At most so long, and some slack. */
  readonly within?: number
}

const unreachable: readonly { upstream: string; model: string; refusal: Refusal }[] = [
  {
    upstream: 'refuses connections',
    model: 'refused',
    refusal: { status: 502, kind: 'upstream', says: 'upstream_unreachable' },
  },
  {
    upstream: 'has a name that nobody knows',
    model: 'nowhere',
    refusal: { status: 502, kind: 'upstream', says: 'upstream_unreachable', within: waits.connect },
  },
  {
    upstream: 'has a certificate that has ended',
    model: 'expired',
    refusal: { status: 502, kind: 'upstream', says: 'upstream_tls' },
  },
  {
    upstream: 'never says hello',
    model: 'mute',
    refusal: { status: 504, kind: 'timeout', says: 'upstream_connect_timeout', within: waits.connect },
  },
]

describe('an upstream that cannot be reached', () => {
  it.each(unreachable)('because it $upstream', async ({ model, refusal }) => {
    await Promise.all(
      dialectNames.flatMap((client) =>
        (['stream', 'whole'] as const).map(async (wants) => {
          const got = await world.ask({ client, wants, model: `${model}.m` })
          expect(got.status).toBe(refusal.status)
          expect(got.view.failure?.kind).toBe(refusal.kind)
          expect(got.body).toContain(refusal.says)
          expect(got.milliseconds).toBeLessThan((refusal.within ?? 0) + slack)
          expect(got.body).not.toMatch(/secret-host|127\.0\.0\.1/)
        }),
      ),
    )
    await world.expectCalm()
  })
})

const error = (message: string): string =>
  JSON.stringify({ error: { message, type: 'some_error', code: 'why' } })

const html = '<!doctype html><html><body><script>alert(1)</script>Bad gateway</body></html>'

const refusals: readonly { upstream: string; script: (speech: Speech) => Script; refusal: Refusal }[] = [
  {
    upstream: 'does not answer',
    script: () => () => {},
    refusal: { status: 504, kind: 'timeout', says: 'upstream_timeout', within: waits.headers },
  },
  ...[400, 422].map((status) => ({
    upstream: `says ${status}`,
    script: () => answered(status, error('The request is odd.')),
    refusal: { status, kind: 'invalid request' as const, says: 'The request is odd.' },
  })),
  {
    upstream: 'says 404',
    script: () => answered(404, error('No such model.')),
    refusal: { status: 404, kind: 'not found', says: 'No such model.' },
  },
  ...[401, 403].map((status) => ({
    upstream: `says ${status}, for it was asked with the key of the gateway`,
    script: () => answered(status, error('Wrong key.')),
    refusal: { status: 502, kind: 'upstream' as const, says: 'credential of the gateway' },
  })),
  {
    upstream: 'says 413',
    script: () => answered(413, error('Too large.')),
    refusal: { status: 413, kind: 'invalid request', says: 'Too large.' },
  },
  {
    upstream: 'says 429',
    script: () => answered(429, error('Slowly.'), { 'retry-after': '7' }),
    refusal: { status: 429, kind: 'rate limit', says: 'Slowly.' },
  },
  {
    upstream: 'says 500',
    script: () => answered(500, error('Broken.')),
    refusal: { status: 500, kind: 'upstream', says: 'Broken.' },
  },
  {
    upstream: 'says 502',
    script: () => answered(502, error('Broken.')),
    refusal: { status: 502, kind: 'upstream', says: 'Broken.' },
  },
  {
    upstream: 'says 503',
    script: () => answered(503, error('Busy.')),
    refusal: { status: { 'anthropic-messages': 529, others: 503 }, kind: 'overloaded', says: 'Busy.' },
  },
  {
    upstream: 'says 529',
    script: () => answered(529, error('Busy.')),
    refusal: { status: 529, kind: 'overloaded', says: 'Busy.' },
  },
  {
    upstream: 'says 500 in words that are no JSON, and have no end',
    script: () => answered(500, `Internal Server Error\u0000${'!'.repeat(5000)}`, {}, 'text/plain'),
    refusal: { status: 500, kind: 'upstream', says: 'Internal Server Error' },
  },
  {
    upstream: 'sends a web page with 500',
    script: () => answered(500, html, {}, 'text/html'),
    refusal: { status: 500, kind: 'upstream', says: 'a page of HTML' },
  },
  {
    upstream: 'sends a web page with 200',
    script: () => answered(200, html, {}, 'text/html'),
    refusal: { status: 502, kind: 'upstream', says: 'upstream_protocol_error' },
  },
  {
    upstream: 'sends an error with 200',
    script: () => answered(200, error('Broken.')),
    refusal: { status: 502, kind: 'upstream', says: 'Broken.' },
  },
  {
    upstream: 'begins its stream with an error',
    script: () => (wire) =>
      wire
        .stream()
        .send(`data: ${error('Broken.')}\n\n`)
        .end(),
    refusal: { status: 502, kind: 'upstream', says: 'Broken.' },
  },
  {
    upstream: 'sends somebody else to ask',
    script: () => (wire) => wire.answer(302, 'text/plain', '', { location: 'http://127.0.0.1:1/elsewhere' }),
    refusal: { status: 502, kind: 'upstream', says: 'upstream_redirect' },
  },
  {
    upstream: 'sends nothing with 200',
    script: () => (wire) => wire.answer(200, 'text/event-stream', ''),
    refusal: { status: 502, kind: 'upstream', says: 'upstream_empty' },
  },
  {
    upstream: 'says that there is nothing',
    script: () => (wire) => wire.raw('HTTP/1.1 204 No Content\r\n\r\n').end(),
    refusal: { status: 502, kind: 'upstream', says: 'upstream_empty' },
  },
  {
    upstream: 'sends comments, and ends',
    script: () => (wire) => wire.stream().send(': one moment\n\n', ': sorry\n\n').end(),
    refusal: { status: 502, kind: 'upstream', says: 'upstream_empty' },
  },
  {
    upstream: 'marks the end of a stream in which nothing was',
    script: () => (wire) => wire.stream().send('data: [DONE]\n\n').end(),
    refusal: { status: 502, kind: 'upstream', says: 'upstream_empty' },
  },
  {
    upstream: 'closes the connection behind its headers',
    script: () => (wire) => wire.stream().close(),
    refusal: { status: 502, kind: 'upstream', says: 'upstream_truncated' },
  },
  {
    upstream: 'announces an answer again and again, and has none',
    script: () => (wire) => wire.raw('HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'.repeat(5000)),
    refusal: { status: 504, kind: 'timeout', says: 'upstream_timeout', within: waits.headers },
  },
  {
    upstream: 'packs an answer that nobody wanted packed',
    script: (speech) => (wire) => {
      const bytes = gzipSync(speech.whole(said([text('Sunny.')])))
      const fields = `content-type: application/json\r\ncontent-encoding: gzip\r\ncontent-length: ${bytes.length}`
      wire.raw(`HTTP/1.1 200 OK\r\n${fields}\r\n\r\n`).raw(bytes).end()
    },
    refusal: { status: 502, kind: 'upstream', says: 'The upstream compressed its answer' },
  },
  {
    upstream: 'packs what it says of an error',
    script: () => (wire) => {
      const bytes = gzipSync(error('Broken.'))
      const fields = `content-encoding: gzip\r\ncontent-length: ${bytes.length}`
      wire.raw(`HTTP/1.1 500 X\r\n${fields}\r\n\r\n`).raw(bytes).end()
    },
    refusal: { status: 500, kind: 'upstream', says: 'The upstream answered with status 500 and no body.' },
  },
  ...[
    ['tells two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\n12345'],
    ['tells a length below nothing', 'HTTP/1.1 200 OK\r\ncontent-length: -5\r\n\r\n12345'],
    ['has headers without end', `HTTP/1.1 200 OK\r\n${'x-more: yes\r\n'.repeat(2000)}\r\n`],
    ['has a status that is none', 'HTTP/1.1 099 What\r\ncontent-length: 0\r\n\r\n'],
    ['speaks another protocol', 'SSH-2.0-OpenSSH_9.0\r\n'],
  ].map(([what = '', bytes = '']) => ({
    upstream: `breaks the rules of HTTP: it ${what}`,
    script: () => (wire: Parameters<Script>[0]) => wire.raw(bytes),
    refusal: { status: 502, kind: 'upstream' as const, says: 'upstream_protocol_error' },
  })),
]

function answered(
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
  type = 'application/json',
): Script {
  return (wire) => wire.answer(status, type, body, headers)
}

describe('before the first byte an upstream', () => {
  it.each(refusals)('$upstream', async ({ script, refusal }) => {
    for (const variant of await inEveryVariant(world, script)) {
      const { got, client, model } = variant
      const { status, kind, says, within = 0 } = refusal
      const expected = typeof status === 'number' ? status : (status[client] ?? status.others)
      expect(got.status, nameOf(variant)).toBe(expected)
      expect(got.view.failure, nameOf(variant)).toMatchObject({ kind })
      expect(got.body, nameOf(variant)).toContain(says)
      expect(got.body, nameOf(variant)).not.toMatch(/<script|<html|!{300}/)
      expect(got.milliseconds, nameOf(variant)).toBeLessThan(within + slack)
      // What was refused is not asked again behind the client's back.
      expect(world.upstream.countOf(model), nameOf(variant)).toBe(1)
    }
    await world.expectCalm()
  })

  it.each(['7', 'Wed, 21 Oct 2099 07:28:00 GMT'])(
    'says how long to wait, and the client hears it: %s',
    async (wait) => {
      for (const { got } of await inEveryVariant(world, () =>
        answered(429, error('Slowly.'), { 'retry-after': wait }),
      )) {
        expect(got.head).toMatch(new RegExp(`^retry-after: ${wait}$`, 'im'))
      }
    },
  )

  it('answers with plain JSON although a stream was asked for, and the client gets its stream', async () => {
    const answer = said([text('Paris is sunny.')])
    const streaming = variants.filter(({ wants }) => wants === 'stream')
    const script = (speech: Speech) => answered(200, speech.whole(answer))
    for (const variant of await inEveryVariant(world, script, streaming)) {
      expect(variant.got.head, nameOf(variant)).toMatch(/^content-type: text\/event-stream/im)
      expect(variant.got.view, nameOf(variant)).toMatchObject({
        text: 'Paris is sunny.',
        finish: 'stop',
        failure: null,
      })
    }
    await world.expectCalm()
  })
})
